"""Expectation propagation with one Gaussian for all weights."""

import numpy as np
import pytest

from pauca.inference.ep import Observations, full_covariance, is_affordable
from pauca.priors import SpikeSlab


def problem(n=30, d=6, seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) + rng.normal(size=(n, 1))
    f = x[:, 0] - x[:, -1] + 0.5 * rng.normal(size=n)
    return Observations(np.column_stack([np.ones(n), x]), f if noise else np.sign(f), np.ones(n), noise)


def prior(d, rho=0.3, **kwargs):
    return SpikeSlab(np.append(1.0, np.full(d, rho)), **kwargs)


def covariance(found):
    """Covariance of the weights, the bias first, from its parts."""
    inner = np.diag(found.spread) - found.shared.T @ found.shared
    cross = -inner @ found.origin
    corner = found.bias_var - found.origin @ cross
    return np.block([[np.atleast_2d(corner), cross[None]], [cross[:, None], inner]])


@pytest.mark.parametrize(("n", "d"), [(8, 5), (5, 8)])
def test_a_gaussian_prior_and_gaussian_noise_are_exact(n, d):
    rows = problem(n, d, noise=0.3)
    found = full_covariance(rows, prior(d, 1.0, slab=0.7), tol=1e-10)
    exact = np.linalg.inv(rows.X.T @ rows.X / 0.3 + np.eye(1 + d) / 0.7)
    np.testing.assert_allclose(covariance(found), exact, rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(found.mean, exact @ rows.X.T @ rows.y / 0.3, rtol=1e-6)
    total = 0.7 * rows.X @ rows.X.T + 0.3 * np.eye(n)
    density = -0.5 * (rows.y @ np.linalg.solve(total, rows.y) + np.linalg.slogdet(2 * np.pi * total)[1])
    assert found.log_evidence == pytest.approx(density)
    assert found.converged


def test_few_rows_and_few_features_are_the_same_algorithm():
    # Features that are zero everywhere change the branch and nothing else.
    few = problem(9, 8, seed=1)
    wide = few._replace(X=np.column_stack([few.X, np.zeros((9, 3))]))
    one = full_covariance(few, prior(8, 0.2), tol=1e-9, max_iter=500)
    other = full_covariance(wide, prior(11, 0.2), tol=1e-9, max_iter=500)
    np.testing.assert_allclose(other.inclusion[:9], one.inclusion, atol=1e-6)
    np.testing.assert_allclose(other.inclusion[9:], 0.2, atol=1e-6)
    np.testing.assert_allclose(covariance(other)[:9, :9], covariance(one), atol=1e-6)
    assert other.log_evidence == pytest.approx(one.log_evidence, abs=1e-6)


def test_weights_are_rows_written_out():
    rows = problem(12, 4, seed=2)
    counts = np.arange(12) % 3 + 1
    weighted = full_covariance(rows._replace(weights=counts.astype(float)), prior(4), tol=1e-9, max_iter=500)
    repeated = Observations(
        np.repeat(rows.X, counts, axis=0), np.repeat(rows.y, counts), np.ones(counts.sum())
    )
    written = full_covariance(repeated, prior(4), tol=1e-9, max_iter=500)
    # One site for equal rows is a better approximation than one for each.
    np.testing.assert_allclose(weighted.inclusion, written.inclusion, atol=0.02)
    assert weighted.log_evidence == pytest.approx(written.log_evidence, abs=0.05)


def test_copies_share_a_weight_whose_sum_is_known():
    rows = problem(40, 2, seed=3)
    rows = rows._replace(X=np.column_stack([rows.X, rows.X[:, 1]]))
    found = full_covariance(rows, prior(3))
    assert found.converged
    np.testing.assert_allclose(found.inclusion[1], found.inclusion[3], atol=1e-3)
    first, last = found.var[[1, 3]]
    # The copies' weights are nearly exchangeable, so that they fall as the other rises.
    assert covariance(found)[1, 3] < -0.5 * np.sqrt(first * last)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-150, 1e6])
def test_hostile_rows_settle_or_say_so(scale):
    rows = problem(10, 20, seed=4)
    found = full_covariance(rows._replace(X=scale * rows.X), prior(20, 1e-6, slab=1e6), max_iter=30)
    assert not found.converged or np.isfinite([found.log_evidence, *found.mean, *found.var]).all()


def test_large_tables_are_not_affordable():
    assert is_affordable(np.empty((100, 9000)))
    assert not is_affordable(np.empty((100, 12_600)))
    assert is_affordable(np.empty((10_000, 50)))
