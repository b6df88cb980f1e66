"""Splits of small and large sets, and peers that see the first split only."""

import numpy as np
import pytest
from benchmarks.accuracy.splits import beside_slow, split_rows, takes_part
from benchmarks.harness.contenders import Contender
from benchmarks.harness.problems import Problem, frequent
from benchmarks.harness.slow_peers import slow_classifiers, slow_regressors


def problem(y):
    X = np.arange(float(len(y)))[:, None]
    return Problem("p/10", X, y, X, y)


@pytest.mark.parametrize(("n_rows", "turns"), [(40, 7), (250, 7), (251, 2)])
def test_large_sets_have_a_fifth_of_the_splits(n_rows, turns):
    rows = problem(np.zeros(n_rows))
    assert [takes_part(rows, turn, 7) for turn in range(7)] == [turn < turns for turn in range(7)]


def test_rare_classes_are_left_out_of_both_parts():
    kept = frequent(problem(np.repeat([3, 1, 2], [5, 4, 6])), 5)
    assert np.unique(kept.y).tolist() == np.unique(kept.y_test).tolist() == [2, 3]
    assert kept.X[:, 0].tolist() == kept.X_test[:, 0].tolist() == [*range(5), *range(9, 15)]


def row(name, machine, loss, error, seconds, **rest):
    measures = {"log_loss": loss, "error": error, "fit_cpu_s": seconds}
    return {"set": name, "problem": f"{name}/10", "machine": machine, **measures, **rest}


def test_slow_peers_are_compared_where_they_were_fitted():
    peers = [Contender(name, lambda X, y: None, lambda model: None) for name in ("slow", "absent")]
    rows = [row("a", "ours", 0.1, 3.0, 1.0), row("b", "ours", 0.3, 5.0, 2.0), row("c", "ours", 9.0, 9.0, 9.0)]
    rows += [row("a", "slow", 0.2, None, 10.0), row("b", "slow", 0.2, None, 30.0)]
    rows += [{"set": "c", "problem": "c/10", "machine": "slow", "failed": "ValueError: no"}]
    (found,) = beside_slow(rows, peers, "ours", ("log_loss", "error"))
    assert (found["machine"], found["sets"]) == ("slow", 2)
    assert found["log_loss"] == found["log_loss, SparseGP"] == pytest.approx(0.2)
    assert found["log_loss, SparseGP lower"] == "1 of 2"
    assert found["error"] is found["error, SparseGP"] is None
    assert (found["fit_cpu_s"], found["fit_cpu_s, SparseGP"]) == (20, 1.5)
    assert split_rows([*rows, row("a", "ours", 0, 0, 0) | {"problem": "a/11"}])[0] == {
        "set": "a",
        "splits": 2,
    }


@pytest.mark.slow
@pytest.mark.parametrize(("k", "package"), [(0, "interpret"), (1, "gpboost")])
def test_slow_peers_learn(k, package):
    pytest.importorskip(package)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = X[:, 0] + 0.2 * rng.normal(size=90)
    assert np.mean((slow_regressors()[k].fit(X, y).predict(X) - y) ** 2) < 0.1
    labels = np.where(y > 0, "b", "a")
    p = slow_classifiers()[k].fit(X, labels).predict_proba(X)
    assert np.mean(np.array(["a", "b"])[p.argmax(axis=1)] == labels) > 0.9
    if package != "interpret":
        with pytest.raises(ValueError, match="two classes only"):
            slow_classifiers()[k].fit(X, np.arange(90) % 3)
