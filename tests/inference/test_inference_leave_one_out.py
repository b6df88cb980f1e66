"""Leave-one-out moments against refits without the observation."""

import numpy as np
import pytest

from pauca.inference import exact, gaussian_posterior, laplace, leave_one_out
from pauca.likelihoods import Gaussian, Logit
from pauca.priors import ARD

SEEDS = pytest.mark.parametrize("seed", range(3))


def problem(seed, n=18, m=5):
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(n), rng.normal(size=(n, m - 1))])
    y = Phi @ rng.normal(size=m) + 0.4 * rng.normal(size=n)
    return Gaussian(4.0), ARD(10.0 ** rng.uniform(-2, 1, size=m)), Phi, y, rng.uniform(0.3, 3, size=n)


def refit(likelihood, prior, Phi, y, weights, n, left_out):
    """Latent moments of row n from the other rows, without the columns ``left_out``."""
    others, columns = np.arange(len(y)) != n, np.setdiff1d(np.arange(Phi.shape[1]), left_out)
    part = Phi[others][:, columns]
    posterior = exact(likelihood, ARD(prior.precision[columns]), part, y[others], weights[others])
    return [moment[0] for moment in posterior.latent(Phi[n : n + 1, columns])]


@SEEDS
def test_exact_regression(seed):
    arguments = problem(seed)
    expected = np.transpose([refit(*arguments, n, []) for n in range(len(arguments[3]))])
    found = leave_one_out(arguments[2], exact(*arguments))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@SEEDS
def test_exact_regression_without_own_columns(seed):
    arguments = problem(seed)
    n_rows, n_columns = arguments[2].shape
    own = np.full(n_rows, -1)
    own[np.random.default_rng(seed).permutation(n_rows)[: n_columns - 1]] = np.arange(1, n_columns)
    expected = np.transpose([refit(*arguments, n, [own[n]] if own[n] >= 0 else []) for n in range(n_rows)])
    found = leave_one_out(arguments[2], exact(*arguments), own)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)
    plain = leave_one_out(arguments[2], exact(*arguments))
    np.testing.assert_allclose(found[0][own < 0], plain[0][own < 0], rtol=1e-12)
    assert (np.abs(found[0] - plain[0])[own >= 0] > 1e-6).all()


def test_no_owner_is_the_ordinary_estimate():
    arguments = problem(4)
    plain = leave_one_out(arguments[2], exact(*arguments))
    nobody = leave_one_out(arguments[2], exact(*arguments), np.full(len(arguments[3]), -1))
    np.testing.assert_array_equal(plain, nobody)


def test_one_column_may_have_several_owners():
    arguments = problem(5)
    own = np.where(np.arange(18) < 4, 2, -1)
    found = leave_one_out(arguments[2], exact(*arguments), own)
    expected = np.transpose([refit(*arguments, n, [2] if n < 4 else []) for n in range(18)])
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


@SEEDS
def test_laplace_at_fixed_sites(seed):
    _, prior, Phi, y, weights = problem(seed)
    posterior = laplace(Logit(), prior, Phi, np.sign(y), weights, tol=1e-16)
    b, e = posterior.sites.precision, posterior.sites.residual
    natural = b * (Phi @ posterior.mean) + e
    found = leave_one_out(Phi, posterior)
    for n in range(len(y)):
        others = np.arange(len(y)) != n
        mean, factor = gaussian_posterior(Phi[others], b[others], natural[others], prior.precision)
        np.testing.assert_allclose(found[0][n], Phi[n] @ mean, atol=1e-6)
        var = np.sum(np.linalg.solve(factor, Phi[n]) ** 2)
        np.testing.assert_allclose(found[1][n], var, rtol=1e-8)


def test_a_row_that_decides_a_weight_alone_stays_finite():
    Phi = np.column_stack([np.ones(5), np.eye(5)[:, 2]])
    arguments = (Gaussian(1e9), ARD(np.array([1.0, 1e-12])), Phi, np.arange(5.0), np.ones(5))
    mean, var = leave_one_out(Phi, exact(*arguments))
    assert np.isfinite(mean).all()
    assert (var >= 0).all()
