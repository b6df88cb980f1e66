"""Machines and peers by the names of the command line."""

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor

from pauca import SparseGPClassifier, SparseGPRegressor
from pauca.cli.contenders import MACHINES, make_contenders, make_machine, make_peers
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
    contenders = make_contenders(["rvm", "svm", "rf", "logreg"], "classification", Y, 0)
    assert list(contenders) == ["RVM", "SVM", "random forest", "linear model"]
    with pytest.raises(BadInput, match="no machine"):
        make_contenders(["x"], "classification", Y, 0)


@pytest.mark.parametrize(("task", "first"), [("classification", "sparse GP"), ("regression", "sparse GP")])
def test_the_default_machine_of_the_task_is_compared_with_all_peers(task, first):
    assert list(make_contenders([], task, Y, 0)) == [first, "SVM", "random forest", "linear model"]


def test_peers_of_many_rows_are_not_tuned():
    assert list(make_peers("classification", np.arange(3000) % 2)) == [
        "calibrated SVC (not tuned)",
        "logistic",
    ]
    assert list(make_peers("regression", np.zeros(10))) == ["SVR", "Bayesian ridge"]
