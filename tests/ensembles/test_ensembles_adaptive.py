"""Forests that choose their size, keep a few trees and ask fewer."""

import warnings

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import AdaptiveForestClassifier, AdaptiveForestRegressor, ensemble_size, grow_until_stable
from pauca.datasets import make_friedman1, make_twonorm
from pauca.ensembles import InstancePrunedClassifier, required_size
from pauca.ensembles.adaptive.regressor import _trees_needed


def test_classifier_is_as_good_as_a_large_forest_with_a_few_of_its_trees():
    X, y = make_twonorm(1500, random_state=0)
    ours = AdaptiveForestClassifier(0.98, random_state=0).fit(X[:300], y[:300])
    labels, queries = ours.predict(X[300:], return_queries=True)
    large = RandomForestClassifier(500, random_state=1).fit(X[:300], y[:300])
    assert 50 <= ours.n_trees_grown_ <= 2000
    assert ours.n_trees_kept_ == max(10, np.ceil(ours.n_trees_grown_ / 2))
    assert queries.mean() < 0.8 * ours.n_trees_kept_
    assert np.mean(labels == y[300:]) > large.score(X[300:], y[300:]) - 0.015
    p = ours.predict_proba(X[300:])
    np.testing.assert_allclose(p.sum(axis=1), 1)


def test_regressor_is_as_good_as_a_large_forest_with_a_few_of_its_trees():
    X, y = make_friedman1(900, random_state=0)
    ours = AdaptiveForestRegressor(tolerance=0.3, random_state=0).fit(X[:300], y[:300])
    mean, queries = ours.predict(X[300:], return_queries=True)
    everything = AdaptiveForestRegressor(tolerance=0.3, keep=1.0, random_state=0).fit(X[:300], y[:300])
    errors = [np.mean(np.square(f - y[300:])) for f in (mean, everything.predict(X[300:]))]
    assert ours.n_trees_grown_ == everything.n_trees_grown_ == everything.n_trees_kept_ > 100
    assert queries.max() <= ours.n_trees_kept_
    assert errors[0] < 1.05 * errors[1]
    assert ours.tolerance_ == 0.3


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_number_of_trees_of_rows_that_all_scatter_alike(confidence):
    expected = int(np.ceil((norm.ppf((1 + confidence) / 2) * 0.7 / 0.1) ** 2))
    assert _trees_needed(np.full(50, 0.7), 0.1, confidence, 5000) == expected


@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_size_by_observed_shares_is_the_printed_sum(confidence):
    shares = np.array([30, 35, 45, 56, 60, 80, 95, 101])
    votes = np.column_stack([shares, 101 - shares])
    size = required_size(votes, confidence, "observed")

    def agreement(n_members):
        larger = np.maximum(votes[:, 0], votes[:, 1]) / 101
        return np.mean(binom.sf(n_members // 2, n_members, larger))

    assert agreement(size) >= confidence > agreement(size - 2)


def test_sizes_of_an_ensemble_by_both_kinds_of_shares():
    X, y = make_twonorm(300, random_state=0)
    forest = RandomForestClassifier(101, random_state=0).fit(X, y)
    interval, observed = (ensemble_size(forest, X, y, shares=kind) for kind in ("interval", "observed"))
    assert interval.size != observed.size
    assert observed.agreement(observed.size) >= 0.99 > observed.agreement(observed.size - 2)
    several = np.array([[50, 44, 7], [90, 8, 3]])
    sizes = [required_size(several, 0.9, kind) for kind in ("interval", "observed")]
    lost = norm.sf(np.sqrt(sizes[1]) * np.array([0.06, 0.43]) / np.sqrt([0.94 - 0.06**2, 0.57 - 0.43**2]))
    assert 1 - lost.sum() / 2 == pytest.approx(0.9, abs=0.02)


def test_growth_that_prunes_votes():
    X, y = make_twonorm(300, random_state=0)
    grown = grow_until_stable(RandomForestClassifier(random_state=0), X, y, 0.95, prune_votes=True)
    assert isinstance(grown, InstancePrunedClassifier)
    assert grown.confidence == 0.95
    assert grown.predict(X, return_queries=True)[1].mean() < grown.n_members_


def test_errors():
    X, y = make_twonorm(50, random_state=0)
    with pytest.raises(ValueError, match="confidence must be below 1"):
        AdaptiveForestClassifier(1.0).fit(X, y)
    with pytest.raises(ValueError, match="tolerance"):
        AdaptiveForestRegressor(tolerance=0).fit(X, y)
    with pytest.raises(ValueError, match="shares must be one of"):
        required_size([[3, 4]], shares="guessed")


@pytest.mark.slow
@parametrize_with_checks(
    [
        AdaptiveForestRegressor(max_trees=12, random_state=0),
        AdaptiveForestClassifier(0.6, max_trees=12, random_state=0),
    ]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_estimator_checks(estimator, check):
    check(estimator)


def test_trees_of_one_row_for_each_class_are_not_refitted(monkeypatch):
    def refused(*arguments):
        raise AssertionError("refitted")

    monkeypatch.setattr("pauca.ensembles.pruning.base.refined", refused)
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(AssertionError, match="refitted"):
        AdaptiveForestClassifier(0.9, max_trees=60, random_state=0).fit(X, X[:, 0] > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = AdaptiveForestClassifier(0.9, max_trees=60, random_state=0).fit(X, np.arange(30))
    assert forest.predict_proba(X).shape == (30, 30)
