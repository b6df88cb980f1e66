"""Integrals where quadrature with fixed nodes would fail, against adaptive integration."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from pauca.inference import exact
from pauca.likelihoods import Gaussian, Logit, Probit
from pauca.priors import ARD


def adaptive_moments(likelihood, y, mean, var):
    """log Z, mean and variance of p(y | f) N(f | mean, var) by adaptive integration around the mode."""

    def log_integrand(f):
        return float(likelihood.log_prob(y, f)) - (f - mean) ** 2 / (2 * var) - 0.5 * np.log(2 * np.pi * var)

    width = np.sqrt(var)
    # The mode lies between the mean and where the likelihood is flat.
    bounds = sorted([mean, y * (10 + 2 * abs(mean))])
    mode = minimize_scalar(
        lambda f: -log_integrand(f), bounds=bounds, method="bounded", options={"xatol": 1e-10}
    ).x
    peak = log_integrand(mode)
    pieces = mode + width * np.array([-40, -8, -3, -1, -0.3, -0.1, 0, 0.1, 0.3, 1, 3, 8, 40])

    def integral(function):
        return sum(
            quad(
                lambda f: function(f) * np.exp(log_integrand(f) - peak),
                a,
                b,
                epsabs=0,
                epsrel=1e-11,
                limit=200,
            )[0]
            for a, b in pairwise(pieces)
        )

    mass = integral(lambda f: 1.0)
    centre = mode + integral(lambda f: f - mode) / mass
    return np.log(mass) + peak, centre, integral(lambda f: (f - centre) ** 2) / mass


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("z", [-40.0, -12.0, -3.0, 0.0, 2.0, 12.0, 40.0])
@pytest.mark.parametrize("var", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_probit_tilted_moments(z, var, y):
    mean = y * z * np.sqrt(1 + var)
    log_z, centre, spread = (
        part[0] for part in Probit().tilted_moments(np.array([y]), np.array([mean]), np.array([var]))
    )
    expected = adaptive_moments(Probit(), y, mean, var)
    np.testing.assert_allclose(log_z, expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(centre, expected[1], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(spread, expected[2], rtol=1e-6)


def test_probit_tilted_variance_far_in_the_tail():
    # var (1 + var δ) / (1 + var) with δ ≈ 1/z²: the difference of two large numbers would lose it.
    z, var = np.array([-1e4, -1e5]), np.array([1e8, 1e10])
    _, mean, spread = Probit().tilted_moments(np.ones(2), z * np.sqrt(1 + var), var)
    expected = (1 + var * (1 / z**2 - 6 / z**4)) * var / (1 + var)
    np.testing.assert_allclose(spread, expected, rtol=1e-9)
    assert np.isfinite(mean).all()


def predictive(likelihood, y, mean, var):
    """E[p(y | f)] by adaptive integration."""

    def integrand(f):
        return np.exp(likelihood.log_prob(y, f) - (f - mean) ** 2 / (2 * var)) / np.sqrt(2 * np.pi * var)

    cut = [mean - 12 * np.sqrt(var), *sorted({0.0, mean}), mean + 12 * np.sqrt(var)]
    return sum(quad(integrand, a, b, limit=200, epsabs=1e-12)[0] for a, b in pairwise(sorted(cut)))


@pytest.mark.parametrize("likelihood", [Logit(), Logit(np.sqrt(8 / np.pi))], ids=str)
@pytest.mark.parametrize("var", [0.1, 4.0, 100.0, 1e4])
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_logit_predictive(likelihood, var, y):
    mean = np.array([-30.0, -8.0, -1.0, 0.0, 0.5, 3.0, 12.0])
    closed = np.exp(likelihood.log_predictive(np.full(7, y), mean, np.full(7, var)))
    np.testing.assert_allclose(closed, [predictive(likelihood, y, m, var) for m in mean], atol=1e-5)


def test_logit_accuracy_is_what_it_says():
    x = np.linspace(-60, 60, 4801)
    approximate = Logit().log_predictive(np.ones(len(x)), x, np.zeros(len(x)))
    truth = Logit().log_prob(1.0, x)
    assert np.abs(np.exp(approximate) - np.exp(truth)).max() < 1e-5
    assert np.abs(np.expm1(approximate - truth))[np.abs(x) <= 14].max() < 2e-3
    assert (np.diff(approximate) >= -1e-15).all()
    far = np.abs(x) > 20
    np.testing.assert_allclose(approximate[far], truth[far], rtol=1e-6, atol=1e-5)


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("var", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("mean", [-5.0, -20.0, -60.0, -300.0])
def test_logit_predictive_lies_between_jensens_bound_and_the_truth(mean, var):
    value = Logit().log_predictive(np.ones(1), np.array([mean]), np.array([var]))[0]
    assert value <= adaptive_moments(Logit(), 1.0, mean, var)[0] + 2e-3
    assert value >= Logit().log_prob(1.0, mean) - var / 8 - 2e-3


@pytest.mark.parametrize("f", [-700.0, -40.0, 40.0, 700.0])
@pytest.mark.parametrize("likelihood", [Logit(), Probit()], ids=str)
def test_extreme_latent_values_stay_finite(likelihood, f):
    y, f = np.array([-1.0, 1.0]), np.array([f, f])
    assert np.isfinite(likelihood.log_prob(y, f)).all()
    for part in likelihood.derivatives(y, f):
        assert np.isfinite(part).all()
    assert np.isfinite(likelihood.log_predictive(y, f, np.array([0.0, 5.0]))).all()


def gaussian_fit(precision, seed, n=40, max_precision=np.inf, noise=0.5):
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(n), rng.normal(size=(n, 3))])
    y = Phi @ np.array([1.0, 2.0, 0.0, -1.0]) + noise * rng.normal(size=n)
    prior, weights = ARD(np.array([1e-3, 0.3, 5.0, 1.0])), rng.uniform(0.5, 2, size=n)
    likelihood = Gaussian(precision, max_precision)
    return likelihood, prior, Phi, y, weights


@pytest.mark.parametrize("seed", range(3))
def test_relearned_noise_is_a_maximum_of_the_evidence(seed):
    likelihood, prior, Phi, y, weights = gaussian_fit(1.0, seed)
    for _ in range(200):
        posterior = exact(likelihood, prior, Phi, y, weights)
        likelihood = likelihood.reestimate(y, Phi, posterior, prior, weights)
    best = exact(likelihood, prior, Phi, y, weights).log_evidence
    for factor in (0.9, 0.99, 1.01, 1.1):
        assert exact(Gaussian(likelihood.precision * factor), prior, Phi, y, weights).log_evidence < best


def test_relearned_noise_respects_the_ceiling():
    likelihood, prior, Phi, y, weights = gaussian_fit(1.0, 0, max_precision=1e3, noise=0.0)
    for _ in range(50):
        posterior = exact(likelihood, prior, Phi, y, weights)
        likelihood = likelihood.reestimate(y, Phi, posterior, prior, weights)
    assert likelihood.precision <= 1e3
    flat = likelihood.reestimate(
        np.zeros(40), Phi, exact(likelihood, prior, Phi, np.zeros(40), weights), prior, weights
    )
    assert flat.precision == 1e3


def test_noise_is_kept_when_the_data_cannot_tell():
    likelihood, prior, Phi, y, weights = gaussian_fit(2.0, 1)
    tiny = 1e-9 * weights
    flat = ARD(np.full(4, 1e-9))
    for prior_now, weights_now in ((flat, np.r_[np.ones(2), np.zeros(38)]), (flat, tiny), (prior, tiny)):
        posterior = exact(likelihood, prior_now, Phi, y, weights_now)
        again = likelihood.reestimate(y, Phi, posterior, prior_now, weights_now)
        assert np.isfinite(again.precision)
        assert again.precision > 0
