"""Averages over the expected number of features and over none: little is claimed where there is no signal."""

import numpy as np
import pytest
from enumerated import enumerated
from scipy import sparse
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm
from sklearn.exceptions import ConvergenceWarning

from pauca import SpikeSlabClassifier, SpikeSlabRegressor
from pauca.inference.ep import Observations, averaged_posterior, factorised, no_features
from pauca.persistence import load, save
from pauca.priors import SpikeSlab

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("slab", [1.0, 25.0])
def test_no_features_of_labels_is_an_integral(slab):
    y, weights = np.array([1.0, -1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0, 1.0])
    found = no_features(Observations(np.ones((4, 3)), y, weights), slab)

    def moment(power):
        return quad(
            lambda b: b**power * norm.pdf(b, 0, slab**0.5) * np.prod(norm.cdf(y * b) ** weights), -30, 30
        )

    total, first, second = (moment(power)[0] for power in range(3))
    assert found.log_evidence == pytest.approx(np.log(total), abs=1e-6)
    assert found.mean[0] == pytest.approx(first / total, abs=1e-6)
    assert found.var[0] == pytest.approx(second / total - (first / total) ** 2, abs=1e-6)
    np.testing.assert_array_equal(found.inclusion, [1, 0, 0])
    np.testing.assert_array_equal(found.mean[1:], 0)


def test_no_features_of_numbers_is_a_gaussian():
    y = np.random.default_rng(0).normal(size=6)
    found = no_features(Observations(np.ones((6, 2)), y, np.ones(6), 0.4), 2.0)
    covariance = 0.4 * np.eye(6) + 2.0
    assert found.log_evidence == pytest.approx(multivariate_normal(np.zeros(6), covariance).logpdf(y))
    assert found.mean[0] == pytest.approx(2.0 * np.linalg.solve(covariance, y).sum())


def test_its_evidence_is_that_of_a_model_whose_features_are_improbable():
    rng = np.random.default_rng(1)
    X = np.column_stack([np.ones(30), rng.normal(size=(30, 4))])
    observations = Observations(X, np.where(rng.random(30) < 0.7, 1.0, -1.0), np.ones(30))
    none = no_features(observations, 1.0)
    nearly = factorised(observations, SpikeSlab(np.append(1.0, np.full(4, 1e-9))))
    assert none.log_evidence == pytest.approx(nearly.log_evidence, abs=0.02)
    assert none.mean[0] == pytest.approx(nearly.mean[0], abs=0.01)


def test_the_average_beside_enumeration():
    """Inclusion probabilities averaged over three priors, each of which is enumerated."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 5))
    y = np.where(0.6 * X[:, 0] + rng.normal(size=40) > 0, 1, -1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    shares = np.array([2.5, 0.625]) / 5
    exact = [enumerated(X, y, share, n_nodes=5) for share in shares]
    none = no_features(Observations(np.ones((40, 1)), y.astype(float), np.ones(40)), 1.0)
    logs = np.array([*(each.log_evidence for each in exact), none.log_evidence]) + np.log([0.25, 0.25, 0.5])
    weights = np.exp(logs - np.logaddexp.reduce(logs))
    expected = weights[:2] @ [each.inclusion for each in exact]
    machine = SpikeSlabClassifier("posterior").fit(X, y)
    np.testing.assert_allclose(machine.inclusion_probabilities_, expected, atol=0.05)
    assert machine.log_evidence_ == pytest.approx(np.logaddexp.reduce(logs), abs=0.2)
    assert machine.expected_features_ == pytest.approx(0.5 * (2.5 + 0.625))
    assert machine.no_signal_probability_ == pytest.approx(weights[-1], abs=0.05)


def test_moments_of_an_average_are_those_of_its_draws():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(50), rng.normal(size=(50, 3))])
    observations = Observations(X, np.where(X[:, 1] > 0, 1.0, -1.0), np.ones(50))
    parts = [factorised(observations, SpikeSlab(np.append(1.0, np.full(3, share)))) for share in (0.4, 0.1)]
    prior = np.array([0.3, 0.7])
    found = averaged_posterior(parts, prior)
    weights = prior * np.exp([part.log_evidence for part in parts])
    chosen = rng.choice(2, 200_000, p=weights / weights.sum())
    means, stds = np.array([part.mean for part in parts]), np.sqrt([part.var for part in parts])
    draws = means[chosen] + stds[chosen] * rng.normal(size=(200_000, 4))
    np.testing.assert_allclose(found.mean, draws.mean(axis=0), atol=0.01)
    np.testing.assert_allclose(found.var, draws.var(axis=0), atol=0.01)


def excess(n, d, seed, expected_features):
    """Log-loss above that of the true base rate on new rows, where labels are noise; features claimed."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n + 2000, d)), rng.random(n + 2000) < 0.5
    machine = SpikeSlabClassifier(expected_features).fit(X[:n], y[:n])
    p = machine.predict_proba(X[n:])[:, 1]
    loss = -np.log(np.where(y[n:], p, 1 - p)).mean()
    return loss - np.log(2), np.sum(machine.inclusion_probabilities_ > 0.5)


@pytest.mark.parametrize(
    ("n", "d", "expected_features", "limit"),
    [(60, 500, 32, 0.04), (60, 500, "posterior", 0.02), (40, 30, "posterior", 0.05), (100, 10, 32, 0.01)],
)
def test_without_a_signal_predictions_are_the_base_rate(n, d, expected_features, limit):
    found = np.array([excess(n, d, seed, expected_features) for seed in range(50, 58)])
    assert found[:, 0].mean() < limit
    assert found[:, 1].sum() <= 1


@pytest.mark.parametrize("inference", ["ep", "single-effects"])
@pytest.mark.parametrize("strength", [0.0, 0.5])
def test_no_signal_is_one_more_model(inference, strength):
    """Beside enumeration, with and without the model in which no feature matters."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(40, 4))
    X[:, 1] += 2 * X[:, 0]
    y = np.where(strength * X[:, 0] + rng.normal(size=40) > 0, 1, -1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    exact = enumerated(X, y, 0.4, n_nodes=5)
    none = no_features(Observations(np.ones((40, 1)), y.astype(float), np.ones(40)), 1.0)
    logs = np.array([exact.log_evidence, none.log_evidence]) + np.log([0.7, 0.3])
    total = np.logaddexp.reduce(logs)
    weights = np.exp(logs - total)
    machine = SpikeSlabClassifier(1.6, inference=inference, no_signal=0.3).fit(X, y)
    assert machine.no_signal_probability_ == pytest.approx(weights[1], abs=0.03)
    assert machine.log_evidence_ == pytest.approx(total, abs=0.2)
    np.testing.assert_allclose(machine.inclusion_probabilities_, weights[0] * exact.inclusion, atol=0.06)
    base = norm.cdf(none.mean[0] / np.sqrt(1 + none.var[0]))
    p = weights[0] * exact.probabilities + weights[1] * base
    np.testing.assert_allclose(machine.predict_proba(X)[:, 1], p, atol=0.04)
    np.testing.assert_allclose(machine.compiled().predict_proba(X), machine.predict_proba(X), atol=1e-6)


def test_credible_sets_fade_where_nothing_may_matter():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 30))
    y = 0.8 * X[:, 3] + rng.normal(size=80) > 0
    sure = SpikeSlabClassifier(3, inference="single-effects").fit(X, y)
    assert [each.features.tolist() for each in sure.credible_sets_] == [[3]]
    doubtful = SpikeSlabClassifier(3, inference="single-effects", no_signal=1 - 1e-9).fit(X, y)
    assert doubtful.no_signal_probability_ > 0.5
    assert doubtful.credible_sets_ == []


def test_numbers_without_a_signal_keep_their_mean_and_spread():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 40)), 5 + 2 * rng.normal(size=60)
    for inference in ("ep", "single-effects"):
        machine = SpikeSlabRegressor(inference=inference).fit(X, y)
        assert machine.no_signal_probability_ > 0.8
        mean, std = machine.predict(rng.normal(size=(50, 40)), return_std=True)
        np.testing.assert_allclose(mean, y.mean(), atol=0.3)
        np.testing.assert_allclose(std, y.std(), rtol=0.15)


def test_large_tables_weigh_no_model_without_features(genes):
    X = np.tile(genes[0], (1, 200)).astype(np.float32)
    machine = SpikeSlabClassifier(max_iter=2)
    with pytest.warns(ConvergenceWarning):
        machine.fit(X, genes[1])
    assert np.isnan(machine.no_signal_probability_)
    assert machine.schedules_ != ["full covariance"]


def test_signals_stay(genes):
    X, y = genes
    machine = SpikeSlabClassifier("posterior").fit(X, y)
    assert set(machine.ranking_[:2]) == {7, 70}
    assert machine.inclusion_probabilities_[[7, 70]].min() > 0.85
    regressor = SpikeSlabRegressor("posterior").fit(X, 2 * X[:, 7] - X[:, 70])
    assert set(regressor.ranking_[:2]) == {7, 70}


def test_many_classes_are_averaged_apart():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 20))
    y = np.where(X[:, 0] > 0.5, "a", np.where(rng.random(90) < 0.5, "b", "c"))
    machine = SpikeSlabClassifier("posterior").fit(X, y)
    assert machine.inclusion_by_class_[0, 0] > 0.95
    np.testing.assert_allclose(machine.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("inference", ["single-effects", "gibbs"])
def test_other_engines_have_no_average(inference):
    with pytest.raises(ValueError, match="expected_features='posterior' needs inference='ep'"):
        SpikeSlabClassifier("posterior", inference=inference).fit(np.eye(6), [0, 1] * 3)


@pytest.mark.parametrize("value", [-0.1, 1.0, "half"])
def test_wrong_probabilities_of_no_signal_are_named(genes, value):
    with pytest.raises((TypeError, ValueError), match="no_signal"):
        SpikeSlabClassifier(no_signal=value).fit(*genes)


@pytest.mark.parametrize("network", [sparse.csr_matrix(np.ones((20, 20))), np.ones((20, 20)), [np.arange(4)]])
def test_machines_with_a_network_are_saved(network, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 20))
    machine = SpikeSlabClassifier(4, network=network).fit(X, X[:, 0] > 0)
    save(machine, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(X), machine.predict_proba(X))
    np.testing.assert_array_equal(
        again.fit(X, X[:, 0] > 0).inclusion_probabilities_, machine.inclusion_probabilities_
    )
