"""Tables of the first PCVM paper and of averaged trees: protocols on small problems."""

import numpy as np
import pytest
from benchmarks.harness.peers import ProcessByEP
from benchmarks.papers import bias_variance, microarrays, pcvm
from scipy.stats import f as f_distribution

from pauca.datasets import make_twonorm


def test_outcomes_are_those_of_the_combined_f_test():
    rng = np.random.default_rng(0)
    errors = rng.normal(10, 1, 10)
    ours = [{"error": e + 8, "auc": 90.0, "1 - rmse": 60.0} for e in errors]
    control = [
        {"error": e + d, "auc": 90.0, "1 - rmse": 60.0}
        for e, d in zip(errors, rng.normal(0, 0.5, 10), strict=True)
    ]
    record = pcvm._outcomes(ours, control)
    differences = np.array([a["error"] - b["error"] for a, b in zip(ours, control, strict=True)]).reshape(
        5, 2
    )
    spread = np.square(differences - differences.mean(axis=1, keepdims=True)).sum()
    p_value = f_distribution.sf(np.square(differences).sum() / (2 * spread), 10, 5)
    assert p_value < 0.05
    assert record["error: outcome"] == -1
    assert record["error: difference"] == pytest.approx(differences.mean())
    assert record["auc: outcome"] == 0


def test_the_support_vector_machine_of_pcvm_has_its_width(monkeypatch):
    X, y = make_twonorm(120, random_state=0)
    rows = pcvm.standardised("twonorm", X[:60], y[:60], X[60:], y[60:])
    monkeypatch.setattr(pcvm, "problem", lambda dataset, split: rows)
    monkeypatch.setattr(pcvm, "_chosen", lambda dataset, method: {"gamma": 0.03})
    chosen = pcvm.choose("twonorm", "SVM-PCVM")
    assert chosen["gamma"] == 0.03
    assert chosen["C"] in pcvm._COSTS["C"]
    record = pcvm.measure("twonorm", 0, "SVM-PCVM", chosen)
    assert set(record) == set(pcvm._MEASURES)
    assert record["error"] < 20


def test_parts_of_the_error_of_averaged_trees():
    records = bias_variance.measure("toy", 0, n_sets=6)
    whole, members = records["bagging"], records["bagging, members"]
    assert whole["mse"] == pytest.approx(members["mse"])
    assert whole["mse"] == pytest.approx(whole["squared bias"] + whole["variance"])
    n_trees = bias_variance._N_TREES
    parts = (
        members["squared bias"] + members["variance"] / n_trees + (1 - 1 / n_trees) * members["covariance"]
    )
    assert members["mse"] == pytest.approx(parts)
    assert records["single tree"]["mse"] > whole["mse"]


def test_processes_by_expectation_propagation_learn():
    X, y = make_twonorm(260, random_state=1)
    machine = ProcessByEP().fit(X[:60], y[:60])
    assert np.mean(machine.predict(X[60:]) == y[60:]) > 0.9
    assert 1e-4 < machine.gamma_ < 1


def test_arrays_are_standardised_and_cut():
    rng = np.random.default_rng(0)
    X = np.exp(rng.normal(6, 2, size=(8, 300)))
    Z = microarrays.prepared("golub", X)
    assert Z.shape[1] < 300
    np.testing.assert_allclose(Z.mean(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(Z.std(axis=1), 1)
    assert microarrays.prepared("khan", X).shape == X.shape
