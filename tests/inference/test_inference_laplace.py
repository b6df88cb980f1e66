"""The Laplace engine against an optimiser, and against integration in two dimensions."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from pauca.inference import WarmStart, laplace
from pauca.likelihoods import Gaussian, Logit, Probit
from pauca.priors import ARD

LIKELIHOODS = pytest.mark.parametrize("likelihood", [Logit(), Logit(1.6), Probit()], ids=str)
SEEDS = pytest.mark.parametrize("seed", range(3))


def problem(seed, n=40, m=2, noise=1.0):
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(n), rng.normal(size=(n, m - 1))])
    y = np.where(Phi @ rng.normal(size=m) + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    return ARD(10.0 ** rng.uniform(-1, 0.5, size=m)), Phi, y, rng.uniform(0.5, 2.0, size=n)


def log_joint(likelihood, prior, Phi, y, weights, w):
    return weights @ likelihood.log_prob(y, Phi @ w) + prior.log_density(w)


@LIKELIHOODS
@SEEDS
def test_mode(likelihood, seed):
    arguments = problem(seed, m=4)
    posterior = laplace(likelihood, *arguments)
    found = minimize(
        lambda w: -log_joint(likelihood, *arguments, w),
        np.zeros(4),
        tol=1e-10,
        method="Nelder-Mead",
        options={"maxiter": 20000, "maxfev": 20000, "xatol": 1e-8, "fatol": 1e-13},
    )
    assert posterior.converged
    np.testing.assert_allclose(posterior.mean, found.x, atol=1e-3)
    assert log_joint(likelihood, *arguments, posterior.mean) >= -found.fun - 1e-7


@LIKELIHOODS
@SEEDS
def test_factor_is_minus_the_hessian_at_the_mode(likelihood, seed):
    arguments = problem(seed)
    posterior = laplace(likelihood, *arguments, tol=1e-14)
    h, hessian = 1e-4, np.empty((2, 2))
    steps = h * np.eye(2)
    for i, j in np.ndindex(2, 2):
        signs = [(a, b) for a in (1, -1) for b in (1, -1)]
        hessian[i, j] = sum(
            a * b * log_joint(likelihood, *arguments, posterior.mean + a * steps[i] + b * steps[j])
            for a, b in signs
        ) / (4 * h**2)
    np.testing.assert_allclose(posterior.factor @ posterior.factor.T, -hessian, rtol=1e-4)


def integrated(likelihood, arguments, posterior):
    """Log evidence and mean by a fine grid over eight standard deviations."""
    root = np.linalg.inv(posterior.factor).T
    axis = np.linspace(-8, 8, 97)
    offsets = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    w = posterior.mean + offsets @ root.T
    prior, Phi, y, weights = arguments
    values = likelihood.log_prob(y, w @ Phi.T) @ weights
    values = values + 0.5 * (np.log(prior.precision / (2 * np.pi)) - prior.precision * w**2).sum(axis=1)
    cell = np.log(abs(np.linalg.det(root)) * (axis[1] - axis[0]) ** 2)
    total = logsumexp(values)
    return total + cell, np.exp(values - total) @ w


@LIKELIHOODS
@SEEDS
def test_log_evidence_against_integration(likelihood, seed):
    arguments = problem(seed)
    posterior = laplace(likelihood, *arguments)
    log_evidence, mean = integrated(likelihood, arguments, posterior)
    # The known error of the approximation on small problems: too low by some 0.2 nats at most.
    assert -0.2 < posterior.log_evidence - log_evidence < 0.02
    assert (np.abs(posterior.mean - mean) < 0.5 * np.sqrt(posterior.variances)).all()


def test_the_integration_is_right_for_gaussian_noise():
    prior, Phi, _, weights = problem(1)
    y = np.random.default_rng(1).normal(size=len(weights))
    posterior = laplace(Gaussian(2.0), prior, Phi, y, weights)
    log_evidence, mean = integrated(Gaussian(2.0), (prior, Phi, y, weights), posterior)
    np.testing.assert_allclose(posterior.log_evidence, log_evidence, rtol=1e-9)
    np.testing.assert_allclose(posterior.mean, mean, rtol=1e-9)


@LIKELIHOODS
def test_the_error_falls_with_the_number_of_rows(likelihood):
    errors = []
    for n in (20, 500):
        arguments = problem(4, n=n)
        posterior = laplace(likelihood, *arguments)
        errors.append(abs(posterior.log_evidence - integrated(likelihood, arguments, posterior)[0]))
    assert errors[1] < 0.2 * errors[0]


@LIKELIHOODS
@pytest.mark.parametrize("start", [0.0, 30.0, -500.0])
def test_far_starts_come_back(likelihood, start):
    arguments = problem(2, m=3)
    far = laplace(likelihood, *arguments, WarmStart(np.full(3, start)))
    near = laplace(likelihood, *arguments)
    assert far.converged
    np.testing.assert_allclose(far.mean, near.mean, atol=1e-3)
    np.testing.assert_allclose(far.log_evidence, near.log_evidence, atol=5e-4)


@LIKELIHOODS
@pytest.mark.parametrize("precision", [1e-8, 1e-3, 1e3])
def test_separable_classes_stay_finite(likelihood, precision):
    x = np.linspace(-1, 1, 30)
    Phi, y = np.column_stack([np.ones(30), x]), np.where(x > 0, 1.0, -1.0)
    posterior = laplace(likelihood, ARD(np.full(2, precision)), Phi, y, np.ones(30))
    assert posterior.converged
    assert np.isfinite(posterior.log_evidence)
    assert np.isfinite(posterior.latent(Phi)[1]).all()
    assert (np.sign(Phi @ posterior.mean) == y).all()


@LIKELIHOODS
def test_equal_and_zero_columns(likelihood):
    prior, Phi, y, weights = problem(3)
    several = np.column_stack([Phi, Phi[:, 1], np.zeros(len(y))])
    precision = np.append(prior.precision, [prior.precision[1], 2.0])
    precision[1] = precision[2] = 2 * prior.precision[1]
    posterior = laplace(likelihood, ARD(precision), several, y, weights)
    alone = laplace(likelihood, prior, Phi, y, weights)
    # Two equal columns of precision 2α are one of precision α; a column of zeros changes nothing.
    np.testing.assert_allclose(posterior.log_evidence, alone.log_evidence, rtol=1e-8)
    np.testing.assert_allclose(posterior.latent(several), alone.latent(Phi), rtol=1e-4, atol=1e-6)
    assert posterior.mean[3] == 0


def test_an_unfinished_search_says_so():
    prior, Phi, y, weights = problem(0)
    assert laplace(Logit(), prior, Phi, y, weights).converged
    # With a tolerance below rounding the last step cannot be made; the result is the same.
    strict = laplace(Logit(), prior, Phi, y, weights, tol=-1.0)
    np.testing.assert_allclose(strict.mean, laplace(Logit(), prior, Phi, y, weights).mean, atol=1e-3)
