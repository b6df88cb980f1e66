"""What predictive distributions promise, for every likelihood of numbers."""

import inspect

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import logsumexp

from pauca import likelihoods
from pauca.likelihoods import (
    CountLikelihood,
    NegativeBinomial,
    NumericLikelihood,
    Poisson,
    Predictive,
    StudentT,
    exposed_counts,
)

CASES = [StudentT(0.5, 3.0), StudentT(0.2, 60.0), Poisson(), NegativeBinomial(0.4)]
every_case = pytest.mark.parametrize("likelihood", CASES, ids=str)
every_count = pytest.mark.parametrize("likelihood", CASES[2:], ids=str)
MEANS, VARIANCES = np.array([-1.0, 0.3, 2.0]), np.array([0.5, 1e-4, 0.2])


def conditional(likelihood, f):
    """The distribution of an observation given f, by scipy."""
    if isinstance(likelihood, StudentT):
        return stats.t(likelihood.freedom, f, likelihood.scale)
    if isinstance(likelihood, Poisson):
        return stats.poisson(np.exp(f))
    size = 1 / likelihood.dispersion
    return stats.nbinom(size, size / (size + np.exp(f)))


def expected(function, mean, var):
    """E[function(f)] for f ~ N(mean, var) by adaptive quadrature."""
    reach = 9 * np.sqrt(var)
    density = stats.norm(mean, np.sqrt(var)).pdf
    return integrate.quad(
        lambda f: function(f) * density(f), mean - reach, mean + reach, epsabs=0, epsrel=1e-9, limit=400
    )[0]


def test_every_likelihood_of_numbers_is_covered():
    classes = {value for value in vars(likelihoods).values() if inspect.isclass(value)}
    numeric = {cls for cls in classes if issubclass(cls, NumericLikelihood) and not inspect.isabstract(cls)}
    assert numeric == {type(likelihood) for likelihood in CASES}


@every_case
def test_moments_and_distribution_function_by_adaptive_quadrature(likelihood):
    predictive = likelihood.predictive(MEANS, VARIANCES)
    assert isinstance(predictive, Predictive)
    for n, (mean, var) in enumerate(zip(MEANS, VARIANCES, strict=True)):
        centre = expected(lambda f: conditional(likelihood, f).mean(), mean, var)
        square = expected(
            lambda f: conditional(likelihood, f).var() + conditional(likelihood, f).mean() ** 2, mean, var
        )
        np.testing.assert_allclose(predictive.mean()[n], centre, rtol=1e-7)
        np.testing.assert_allclose(predictive.var()[n], square - centre**2, rtol=1e-6)
        for x in (-2.5, 0.0, 1.0, 7.0):
            chance = expected(lambda f, x=x: conditional(likelihood, f).cdf(x), mean, var)
            np.testing.assert_allclose(predictive.cdf(x)[n], chance, atol=1e-6)
    np.testing.assert_allclose(predictive.sf(1.0), 1 - predictive.cdf(1.0))


@every_case
def test_log_density_by_adaptive_quadrature(likelihood):
    predictive = likelihood.predictive(MEANS, VARIANCES)
    density = predictive.pmf if likelihood.is_discrete else predictive.pdf
    name = "pmf" if likelihood.is_discrete else "pdf"
    for x in (0.0, 1.0, 4.0):
        found = density(x)
        for n, (mean, var) in enumerate(zip(MEANS, VARIANCES, strict=True)):
            by_scipy = expected(lambda f, x=x: getattr(conditional(likelihood, f), name)(x), mean, var)
            np.testing.assert_allclose(found[n], by_scipy, rtol=1e-6)


@every_case
def test_quantiles_are_the_inverse_of_the_distribution_function(likelihood):
    predictive = likelihood.predictive(MEANS, VARIANCES)
    for q in (1e-4, 0.05, 0.5, 0.9, 0.9999):
        x = predictive.ppf(q)
        if likelihood.is_discrete:
            assert (predictive.cdf(x) >= q).all()
            assert (predictive.cdf(x - 1) < q).all()
        else:
            np.testing.assert_allclose(predictive.cdf(x), q, atol=1e-7)
    low, high = predictive.interval(0.9)
    np.testing.assert_array_equal(low, predictive.ppf(0.05))
    np.testing.assert_array_equal(high, predictive.ppf(0.95))
    np.testing.assert_array_equal(predictive.median(), predictive.ppf(0.5))
    np.testing.assert_array_equal(predictive.ppf(1.0), np.inf)
    np.testing.assert_array_equal(predictive.ppf(0.0), -1.0 if likelihood.is_discrete else -np.inf)
    assert np.isnan(predictive.ppf(1.5)).all()
    assert predictive.ppf([[0.1], [0.2]]).shape == (2, 3)


@every_case
def test_draws_have_the_distribution(likelihood):
    predictive = likelihood.predictive(MEANS, VARIANCES)
    draws = predictive.rvs((4000, 3), random_state=0)
    for q in (0.2, 0.5, 0.9):
        x = predictive.ppf(q)
        chance = predictive.cdf(x)
        error = np.sqrt(chance * (1 - chance) / len(draws))
        assert (np.abs((draws <= x).mean(axis=0) - chance) < 4 * error + 1e-12).all()
    assert predictive.rvs(random_state=1).shape == (3,)
    np.testing.assert_array_equal(predictive.rvs(random_state=1), predictive.rvs(random_state=1))


@every_count
def test_probabilities_of_counts_sum_to_one(likelihood):
    predictive = likelihood.predictive(MEANS[:, None], VARIANCES[:, None])
    np.testing.assert_allclose(predictive.pmf(np.arange(3000.0)).sum(axis=1), 1, atol=1e-7)
    np.testing.assert_array_equal(predictive.logpmf(np.array([-1.0, 0.5])), -np.inf)


@every_count
def test_exposure_multiplies_the_rate(likelihood):
    y, f = np.array([0.0, 3.0, 12.0]), np.array([0.4, -0.2, 1.0])
    exposure = np.array([0.1, 2.0, 40.0])
    observed = exposed_counts(y, exposure)
    pairs = [
        (likelihood.log_prob(observed, f), likelihood.log_prob(y, f + np.log(exposure))),
        *zip(likelihood.expand(observed, f), likelihood.expand(y, f + np.log(exposure)), strict=True),
        *zip(
            likelihood.tilted_moments(observed, f, 0.3 * np.ones(3)),
            likelihood.tilted_moments(y, f + np.log(exposure), 0.3 * np.ones(3))
            - np.outer([0, 1, 0], np.log(exposure)),
            strict=True,
        ),
    ]
    for found, other in pairs:
        np.testing.assert_allclose(found, other, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(exposed_counts([1, 2], None), [1.0, 2.0])


@every_count
@pytest.mark.parametrize("count", [0.0, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("var", [1e-6, 0.5, 30.0])
def test_integrals_of_large_counts(likelihood, count, var):
    # A count of a million fixes f to a thousandth.
    y, mean = np.array([count]), np.array([2.0])
    log_z, centre, spread = likelihood.tilted_moments(y, mean, np.array([var]))
    reach = 12 * np.sqrt(var)
    f = np.linspace(2 - reach, max(2 + reach, 15), 1_000_001)
    log_terms = likelihood.log_prob(y, f) - 0.5 * np.square(f - 2) / var - 0.5 * np.log(2 * np.pi * var)
    total = logsumexp(log_terms) + np.log(f[1] - f[0])
    share = np.exp(log_terms + np.log(f[1] - f[0]) - total)
    np.testing.assert_allclose(log_z, total, rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(centre, share @ f, rtol=1e-7)
    np.testing.assert_allclose(spread, share @ np.square(f - share @ f), rtol=1e-6)


def test_the_negative_binomial_of_no_dispersion_is_poisson():
    y, f = np.arange(8.0), np.linspace(-1, 2, 8)
    np.testing.assert_allclose(NegativeBinomial(1e-9).log_prob(y, f), Poisson().log_prob(y, f), atol=1e-5)
    assert NegativeBinomial(1.0).log_prob(30.0, 0.0) > Poisson().log_prob(30.0, 0.0)
    assert isinstance(Poisson(), CountLikelihood)


@pytest.mark.parametrize("freedom", [2.2, 4.0, 50.0])
def test_the_curvature_of_students_t_is_its_expectation(freedom):
    likelihood = StudentT(0.7, freedom)
    distribution = stats.t(freedom, 0.0, 0.7)
    information = integrate.quad(
        lambda y: distribution.pdf(y) * likelihood.derivatives(y, 0.0)[1], -np.inf, np.inf
    )[0]
    np.testing.assert_allclose(likelihood.expand(0.3, 0.0)[2], information, rtol=1e-6)


@pytest.mark.parametrize("freedom", [2.05, 5.0, 1e4])
def test_students_t_is_a_mixture_of_normals_far_into_its_tails(freedom):
    likelihood = StudentT(0.3, freedom)
    y = np.array([0.0, 0.1, 1.0, 5.0, 50.0])
    found = likelihood.log_predictive(y, np.zeros(5), np.zeros(5))
    np.testing.assert_allclose(found, stats.t(freedom, 0.0, 0.3).logpdf(y), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(
        likelihood.rescaled(10.0).log_prob(3.0, 0.0), likelihood.log_prob(0.3, 0.0) - np.log(10)
    )


@every_case
def test_covariances_of_observations_by_draws(likelihood):
    rng = np.random.RandomState(0)
    mean, cov = np.array([0.2, 0.5]), np.array([[0.3, 0.2], [0.2, 0.4]])
    f = rng.multivariate_normal(mean, cov, 400_000)
    draws = likelihood.draw(f, rng)
    found = likelihood.predictive_covariance(mean, cov)
    np.testing.assert_allclose(found, np.cov(draws.T), rtol=0.05)
    np.testing.assert_allclose(np.diag(found), likelihood.predictive(mean, np.diag(cov)).var(), rtol=1e-6)
