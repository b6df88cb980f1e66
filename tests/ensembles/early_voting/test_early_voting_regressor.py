"""Early stopping of regressors: both rules by simulation, the estimator beside scikit-learn's means."""

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.ensemble import BaggingRegressor, ExtraTreesRegressor, RandomForestRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import InstancePrunedRegressor
from pauca.datasets import make_friedman1
from pauca.ensembles.early_voting.mean_rules import mean_rule
from pauca.ensembles.early_voting.tally import evaluate_members
from pauca.ensembles.early_voting.value_tally import ValueTally

X, Y = make_friedman1(900, random_state=0)


@pytest.fixture(scope="module")
def trees():
    return RandomForestRegressor(200, max_features=0.5, random_state=0).fit(X[:300], Y[:300])


def stopped(values, confidence, rule, tolerance, ranges=1.0):
    """Mean and members seen of each row of values, whose columns are members in random order."""
    n_members = values.shape[1]
    rule = (*mean_rule(n_members, confidence, rule), np.array([ranges]), np.array([tolerance]))
    answers = [lambda rows, j=j: values[rows, j : j + 1] for j in range(n_members)]
    tally = evaluate_members(ValueTally(len(values), rule), answers, np.arange(len(values)))
    return tally.totals[:, 0] / tally.queries, tally.queries


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("n_members", [100, 1000])
def test_student_rule_covers_normal_members(confidence, n_members):
    values = np.random.default_rng(0).normal(size=(4000, n_members))
    mean, queries = stopped(values, confidence, "t", 0.2)
    covered = np.mean(np.abs(mean - values.mean(axis=1)) <= 0.2)
    assert covered >= confidence - 0.02
    assert queries.mean() < 0.9 * n_members


def test_student_rule_is_the_interval_of_a_finite_population():
    spread, fixed = mean_rule(50, 0.9, "t")
    assert spread[20] == pytest.approx(student.ppf(0.95, 19) * np.sqrt((1 - 20 / 50) / 20))
    assert np.isinf(spread[:8]).all()
    assert spread[50] == 0
    assert not fixed.any()


@pytest.mark.parametrize("kind", ["two points", "one outlier", "uniform"])
def test_bernstein_rule_covers_any_members(kind):
    rng, shape = np.random.default_rng(1), (600, 3000)
    values = {
        "two points": rng.random(shape) < 0.02,
        "one outlier": np.eye(1, 3000) + np.zeros(shape),
        "uniform": rng.random(shape) * 0.3,
    }[kind].astype(float)
    values = rng.permuted(values, axis=1)
    mean, queries = stopped(values, 0.9, "bernstein", 0.05)
    assert np.mean(np.abs(mean - values.mean(axis=1)) <= 0.05) >= 0.9
    assert queries.max() < 3000


def test_bernstein_rule_is_the_published_inequality():
    spread, fixed = mean_rule(1000, 0.9, "bernstein")
    looks = np.flatnonzero(np.isfinite(spread))[:-1]
    seen = int(looks[len(looks) // 2])
    delta = 0.1 / len(looks) / 2 / 5  # two sides, and the five events of theorem 4
    left = 1 - (seen - 1) / 1000 if seen <= 500 else (1 - seen / 1000) * (1 + 1 / seen)
    assert spread[seen] == pytest.approx(np.sqrt(2 * left * np.log(1 / delta) / seen))
    assert fixed[seen] == pytest.approx((7 / 3 + 3 / np.sqrt(2)) * np.log(1 / delta) / seen)


@pytest.mark.parametrize("rule", ["t", "bernstein"])
def test_certainty_evaluates_all_members(trees, rule):
    ours = InstancePrunedRegressor(trees, 0.1, 1.0, rule=rule)
    mean, queries = ours.predict(X[300:], return_queries=True)
    np.testing.assert_allclose(mean, trees.predict(X[300:]))
    assert (queries == 200).all()


@pytest.mark.parametrize("share", [0.1, 0.2])
def test_means_lie_within_the_tolerance(trees, share):
    ours = InstancePrunedRegressor(trees, share * Y.std(), 0.9, random_state=0)
    mean, queries = ours.predict(X[300:], return_queries=True)
    inside = np.abs(mean - trees.predict(X[300:])) <= share * Y.std()
    assert inside.mean() >= 0.85
    assert queries.mean() < 120
    singly = [ours.predict(row[None].copy())[0] for row in X[300:340]]
    np.testing.assert_allclose(singly, mean[:40])


def test_default_tolerance_is_a_twentieth_of_the_spread_of_the_targets(trees):
    assert InstancePrunedRegressor(trees).tolerance_ == pytest.approx(Y[:300].std() / 20, rel=0.05)
    ours = InstancePrunedRegressor(ExtraTreesRegressor(5)).fit(X, Y)
    assert ours.tolerance_ == pytest.approx(Y.std() / 20)


def test_members_of_any_kind_and_several_targets():
    bagging = BaggingRegressor(KNeighborsRegressor(), 60, max_samples=0.3, random_state=0)
    ours = InstancePrunedRegressor(bagging, 0.6, random_state=0).fit(X[:300], Y[:300])
    mean, queries = ours.predict(X[300:], return_queries=True)
    assert np.mean(np.abs(mean - ours.ensemble_.predict(X[300:])) <= 0.6) > 0.9
    assert queries.mean() < 50
    targets = np.column_stack([Y, 3 * Y])
    ours = InstancePrunedRegressor(RandomForestRegressor(60), 1.0, 1.0).fit(X[:300], targets[:300])
    np.testing.assert_allclose(ours.predict(X[300:]), ours.ensemble_.predict(X[300:]))


def test_missing_values_and_changed_arguments(trees):
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    forest = RandomForestRegressor(30, random_state=0).fit(holes[:300], Y[:300])
    ours = InstancePrunedRegressor(forest, 0.1, 1.0)
    np.testing.assert_allclose(ours.predict(holes[300:]), forest.predict(holes[300:]))
    few = ours.set_params(tolerance=5.0, confidence=0.9).predict(X, return_queries=True)[1]
    assert few.max() < 30


def test_tolerance_for_a_share_of_the_members(trees):
    """The interval of a sample without replacement, by draws; with that tolerance the share is asked."""
    values = np.stack([tree.predict(X[300:340].astype(np.float32)) for tree in trees.estimators_])
    rng, gaps = np.random.default_rng(0), []
    for _ in range(400):
        gaps.append(np.abs(values[rng.permutation(200)[:40]].mean(axis=0) - values.mean(axis=0)))
    fast = InstancePrunedRegressor(trees, confidence=0.9, random_state=0)
    tolerance = fast.tolerance_for(X[300:340])[0]
    assert tolerance == pytest.approx(np.quantile(gaps, 0.9), rel=0.15)
    asked = fast.set_params(tolerance=tolerance).predict(X[300:340], return_queries=True)[1]
    assert 0.7 * 40 < asked.mean() < 1.3 * 40
    with pytest.raises(ValueError, match="confidence must be below 1"):
        InstancePrunedRegressor(trees, 1.0, 1.0).tolerance_for(X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tolerance": 0.0}, "tolerance"),
        ({"rule": "normal"}, "rule"),
        ({"confidence": 0.2}, "confidence"),
        ({"ensemble": KNeighborsRegressor()}, "ensemble must be a RandomForestRegressor"),
        ({"ensemble": BaggingRegressor(KNeighborsRegressor()), "rule": "bernstein"}, "needs decision trees"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        InstancePrunedRegressor(**arguments).fit(X[:50], Y[:50])


@parametrize_with_checks([InstancePrunedRegressor(RandomForestRegressor(11, random_state=0), random_state=0)])
def test_estimator_checks(estimator, check):
    check(estimator)
