"""Relevance vector machines and EPCVM by expectation propagation and Hamiltonian Monte Carlo."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

from pauca import EPCVMClassifier, RVMClassifier
from pauca.datasets import make_ripley
from pauca.inference.ep import engine
from pauca.numerics import probit_quantile

MACHINES = pytest.mark.parametrize("kind", [RVMClassifier, EPCVMClassifier])


@pytest.fixture(scope="module")
def ripley():
    return *make_ripley(250, random_state=0), *make_ripley(1000, random_state=1)


@MACHINES
def test_ep_is_as_good_as_laplace(kind, ripley):
    X, y, X_test, y_test = ripley
    losses = {}
    for inference in ("laplace", "ep"):
        machine = kind(gamma=2.0, inference=inference).fit(X, y)
        losses[inference] = log_loss(y_test, machine.predict_proba(X_test))
        assert machine.converged_
        assert machine.score(X_test, y_test) > 0.88
    assert losses["ep"] < losses["laplace"] + 0.03


@MACHINES
def test_few_rows_that_separate_by_chance_leave_doubt(kind):
    losses = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, noise = rng.normal(size=(1060, 12)), rng.normal(size=1060)
        y = X[:, 0] + X[:, 1] + 0.5 * X[:, 2] * X[:, 3] + 0.3 * noise > 0
        machine = kind(inference="ep").fit(X[:60], y[:60])
        losses.append(log_loss(y[60:], machine.predict_proba(X[60:])))
    assert np.mean(losses) < 0.48
    assert np.max(losses) < np.log(2) + 0.1


def test_weights_have_the_signs_of_their_labels(ripley):
    X, y, *_ = ripley
    machine = EPCVMClassifier(gamma=2.0, inference="ep").fit(X, y)
    np.testing.assert_array_equal(machine.dual_coef_[0] > 0, y[machine.relevance_] == machine.classes_[1])


@MACHINES
def test_whole_weights_are_repeated_rows(kind, ripley):
    X, y, X_test, _ = ripley
    X, y = X[:80], y[:80]
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = kind(gamma=2.0, inference="ep").fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights)
    repeated = kind(gamma=2.0, inference="ep").fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X_test), repeated.predict_proba(X_test), atol=1e-6)


@MACHINES
def test_many_classes(kind):
    rng = np.random.default_rng(1)
    centres = 4 * np.array([[0, 1], [1, -1], [-1, -1]])
    y = np.repeat(["a", "b", "c"], 40)
    X = np.repeat(centres, 40, axis=0) + rng.normal(size=(120, 2))
    machine = kind(gamma=0.2, inference="ep").fit(X, y)
    assert machine.score(X, y) > 0.95
    np.testing.assert_allclose(machine.predict_proba(X).sum(axis=1), 1, atol=1e-9)


def test_sequential_updates_replace_parallel_ones_that_do_not_settle(ripley, monkeypatch):
    X, y, X_test, _ = ripley
    expected = RVMClassifier(gamma=2.0, inference="ep").fit(X, y)
    monkeypatch.setattr(engine, "_MAX_PARALLEL", 1)
    machine = RVMClassifier(gamma=2.0, inference="ep").fit(X, y)
    assert machine.converged_
    np.testing.assert_allclose(machine.predict_proba(X_test), expected.predict_proba(X_test), atol=0.03)


def test_the_approximation_agrees_with_draws(ripley):
    X, y, X_test, _ = ripley
    machines = [
        EPCVMClassifier(gamma=2.0, inference=inference, n_draws=400).fit(X, y) for inference in ("ep", "hmc")
    ]
    approximate, drawn = machines
    np.testing.assert_array_equal(drawn.relevance_, approximate.relevance_)
    np.testing.assert_allclose(drawn.predict_proba(X_test), approximate.predict_proba(X_test), atol=0.02)
    chains = drawn.chains_[0]
    assert chains.draws.shape == (4, 400, 1 + len(drawn.relevance_))
    assert (chains.r_hat < 1.1).all()
    assert (chains.draws[..., 1:] >= 0).all()
    assert np.isfinite(drawn.generalization_bound()).all()
    np.testing.assert_array_equal(drawn.dual_coef_[0] > 0, y[drawn.relevance_] == drawn.classes_[1])


def test_probabilities_are_averages_over_draws(ripley):
    X, y, X_test, _ = ripley
    machine = EPCVMClassifier(gamma=2.0, inference="hmc", n_chains=2, n_draws=50).fit(X, y)
    expansion = machine.expansions_[0]
    K = machine._kernel_values(X_test)
    Phi = np.column_stack([np.ones(len(K)), (K[:, expansion.columns] - expansion.shift) / expansion.scale])
    average = ndtr(Phi @ expansion.draws.T).mean(axis=1)
    np.testing.assert_allclose(machine.predict_proba(X_test)[:, 1], average, atol=1e-12)


def test_chains_that_did_not_mix_warn(ripley):
    X, y, *_ = ripley
    with pytest.warns(ConvergenceWarning, match=r"did not mix \(R-hat .*raise n_draws"):
        machine = EPCVMClassifier(gamma=2.0, inference="hmc", n_draws=4).fit(X, y)
    assert not machine.converged_


@MACHINES
def test_every_round_has_leave_one_out_estimates(kind, ripley):
    X, y, *_ = ripley
    machine = kind(gamma=2.0, inference="ep").fit(X, y)
    path, last = machine.path_, machine.path_[-1]
    assert last["log_evidence"] == machine.log_evidence_
    assert last["loo_error"] == pytest.approx(np.mean(machine.predict(X) != y), abs=0.02)
    assert last["loo_error"] <= last["loo_probability"] < path["loo_probability"][0]
    assert (path["loo_log_density"] < 0).all()
    assert "loo_error" not in kind(gamma=2.0).fit(X, y).path_.dtype.names


def test_quantiles_hold_in_both_tails():
    f = np.array([[-40.0, -39.0], [40.0, 39.0], [0.3, 0.3]])
    low, high, middle = probit_quantile(f)
    assert low == pytest.approx(-high)
    assert -40 < low < -39
    assert middle == pytest.approx(0.3)


def test_draws_go_to_arviz(ripley, monkeypatch):
    X, y, *_ = ripley
    machine = EPCVMClassifier(gamma=2.0, inference="hmc", n_chains=2, n_draws=10).fit(X, y)
    monkeypatch.setitem(sys.modules, "arviz", SimpleNamespace(from_dict=lambda posterior: posterior))
    np.testing.assert_array_equal(machine.to_arviz()["weights_0"], machine.chains_[0].draws)
    monkeypatch.setitem(sys.modules, "arviz", SimpleNamespace(from_dict=lambda groups: groups))
    np.testing.assert_array_equal(machine.to_arviz()["posterior"]["weights_0"], machine.chains_[0].draws)
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match="mcmc"):
        machine.to_arviz()
    with pytest.raises(AttributeError, match="hmc"):
        EPCVMClassifier(gamma=2.0).fit(X, y).to_arviz()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"inference": "gibbs"}, "inference"), ({"n_chains": 0}, "n_chains"), ({"n_draws": 1}, "n_draws")],
)
def test_bad_arguments(arguments, message, ripley):
    with pytest.raises(ValueError, match=message):
        EPCVMClassifier(**arguments).fit(*ripley[:2])
