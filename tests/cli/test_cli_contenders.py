"""Machines and peers by the names of the command line."""

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor

from pauca import SparseGPClassifier, SparseGPRegressor
from pauca.cli import contenders
from pauca.cli.contenders import (
    MACHINES,
    PEERS,
    default_peers,
    left_out_peers,
    make_contenders,
    make_machine,
    make_peers,
)
from pauca.cli.errors import BadInput

Y = np.repeat([0, 1], 20)


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_does_the_task_or_names_others(name, task):
    if getattr(MACHINES[name], task) is None:
        with pytest.raises(BadInput, match=f"'{name}' does not do {task}: use "):
            make_machine(name, task, 0)
        return
    found, title, machine = make_machine(name, task, 7)
    assert (found, title) == (name, MACHINES[name].title)
    assert is_classifier(machine) == (task == "classification")
    assert is_regressor(machine) == (task == "regression")
    assert machine.get_params().get("random_state", 7) == 7


def test_default_machines():
    assert isinstance(make_machine(None, "classification", 0)[2], SparseGPClassifier)
    assert isinstance(make_machine(None, "regression", 0)[2], SparseGPRegressor)


def test_every_machine_can_take_part():
    contenders = make_contenders(["rvm", *PEERS.keys() - {"lightgbm"}], "classification", Y, 0)
    titles = {"RVM", *(peer.classification for name, peer in PEERS.items() if name != "lightgbm")}
    assert set(contenders) == titles
    with pytest.raises(BadInput, match="no machine"):
        make_contenders(["x"], "classification", Y, 0)
    with pytest.raises(BadInput, match="two machines"):
        make_contenders(["rvm"], "classification", Y, 0)


def test_what_is_not_installed_says_so():
    with pytest.raises(BadInput, match="pip install lightgbm, or use hgb"):
        make_contenders(["rvm", "lightgbm"], "classification", Y, 0)


def test_peers_depend_on_what_is_installed_and_on_the_rows(monkeypatch):
    assert default_peers(1000) == ["svm", "logreg", "rf", "hgb", "gp"]
    assert default_peers(1001) == ["svm", "logreg", "rf", "hgb"]
    monkeypatch.setattr(contenders, "lightgbm_is_installed", lambda: True)
    assert default_peers(50) == ["svm", "logreg", "rf", "lightgbm", "gp"]


def test_peers_of_many_rows_are_not_tuned():
    y = np.arange(3000) % 2
    assert list(make_peers("classification", y, 0)) == [
        "calibrated SVC (not tuned)",
        "logistic",
        "hist. boosting",
    ]
    assert "Gaussian process left out" in left_out_peers(3000)[0]
    assert list(make_peers("regression", np.zeros(10), 0)) == [
        "SVR",
        "Bayesian ridge",
        "hist. boosting",
        "Gaussian process",
    ]
    assert left_out_peers(10) == []


def splitters(machine):
    """Folds of a machine and of the machines inside it."""
    return [value for value in machine.get_params().values() if hasattr(value, "get_n_splits")]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_folds_are_shuffled_and_seeded(task):
    found = [fold for peer in make_peers(task, Y, 3).values() for fold in splitters(peer)]
    assert len(found) == (2 if task == "classification" else 1)
    assert all(fold.shuffle and fold.random_state == 3 for fold in found)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_svm_is_tuned_as_well_on_a_sorted_table(task, monkeypatch):
    monkeypatch.setattr(contenders, "_SVC_GRID", {"C": [1, 100], "gamma": [0.001, 1]})
    monkeypatch.setattr(contenders, "_SVR_GRID", {"C": [1, 100], "gamma": [0.001, 1]})
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-3, 3, 180))
    y = np.sin(3 * x) + 0.1 * rng.normal(size=180)
    y = (y > 0).astype(int) if task == "classification" else y
    machine = contenders.PEERS["svm"].make(task, y, 0)
    train, test = np.arange(180) % 3 > 0, np.arange(180) % 3 == 0
    # Folds of consecutive rows choose the wide kernel, which is no better than chance.
    assert machine.fit(x[train, None], y[train]).score(x[test, None], y[test]) > 0.85


def test_lightgbm_does_not_warn(recwarn):
    pytest.importorskip("lightgbm")
    X = np.random.default_rng(0).normal(size=(80, 2))
    for task, y in (("classification", X[:, 0] > 0), ("regression", X[:, 0])):
        machine = PEERS["lightgbm"].make
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(contenders, "lightgbm_is_installed", lambda: True)
            assert machine(task, y, 0).fit(X, y).score(X, y) > 0.5
    assert not recwarn
