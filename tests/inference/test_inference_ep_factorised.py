"""Factorised expectation propagation against the thesis's formulas, quadrature and Gaussian answers."""

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr
from scipy.stats import norm

from pauca.inference.ep import Observations, cavity, factorised, log_scale
from pauca.inference.ep.wide.factorised import SCHEDULES, _converge, _Sites
from pauca.numerics import log_gaussian_expectation
from pauca.priors import SpikeSlab


def problem(n=12, d=5, seed=0, dtype=float):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.normal(size=(n, d - 1))]).astype(dtype)
    y = np.where(X[:, 1] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    return Observations(X, y, np.ones(n))


def prior(d, rho, **arguments):
    return SpikeSlab(np.append(1.0, np.full(d - 1, rho)), **arguments)


def thesis(observations, rho, slab, n_sweeps):
    """The algorithm as printed: (7.12)-(7.46) with means and variances, rows in turn."""
    X, (n, d) = observations.X * observations.y[:, None], observations.X.shape
    v_sites, m_sites = np.full((n, d), np.inf), np.zeros((n, d))
    v_prior, m_prior, p = rho * slab, np.zeros(d), rho.copy()
    for _ in range(n_sweeps):
        for i in range(n):
            nu = 1 / (1 / v_prior + (1 / v_sites).sum(axis=0))
            mu = nu * (m_prior / v_prior + (m_sites / v_sites).sum(axis=0))
            nu_c = 1 / (1 / nu - 1 / v_sites[i])
            mu_c = nu_c * (mu / nu - m_sites[i] / v_sites[i])
            c = X[i] @ (nu_c * X[i]) + 1
            z = X[i] @ mu_c / np.sqrt(c)
            alpha = norm.pdf(z) / (norm.cdf(z) * np.sqrt(c))
            mu_new = mu_c + alpha * nu_c * X[i]
            v_sites[i] = c / (alpha * (X[i] @ mu_new + alpha)) / X[i] ** 2 - nu_c
            m_sites[i] = mu_c + alpha * (v_sites[i] + nu_c) * X[i]
        nu_c = 1 / (1 / v_sites).sum(axis=0)
        mu_c = nu_c * (m_sites / v_sites).sum(axis=0)
        g1, g0 = norm.pdf(0, mu_c, np.sqrt(nu_c + slab)), norm.pdf(0, mu_c, np.sqrt(nu_c))
        Z = rho * g1 + (1 - rho) * g0
        c1 = -(rho * g1 * mu_c / (nu_c + slab) + (1 - rho) * g0 * mu_c / nu_c) / Z
        c2 = rho * g1 * (mu_c**2 / (nu_c + slab) ** 2 - 1 / (nu_c + slab))
        c2 = (c2 + (1 - rho) * g0 * (mu_c**2 / nu_c**2 - 1 / nu_c)) / (2 * Z)
        v_prior = 1 / (c1**2 - 2 * c2) - nu_c
        m_prior = mu_c + c1 * (v_prior + nu_c)
        p = rho * g1 / Z
    nu = 1 / (1 / v_prior + (1 / v_sites).sum(axis=0))
    return p, nu * (m_prior / v_prior + (m_sites / v_sites).sum(axis=0)), nu


@pytest.mark.parametrize(("rho", "slab", "seed"), [(0.2, 1.0, 0), (0.5, 2.0, 1), (1.0, 1.0, 2)])
def test_formulas_of_the_thesis(rho, slab, seed):
    observations = problem(seed=seed)
    expected = thesis(observations, np.append(1.0, np.full(4, rho)), slab, 200)
    found = factorised(observations, prior(5, rho, slab=slab), tol=1e-12, max_iter=1000)
    assert found.converged
    for ours, theirs in zip((found.inclusion, found.mean, found.var), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9)


def test_gaussian_prior_has_probability_one():
    found = factorised(problem(), prior(5, 1.0), tol=1e-10)
    np.testing.assert_array_equal(found.inclusion, 1.0)


def test_one_row_says_nothing_about_the_model():
    observations = Observations(np.array([[1.0, 2.0]]), np.array([1.0]), np.ones(1))
    assert factorised(observations, prior(2, 1.0)).log_evidence == pytest.approx(np.log(0.5))
    assert factorised(observations, prior(2, 0.3)).log_evidence == pytest.approx(np.log(0.5), abs=0.03)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_evidence_is_that_of_the_sites(noise):
    observations = problem()._replace(noise=noise, weights=np.linspace(0.5, 2, 12))
    sites = _Sites(observations, prior(5, 0.3))
    for _ in range(30):
        sites.update_rows()
        sites.update_prior(0.5)
    precision, shift = sites.precision.sum(axis=0), sites.shift.sum(axis=0)
    var = 1 / (precision + sites.prior_precision)
    mean = var * (shift + sites.prior_shift)
    total = sites._prior.log_normaliser(precision, shift)
    for x, y, weight, own, own_shift in zip(
        observations.X, observations.y, observations.weights, sites.precision, sites.shift, strict=True
    ):
        m, v = cavity(mean, var, own, own_shift)
        total += np.sum(log_scale(0.0, own, own_shift, m, v))
        total += log_gaussian_expectation(lambda f: weight * _log_prob(y, f, noise), x @ m, x**2 @ v)  # noqa: B023
    assert sites.summary()[1] == pytest.approx(total, abs=1e-6)


def _log_prob(y, f, noise):
    return log_ndtr(y * f) if noise == 0 else norm.logpdf(y, f, np.sqrt(noise))


@pytest.mark.parametrize("weight", [0.2, 1.0, 3.7, 50.0])
@pytest.mark.parametrize(("mean", "var"), [(0.3, 0.5), (-4.0, 9.0), (6.0, 0.01), (-30.0, 2.0)])
def test_powers_of_the_probit_by_finite_differences(weight, mean, var):
    from pauca.inference.ep.wide.factorised_sweep import tilt

    def log_z(m):
        grid = np.linspace(-60, 60, 400_001)
        logs = weight * log_ndtr(grid) + norm.logpdf(grid, m, np.sqrt(var))
        return logs.max() + np.log(np.sum(np.exp(logs - logs.max())) * (grid[1] - grid[0]))

    h = 1e-3
    below, here, above = (log_z(mean + step) for step in (-h, 0, h))
    slope, curvature = (above - below) / (2 * h), -(above - 2 * here + below) / h**2
    np.testing.assert_allclose(
        tilt(1.0, mean, var, weight, 0.0), (here, slope, curvature), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(tilt(-1.0, -mean, var, weight, 0.0)[1], -slope, rtol=1e-5, atol=1e-6)


def test_gaussian_noise_and_prior_have_the_means_of_ridge_regression():
    rng = np.random.default_rng(0)
    X, y, noise = rng.normal(size=(20, 6)), rng.normal(size=20), 0.4
    weights = rng.uniform(0.5, 2, size=20)
    found = factorised(Observations(X, y, weights, noise), SpikeSlab(np.ones(6)), tol=1e-12, max_iter=2000)
    precision = np.eye(6) + (X.T * weights) @ X / noise
    np.testing.assert_allclose(found.mean, np.linalg.solve(precision, X.T @ (weights * y) / noise), rtol=1e-6)


def test_orthogonal_features_with_gaussian_noise_are_exact():
    X, y, noise, rho = np.eye(4), np.array([0.1, -1.5, 3.0, 0.6]), 0.5, 0.3
    found = factorised(Observations(X, y, np.ones(4), noise), SpikeSlab(np.full(4, rho)), tol=1e-12)
    slab, spike = rho * norm.pdf(y, 0, np.sqrt(1 + noise)), (1 - rho) * norm.pdf(y, 0, np.sqrt(noise))
    np.testing.assert_allclose(found.inclusion, slab / (slab + spike), rtol=1e-10)
    assert found.log_evidence == pytest.approx(np.log(slab + spike).sum())


def test_single_precision_gives_the_same():
    double = factorised(problem(30, 200), prior(200, 0.05), tol=1e-4)
    single = factorised(problem(30, 200, dtype=np.float32), prior(200, 0.05), tol=1e-4)
    np.testing.assert_allclose(single.inclusion, double.inclusion, atol=1e-4)
    assert single.log_evidence == pytest.approx(double.log_evidence, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_nearly_collinear_features_converge(seed):
    rng = np.random.default_rng(seed)
    X = np.cumsum(rng.normal(size=(80, 400)), axis=1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = np.where(X[:, 100] + 0.8 * X[:, 300] + 0.5 * rng.normal(size=80) > 0, 1.0, -1.0)
    observations = Observations(np.column_stack([np.ones(80), X]), y, np.ones(80))
    found = factorised(observations, prior(401, 0.08))
    assert found.converged
    assert (found.var > 0).all()


@pytest.mark.parametrize("other", SCHEDULES[1:], ids=lambda schedule: schedule.name)
def test_all_schedules_find_the_same_where_no_precision_is_negative(other):
    observations, weak = problem(20, 6, seed=4), prior(6, 0.5, slab=0.3)
    damped, cut = (_converge(observations, weak, schedule, 1e-9, 500) for schedule in (SCHEDULES[0], other))
    assert damped.converged
    assert cut.converged
    np.testing.assert_allclose(cut.inclusion, damped.inclusion, atol=1e-6)
    assert cut.log_evidence == pytest.approx(damped.log_evidence, abs=1e-6)


def test_unsettled_sites_say_so():
    found = factorised(problem(), prior(5, 0.3), max_iter=1)
    assert not found.converged
    assert np.isfinite(found.log_evidence)


def test_probabilities_with_one_feature_against_quadrature():
    x, y, rho = np.array([0.5, -1.2, 2.0, 0.3]), np.array([1.0, -1.0, 1.0, 1.0]), 0.4
    found = factorised(Observations(x[:, None], y, np.ones(4)), SpikeSlab(np.array([rho])), tol=1e-10)
    w = np.linspace(-12, 12, 20_001)
    slab = rho * np.sum(ndtr(np.outer(w, x * y)).prod(axis=1) * norm.pdf(w)) * (w[1] - w[0])
    spike = (1 - rho) * 0.5**4
    assert found.inclusion[0] == pytest.approx(slab / (slab + spike), abs=0.06)
    assert found.log_evidence == pytest.approx(np.log(slab + spike), abs=0.07)
