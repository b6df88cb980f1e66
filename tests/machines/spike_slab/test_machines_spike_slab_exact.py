"""Spike-and-slab classification by expectation propagation and Gibbs sampling beside exact posteriors."""

import numpy as np
import pytest
from enumerated import enumerated
from sklearn.base import clone
from sklearn.datasets import make_classification

from pauca import SpikeSlabClassifier

EXACT = {"tol": 1e-8, "max_iter": 2000, "no_signal": 0}


def draw(n, d, seed, correlation=0.0):
    """Features with a correlation between neighbours that falls off, and labels by the first two."""
    rng = np.random.default_rng(seed)
    places = np.arange(d)
    covariance = correlation ** np.abs(np.subtract.outer(places, places))
    X = rng.normal(size=(n, d)) @ np.linalg.cholesky(covariance).T
    y = np.where(X[:, 0] - 0.8 * X[:, 1] + rng.normal(size=n) > 0, 1, -1)
    y[:2] = [-1, 1]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def errors(n, d, correlation=0.0, n_seeds=8, inference="ep"):
    """Absolute errors of inclusion probabilities, class probabilities and log evidences."""
    pairs = []
    for seed in range(n_seeds):
        X, y = draw(n, d, seed, correlation)
        exact = enumerated(X, y, 0.25, n_nodes=5)
        machine = SpikeSlabClassifier(0.25 * d, inference=inference, **EXACT).fit(X, y)
        found = machine.inclusion_probabilities_, machine.predict_proba(X)[:, 1], machine.log_evidence_
        expected = exact.inclusion, exact.probabilities, exact.log_evidence
        pairs.append([np.abs(ours - theirs) for ours, theirs in zip(found, expected, strict=True)])
    return [np.array(part) for part in zip(*pairs, strict=True)]


@pytest.mark.parametrize(("n", "d"), [(8, 2), (20, 3), (30, 4), (15, 5)])
def test_probabilities_of_independent_features_are_nearly_exact(n, d):
    inclusion, classes, evidence = errors(n, d)
    assert inclusion.mean() < 0.025
    assert np.mean(inclusion < 0.05) > 0.8
    assert inclusion.max() < 0.1
    assert np.median(classes.max(axis=1)) < 0.05
    assert evidence.max() < 0.4


@pytest.mark.parametrize("correlation", [0.6, 0.8, 0.95])
def test_few_correlated_features_are_nearly_exact(correlation):
    inclusion, classes, evidence = errors(20, 4, correlation)
    assert inclusion.mean() < 0.02
    assert np.mean(inclusion < 0.05) >= 0.85
    assert inclusion.max() < 0.1
    assert np.median(classes.max(axis=1)) < 0.05
    assert evidence.max() < 0.2


@pytest.mark.parametrize("correlation", [0.6, 0.8, 0.95])
def test_correlated_weights_are_far_better_than_independent_ones(correlation):
    correlated, independent = (
        errors(40, 4, correlation, inference=f"ep-{kind}") for kind in ("correlated", "independent")
    )
    assert correlated[0].mean() < 0.035
    assert np.mean(correlated[0] < 0.05) >= 0.75
    assert correlated[0].max() < 0.25
    assert correlated[0].mean() < 0.6 * independent[0].mean()
    assert correlated[2].max() < 0.5


@pytest.mark.parametrize(
    ("correlation", "mean", "within"), [(0.3, 0.04, 0.75), (0.6, 0.1, 0.5), (0.9, 0.12, 0.4)]
)
def test_error_of_independent_weights_grows_with_correlation_as_documented(correlation, mean, within):
    inclusion, _, evidence = errors(20, 4, correlation, inference="ep-independent")
    assert inclusion.mean() < mean
    assert np.mean(inclusion < 0.05) > within
    assert evidence.max() < 1.0


def test_six_features():
    X, y = draw(12, 6, 0)
    exact = enumerated(X, y, 0.2, n_nodes=4)
    machine = SpikeSlabClassifier(1.2, **EXACT).fit(X, y)
    np.testing.assert_allclose(machine.inclusion_probabilities_, exact.inclusion, atol=0.12)
    assert machine.ranking_[0] == np.argmax(exact.inclusion)


def test_weights_against_enumeration():
    X, y = draw(12, 3, 1)
    weights = np.random.default_rng(0).uniform(0.2, 3, size=12)
    X = (X - np.average(X, axis=0, weights=weights)) / np.sqrt(
        np.average(np.square(X - np.average(X, axis=0, weights=weights)), axis=0, weights=weights)
    )
    exact = enumerated(X, y, 0.3, weights=weights)
    machine = SpikeSlabClassifier(0.9, **EXACT).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(machine.inclusion_probabilities_, exact.inclusion, atol=0.06)
    assert machine.log_evidence_ == pytest.approx(exact.log_evidence, abs=0.3)


def test_gibbs_agrees_with_enumeration():
    X, y = draw(20, 3, 2, 0.8)
    exact = enumerated(X, y, 0.3)
    machine = SpikeSlabClassifier(0.9, inference="gibbs", n_samples=4000, n_burn_in=200, n_chains=2).fit(X, y)
    np.testing.assert_allclose(machine.inclusion_probabilities_, exact.inclusion, atol=0.02)
    np.testing.assert_allclose(machine.coef_[0], exact.mean, atol=0.06)
    np.testing.assert_allclose(machine.predict_proba(X)[:, 1], exact.probabilities, atol=0.02)
    assert machine.converged_
    for entry in machine.diagnostics_[0].values():
        assert entry["r_hat"] < 1.02
        assert 200 < entry["effective_samples"] <= 8000


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_gibbs_of_several_classes_and_whole_weights():
    X, y = make_classification(60, 12, n_informative=4, n_classes=3, random_state=0)
    machine = SpikeSlabClassifier(4, inference="gibbs", n_samples=200, n_burn_in=50)
    weights = np.where(np.arange(60) < 10, 2, 1)
    weighted = clone(machine).fit(X, y, sample_weight=weights)
    repeated = clone(machine).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))
    assert len(weighted.diagnostics_) == 3
    assert np.mean(weighted.predict(X) == y) > 0.6


@pytest.mark.parametrize("arguments", [{"spike_variance": 0.1}, {"expected_features": "evidence"}])
def test_gibbs_names_the_arguments_that_it_does_not_take(genes, arguments):
    with pytest.raises(ValueError, match="inference='gibbs' needs"):
        SpikeSlabClassifier(inference="gibbs", **arguments).fit(*genes)
    with pytest.raises(ValueError, match="whole sample weights"):
        SpikeSlabClassifier(inference="gibbs").fit(*genes, sample_weight=np.full(60, 0.5))
