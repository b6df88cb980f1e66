"""The exact engine against the dense Gaussian over the observations."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from pauca.inference import exact, gaussian_posterior, latent_moments
from pauca.inference.posterior import log_integral
from pauca.likelihoods import Gaussian
from pauca.priors import ARD

SEEDS = pytest.mark.parametrize("seed", range(4))


def problem(seed, n=25, m=5):
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(n), rng.normal(size=(n, m - 1))])
    y = Phi @ rng.normal(size=m) + 0.4 * rng.normal(size=n)
    return Gaussian(10.0 ** rng.uniform(-1, 2)), ARD(10.0 ** rng.uniform(-3, 2, size=m)), Phi, y, rng


def dense_log_evidence(tau, alpha, Phi, y, weights):
    """log N(y | 0, diag(1 / τc) + Φ A⁻¹ Φᵀ) + Σ [½ c log(τ / 2π) − ½ log(τc / 2π)], c the weights."""
    covariance = np.diag(1 / (tau * weights)) + (Phi / alpha) @ Phi.T
    surplus = 0.5 * weights * np.log(tau / (2 * np.pi)) - 0.5 * np.log(tau * weights / (2 * np.pi))
    return multivariate_normal(np.zeros(len(y)), covariance).logpdf(y) + surplus.sum()


def check_log_evidence(likelihood, prior, Phi, y, weights):
    posterior = exact(likelihood, prior, Phi, y, weights)
    dense = dense_log_evidence(likelihood.precision, prior.precision, Phi, y, weights)
    np.testing.assert_allclose(posterior.log_evidence, dense, rtol=1e-8)


@SEEDS
@pytest.mark.parametrize("m", [1, 5, 40])
def test_log_evidence(seed, m):
    likelihood, prior, Phi, y, _ = problem(seed, m=m)
    check_log_evidence(likelihood, prior, Phi, y, np.ones(len(y)))


@SEEDS
def test_log_evidence_with_weights(seed):
    likelihood, prior, Phi, y, rng = problem(seed)
    check_log_evidence(likelihood, prior, Phi, y, rng.uniform(0.1, 4, size=len(y)))


@SEEDS
def test_posterior_against_dense_inverse(seed):
    likelihood, prior, Phi, y, rng = problem(seed)
    weights = rng.uniform(0.1, 4, size=len(y))
    posterior = exact(likelihood, prior, Phi, y, weights)
    b = weights * likelihood.precision
    covariance = np.linalg.inv(np.diag(prior.precision) + Phi.T @ np.diag(b) @ Phi)
    np.testing.assert_allclose(posterior.mean, covariance @ Phi.T @ (b * y), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(posterior.variances, np.diag(covariance), rtol=1e-9)
    new = rng.normal(size=(7, Phi.shape[1]))
    mean, var = posterior.latent(new)
    np.testing.assert_allclose(mean, new @ posterior.mean)
    np.testing.assert_allclose(var, np.diag(new @ covariance @ new.T), rtol=1e-9)


@SEEDS
def test_residual_is_the_dense_solve(seed):
    # e = C⁻¹ y with C = B⁻¹ + Φ A⁻¹ Φᵀ
    likelihood, prior, Phi, y, rng = problem(seed)
    weights = rng.uniform(0.1, 4, size=len(y))
    sites = exact(likelihood, prior, Phi, y, weights).sites
    C = np.diag(1 / (weights * likelihood.precision)) + (Phi / prior.precision) @ Phi.T
    np.testing.assert_allclose(sites.residual, np.linalg.solve(C, y), rtol=1e-7, atol=1e-9)


@SEEDS
def test_gradient_of_the_evidence_in_the_design_matrix(seed):
    # ∂ log Z / ∂Φ = e μᵀ − B Φ Σ
    likelihood, prior, Phi, y, rng = problem(seed, n=9, m=3)
    weights = rng.uniform(0.5, 2, size=len(y))
    posterior = exact(likelihood, prior, Phi, y, weights)
    covariance = np.linalg.inv(posterior.factor @ posterior.factor.T)
    gradient = np.outer(posterior.sites.residual, posterior.mean)
    gradient -= posterior.sites.precision[:, None] * (Phi @ covariance)
    h = 1e-6
    for n, j in np.ndindex(*Phi.shape):
        up, down = Phi.copy(), Phi.copy()
        up[n, j] += h
        down[n, j] -= h
        change = exact(likelihood, prior, up, y, weights).log_evidence
        change -= exact(likelihood, prior, down, y, weights).log_evidence
        np.testing.assert_allclose(gradient[n, j], change / (2 * h), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("gamma", [0.1, 0.7, 3.0])
def test_gradient_of_the_evidence_in_the_kernel_parameter(gamma):
    # Chain rule with ∂Φ/∂γ = −D² ∘ Φ for exp(−γ D²).
    rng = np.random.default_rng(int(10 * gamma))
    x = rng.uniform(-2, 2, size=20)
    squares = np.square(x[:, None] - x[:4])
    y, prior, likelihood, weights = np.sin(2 * x), ARD(np.full(4, 0.5)), Gaussian(20.0), np.ones(20)

    def fit(value):
        return exact(likelihood, prior, np.exp(-value * squares), y, weights)

    posterior, Phi, h = fit(gamma), np.exp(-gamma * squares), 1e-6
    covariance = np.linalg.inv(posterior.factor @ posterior.factor.T)
    by_design = np.outer(posterior.sites.residual, posterior.mean)
    by_design -= posterior.sites.precision[:, None] * (Phi @ covariance)
    change = (fit(gamma + h).log_evidence - fit(gamma - h).log_evidence) / (2 * h)
    np.testing.assert_allclose(np.sum(by_design * -squares * Phi), change, rtol=1e-6)


@SEEDS
def test_gradient_of_the_evidence_in_the_precisions(seed):
    # ∂ log Z / ∂ log α_j = ½ (1 − α_j Σ_jj − α_j μ_j²)
    likelihood, prior, Phi, y, _ = problem(seed)
    weights, h = np.ones(len(y)), 1e-5
    posterior = exact(likelihood, prior, Phi, y, weights)
    alpha = prior.precision
    expected = 0.5 * (1 - alpha * posterior.variances - alpha * posterior.mean**2)
    for j in range(len(alpha)):
        step = np.exp(h * (np.arange(len(alpha)) == j))
        up, down = (
            exact(likelihood, ARD(a), Phi, y, weights).log_evidence for a in (alpha * step, alpha / step)
        )
        np.testing.assert_allclose((up - down) / (2 * h), expected[j], rtol=1e-5, atol=1e-6)


def test_sites_of_zero_precision_say_nothing():
    rng = np.random.default_rng(0)
    Phi, h, alpha = rng.normal(size=(6, 3)), rng.normal(size=6), np.array([1.0, 2.0, 3.0])
    b = np.array([1.0, 0.0, 2.0, 0.0, 0.5, 3.0])
    kept = b > 0
    full = gaussian_posterior(Phi, b, np.where(kept, h, 0.0), alpha)
    part = gaussian_posterior(Phi[kept], b[kept], h[kept], alpha)
    for a, c in zip(full, part, strict=True):
        np.testing.assert_allclose(a, c, rtol=1e-12)


def test_prior_with_a_mean_of_its_own():
    rng = np.random.default_rng(1)
    Phi, h, alpha, eta = (
        rng.normal(size=(6, 3)),
        rng.normal(size=6),
        np.array([1.0, 2.0, 3.0]),
        np.array([1.0, 0, -2]),
    )
    mean, factor = gaussian_posterior(Phi, np.ones(6), h, alpha, eta)
    expected = np.linalg.solve(np.diag(alpha) + Phi.T @ Phi, Phi.T @ h + eta)
    np.testing.assert_allclose(mean, expected, rtol=1e-10)
    np.testing.assert_allclose(latent_moments(np.eye(3), mean, factor)[0], expected, rtol=1e-10)


@SEEDS
def test_start_after_columns_have_left_is_the_posterior_without_them(seed):
    likelihood, prior, Phi, y, _ = problem(seed)
    stays, weights = np.array([True, False, True, True, False]), np.ones(len(y))
    start = exact(likelihood, prior, Phi, y, weights).warm_start(stays, 1)
    without = exact(likelihood, ARD(prior.precision[stays]), Phi[:, stays], y, weights)
    np.testing.assert_allclose(start.mean, [*without.mean, 0.0], rtol=1e-8)


def test_log_integral_of_a_gaussian():
    # Against the density: a normalised Gaussian integrates to one whatever its peak.
    precision = np.cov(np.random.default_rng(1).normal(size=(3, 20))) + np.eye(3)
    peak = multivariate_normal(np.zeros(3), np.linalg.inv(precision)).logpdf(np.zeros(3))
    factor = np.linalg.cholesky(precision)
    np.testing.assert_allclose(log_integral(peak, factor), 0, atol=1e-12)
    # The normaliser of the prior may come with the peak or by its precisions.
    alpha = np.array([0.1, 2.0, 30.0])
    log_prior = ARD(alpha).log_density(np.zeros(3))
    np.testing.assert_allclose(
        log_integral(1.5, factor, alpha), log_integral(1.5 + log_prior, factor), rtol=1e-12
    )
