"""Several targets, and fits that start where the last one ended."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone

from pauca import SparseGPRegressor, load, save


def two_targets(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 2))
    noise = rng.normal(size=(n, 2)) * [0.1, 0.5]
    return X, np.column_stack([np.sin(X[:, 0]), 2 * X[:, 1] + 5]) + noise


@pytest.fixture(scope="module")
def fitted():
    X, Y = two_targets()
    return SparseGPRegressor().fit(X, Y), [SparseGPRegressor().fit(X, y) for y in Y.T], X, Y


def test_each_target_has_a_machine_of_its_own(fitted):
    both, singles, X, Y = fitted
    new = X[:7] + 0.1
    for found, parts in (
        (both.predict(new), [each.predict(new) for each in singles]),
        (both.novelty(new), [each.novelty(new) for each in singles]),
        (both.predict(new, return_cov=True)[1], [each.predict(new, return_cov=True)[1] for each in singles]),
        *zip(
            both.predict_uncertainty(new),
            zip(*(each.predict_uncertainty(new) for each in singles), strict=True),
            strict=True,
        ),
    ):
        np.testing.assert_allclose(found, np.stack(parts, axis=-1), rtol=1e-9)
    assert both.score(X, Y) == pytest.approx(
        np.mean([m.score(X, y) for m, y in zip(singles, Y.T, strict=True)])
    )
    np.testing.assert_allclose(
        both.feature_importances_, np.mean([each.feature_importances_ for each in singles], axis=0)
    )
    assert [type(each) for each in both.predict_distribution(new)] == [
        type(each.predict_distribution(new)) for each in singles
    ]


def test_draws_of_targets_are_independent(fitted):
    both, _, X, _ = fitted
    draws = both.sample_y(X[:3], 2000)
    assert draws.shape == (3, 2, 2000)
    np.testing.assert_allclose(draws.mean(axis=2), both.predict(X[:3]), atol=0.1)
    assert np.abs(stats.pearsonr(*draws[0]).statistic) < 0.08


def test_what_belongs_to_one_target_says_so(fitted, tmp_path):
    both, _, X, Y = fitted
    with pytest.raises(AttributeError, match="kernel_ belongs to one target; take it from one of the 2"):
        both.kernel_  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'kernel_'"):
        SparseGPRegressor().kernel_  # noqa: B018
    with pytest.raises(ValueError, match="call update of each in targets_"):
        both.update(X, Y[:, 0])
    with pytest.raises(ValueError, match="export each one in targets_"):
        both.compiled()
    save(both, tmp_path / "model.pauca")
    np.testing.assert_array_equal(load(tmp_path / "model.pauca").predict(X), both.predict(X))


def test_a_fit_forgets_the_targets_of_the_last_one():
    X, Y = two_targets(30)
    machine = SparseGPRegressor("rbf").fit(X, Y)
    machine.fit(X, Y[:, 0])
    assert not hasattr(machine, "targets_")
    np.testing.assert_allclose(machine.predict(X), SparseGPRegressor("rbf").fit(X, Y[:, 0]).predict(X))
    machine.fit(X, Y)
    assert machine.predict(X).shape == (30, 2)
    assert not hasattr(machine, "relevance_")
    weighted = clone(machine).fit(X, Y, np.arange(30.0))
    expected = SparseGPRegressor("rbf").fit(X, Y[:, 1], np.arange(30.0)).predict(X)
    np.testing.assert_allclose(weighted.predict(X)[:, 1], expected)


def test_counts_of_several_kinds():
    X, Y = two_targets(40)
    counts = np.random.default_rng(0).poisson(np.exp(np.clip(Y, -1, 2)))
    exposure = np.linspace(1, 2, 40)
    both = SparseGPRegressor("rbf", likelihood="poisson").fit(X, counts, exposure=exposure)
    one = SparseGPRegressor("rbf", likelihood="poisson").fit(X, counts[:, 1], exposure=exposure)
    found = both.predict(X, return_std=True, exposure=exposure)
    expected = one.predict(X, return_std=True, exposure=exposure)
    for each, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(each[:, 1], other)


@pytest.mark.parametrize("likelihood", ["gaussian", "poisson"])
def test_a_warm_start_climbs_from_the_last_hyperparameters(likelihood):
    X, Y = two_targets(60)
    y = Y[:, 0] if likelihood == "gaussian" else np.random.default_rng(0).poisson(np.exp(Y[:, 0]))
    cold = SparseGPRegressor(likelihood=likelihood).fit(X, y)
    warm = SparseGPRegressor(likelihood=likelihood, warm_start=True).fit(X, y)
    np.testing.assert_array_equal(warm.predict(X), cold.predict(X))
    warm.fit(X, y)
    assert len(warm.trials_) == 1
    assert warm.kernel_.name == cold.kernel_.name
    assert warm.log_evidence_ >= cold.log_evidence_ - 0.01
    np.testing.assert_allclose(warm.predict(X), cold.predict(X), atol=0.02 * np.ptp(y))
    # Other rows of the same kind: one climb finds nearly what a search does.
    more, targets = two_targets(60, seed=1)
    other = (
        targets[:, 0] if likelihood == "gaussian" else np.random.default_rng(1).poisson(np.exp(targets[:, 0]))
    )
    searched = SparseGPRegressor(likelihood=likelihood).fit(more, other)
    assert warm.fit(more, other).log_evidence_ > searched.log_evidence_ - 3


def test_a_warm_start_searches_where_the_last_fit_does_not_serve():
    X, Y = two_targets(40)
    warm = SparseGPRegressor("rbf", warm_start=True).fit(X, Y[:, 0])
    assert len(warm.fit(X[:, :1], Y[:, 0]).trials_) > 1
    assert len(warm.set_params(kernel="matern32").fit(X[:, :1], Y[:, 0]).trials_) > 1
    assert warm.kernel_.name == "matern32"
    assert len(warm.fit(X[:, :1], Y[:, 0]).trials_) == 1
    both = SparseGPRegressor("rbf", warm_start=True).fit(X, Y).fit(X, Y)
    assert [len(each.trials_) for each in both.targets_] == [1, 1]
