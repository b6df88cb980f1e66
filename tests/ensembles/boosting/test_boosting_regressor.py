"""Early exit of boosted regressors: certificates by brute force, calibrated bounds that hold."""

import pickle
from importlib import import_module

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca.ensembles import (
    InstancePrunedBoostingClassifier,
    InstancePrunedBoostingRegressor,
    PrunedBoostingRegressor,
)
from pauca.ensembles.boosting import read_boosting
from pauca.ensembles.boosting.bounds import rest_of, router_of
from pauca.ensembles.boosting.pruned.regressor import squared_error

TREES = 20
RNG = np.random.default_rng(0)
X = RNG.normal(size=(900, 5))
Y = X[:, 0] + X[:, 1] ** 2 + 0.3 * RNG.normal(size=900)
COUNTS = RNG.poisson(np.exp(0.5 * X[:, 0] + 0.5)).astype(float)
SCIKIT = {
    "gradient boosting": GradientBoostingRegressor(n_estimators=TREES, random_state=0),
    "huber": GradientBoostingRegressor(n_estimators=TREES, loss="huber", random_state=0),
    "histograms": HistGradientBoostingRegressor(max_iter=TREES),
    "histograms poisson": HistGradientBoostingRegressor(max_iter=TREES, loss="poisson"),
}
_LIGHTGBM = "lightgbm", "LGBMRegressor", {"n_estimators": TREES, "verbose": -1, "n_jobs": 1}
_XGBOOST = "xgboost", "XGBRegressor", {"n_estimators": TREES, "n_jobs": 1}
_CATBOOST = (
    *("catboost", "CatBoostRegressor"),
    {"iterations": TREES, "verbose": 0, "thread_count": 1, "allow_writing_files": False},
)
OTHERS = {
    "lightgbm": (*_LIGHTGBM, {}),
    "lightgbm poisson": (*_LIGHTGBM, {"objective": "poisson"}),
    "lightgbm dart": (*_LIGHTGBM, {"boosting_type": "dart"}),
    "xgboost": (*_XGBOOST, {}),
    "xgboost poisson": (*_XGBOOST, {"objective": "count:poisson"}),
    "catboost": (*_CATBOOST, {}),
    "catboost poisson": (*_CATBOOST, {"loss_function": "Poisson"}),
    "catboost quantile": (*_CATBOOST, {"loss_function": "Quantile:alpha=0.7"}),
}
NAMES = [*SCIKIT, *OTHERS]


def targets(name):
    return COUNTS if "poisson" in name else Y


def fitted(name, rows=slice(None)):
    if name in SCIKIT:
        return clone(SCIKIT[name]).fit(X[rows], targets(name)[rows])
    module, kind, common, options = OTHERS[name]
    pytest.importorskip(module)
    return getattr(import_module(module), kind)(**common, **options).fit(X[rows], targets(name)[rows])


@pytest.mark.parametrize("name", NAMES)
def test_predictions_lie_within_the_tolerance(name):
    model, rows = fitted(name), X[:300]
    whole = model.predict(rows)
    all_trees = InstancePrunedBoostingRegressor(model, 1e-12).predict(rows)
    np.testing.assert_allclose(all_trees, whole, rtol=2e-5, atol=2e-6)
    spread = targets(name).std()
    ours = InstancePrunedBoostingRegressor(model, 0.1 * spread)
    number, queries = ours.predict(rows, return_queries=True)
    assert np.abs(number - all_trees).max() <= 0.1 * spread * (1 + 1e-9)
    assert queries.mean() < TREES
    singly = [ours.predict(row[None].copy(), return_queries=True) for row in rows[:30]]
    np.testing.assert_allclose([each[0][0] for each in singly], number[:30], rtol=1e-12)
    assert [int(each[1][0]) for each in singly] == list(queries[:30])


def test_bounds_hold_for_every_row_and_number_of_trees():
    trees = read_boosting(fitted("gradient boosting")).trees
    router = router_of(trees, 4)
    rest = rest_of(trees, router)
    model, rows = fitted("gradient boosting"), X[:200]
    staged = np.array([trees.base[0] * np.ones(200), *model.staged_predict(rows)])
    left = staged[-1] - staged
    inside = [(rows > low) & (rows <= high) for low, high in zip(router.low, router.high, strict=True)]
    assert np.sum([cell.all(axis=1) for cell in inside[1:]]) == 200
    for cell, bounds in zip(inside, rest, strict=True):
        mine = left[:, cell.all(axis=1)]
        assert (mine >= bounds[:, :1] - 1e-9).all()
        assert (mine <= bounds[:, 1:] + 1e-9).all()
    widths = rest[:, :, 1] - rest[:, :, 0]
    assert (widths[1:] <= widths[0] + 1e-9).all()


def test_bounds_of_the_rows_beyond_the_tolerance_hold_in_most_calibrations():
    rng = np.random.default_rng(1)
    many = rng.normal(size=(12_000, 5))
    rest, queries, broken = many, [], 0
    model = GradientBoostingRegressor(n_estimators=60, random_state=0).fit(X, Y)
    whole = model.predict(rest)
    for start in range(0, 12_000, 600):
        ours = InstancePrunedBoostingRegressor(model, 0.1, 0.95, risk=0.2)
        ours.calibrate(rest[start : start + 600])
        number, n_evaluated = ours.predict(rest, return_queries=True)
        assert 0 < ours.exceedance_bound_ <= 0.05
        broken += np.mean(np.abs(number - whole) > 0.1) > ours.exceedance_bound_
        queries.append(n_evaluated.mean())
    assert broken <= binom.ppf(0.999, 20, 0.2)
    exact = InstancePrunedBoostingRegressor(model, 0.1).predict(rest, return_queries=True)[1].mean()
    assert np.mean(queries) < 0.95 * exact


def test_calibration_on_the_scale_of_counts():
    model = fitted("histograms poisson", slice(400))
    ours = InstancePrunedBoostingRegressor(model, 0.2, 0.9).calibrate(X[400:700])
    number, queries = ours.predict(X[700:], return_queries=True)
    assert np.mean(np.abs(number - model.predict(X[700:])) <= 0.2) >= 0.9
    assert queries.mean() < TREES
    again = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(again.predict(X), ours.predict(X))


def test_fit_holds_rows_out_and_chooses_the_tolerance():
    ours = InstancePrunedBoostingRegressor(clone(SCIKIT["histograms"]), confidence=0.9, random_state=0)
    ours.fit(X, Y)
    assert ours.tolerance_ == pytest.approx(0.05 * Y.std(), rel=0.1)
    assert 0 < ours.exceedance_bound_ <= 0.1
    with pytest.raises(ValueError, match="calibrate again"):
        ours.set_params(tolerance=0.7).predict(X)


@parametrize_with_checks(
    [
        InstancePrunedBoostingRegressor(
            GradientBoostingRegressor(n_estimators=5, random_state=0), random_state=0
        )
    ]
)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        PrunedBoostingRegressor(
            GradientBoostingRegressor(n_estimators=5, random_state=0), size=3, random_state=0
        )
    ]
)
def test_estimator_checks_of_pruning(estimator, check):
    check(estimator)


def test_errors():
    with pytest.raises(NotFittedError):
        InstancePrunedBoostingRegressor().predict(X)
    with pytest.raises(ValueError, match="tolerance must be a number"):
        InstancePrunedBoostingRegressor(fitted("histograms")).predict(X)
    with pytest.raises(ValueError, match="tolerance"):
        InstancePrunedBoostingRegressor(tolerance=0).fit(X, Y)
    with pytest.raises(ValueError, match="use InstancePrunedBoostingRegressor"):
        InstancePrunedBoostingClassifier(fitted("histograms")).predict(X)
    classifier = GradientBoostingClassifier(n_estimators=2).fit(X, Y > 0)
    with pytest.raises(ValueError, match="use InstancePrunedBoostingClassifier"):
        InstancePrunedBoostingRegressor(classifier, 1.0).predict(X)
    with pytest.raises(ValueError, match="gradient boosting model"):
        InstancePrunedBoostingRegressor(AdaBoostRegressor(n_estimators=2).fit(X, Y), 1.0).predict(X)
    for kind in (InstancePrunedBoostingRegressor, PrunedBoostingRegressor):
        error = TypeError if kind is InstancePrunedBoostingRegressor else ValueError
        with pytest.raises(error, match=r"ensemble must be .* got (3|int)"):
            kind(3).fit(X, Y)
        with pytest.raises(ValueError, match="y must hold numbers"):
            kind(HistGradientBoostingRegressor(max_iter=2)).fit(X, np.where(Y > 0, "a", "b"))


def test_pruning_of_targets_beyond_numbers_and_of_an_exact_fit():
    with pytest.raises(ValueError, match="y has entries beyond"):
        PrunedBoostingRegressor().fit(X[:50], Y[:50] * 1e300)
    y = np.where(np.arange(50) == 0, 300.0, 1e-40 * Y[:50])
    exact = GradientBoostingRegressor(learning_rate=1.0, max_depth=None, n_estimators=3, random_state=0)
    model = exact.fit(X[:50], y)
    few = PrunedBoostingRegressor(model, size=2).fit(X[:50], y)
    np.testing.assert_allclose(few.predict(X[:50]), y, atol=1e-9)


@pytest.mark.parametrize("name", ["gradient boosting", "histograms poisson"])
def test_pruned_rounds_lose_little(name):
    model, y = fitted(name, slice(300)), targets(name)
    few = PrunedBoostingRegressor(model, size=0.5).fit(X[300:600], y[300:600])
    assert len(few.selected_) == len(set(few.selected_)) == TREES // 2
    assert (few.weights_ >= 0).all()
    error = np.sqrt(np.mean((few.predict(X[600:]) - y[600:]) ** 2))
    assert error < 1.03 * np.sqrt(np.mean((model.predict(X[600:]) - y[600:]) ** 2))
    assert few.loss_[0] == pytest.approx(np.sqrt(np.mean((model.predict(X[300:600]) - y[300:600]) ** 2)))
    assert few.loss_[1] == pytest.approx(np.sqrt(np.mean((few.predict(X[300:600]) - y[300:600]) ** 2)))


def test_all_rounds_without_freedom_are_the_ensemble():
    model = fitted("gradient boosting")
    whole = PrunedBoostingRegressor(model, size=1.0, penalty=1e9).fit(X, Y)
    np.testing.assert_allclose(whole.predict(X), model.predict(X), atol=1e-4)


@pytest.mark.parametrize("name", ["gradient boosting", "histograms poisson"])
def test_derivatives_of_the_squared_error(name):
    model, y = read_boosting(fitted(name)), targets(name)[:4]
    scores, step = RNG.normal(size=(4, 1)), 1e-6
    gradient = squared_error(model, scores, y, 0.7)[1]
    for row in range(4):
        moved = scores + step * (np.arange(4) == row)[:, None]
        change = squared_error(model, moved, y, 0.7)[0] - squared_error(model, scores, y, 0.7)[0]
        assert change / step == pytest.approx(gradient[row, 0], abs=1e-4)
