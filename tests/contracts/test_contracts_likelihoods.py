"""What every likelihood promises: its integrals, its derivatives, its predictions."""

import inspect
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest
from scipy.special import gammaln

from pauca import likelihoods
from pauca.inference import ep, exact, laplace, variational
from pauca.likelihoods import (
    BinaryLikelihood,
    CumulativeProbit,
    GammaGaussian,
    Gaussian,
    Likelihood,
    Logit,
    NegativeBinomial,
    Poisson,
    Probit,
    StudentT,
)
from pauca.priors import ARD, Gamma


@dataclass(frozen=True)
class Case:
    """A likelihood, its possible observations, the accuracy it documents and where log p(y | f) holds.

    Where log p is not concave in f, Newton's method is given another curvature than the second derivative.
    """

    likelihood: Likelihood
    observations: tuple = (-1.0, 1.0)
    probability_error: float = 1e-12
    log_error: float = 1e-9
    far: float = 40.0
    is_concave: bool = True


CASES = [
    Case(Gaussian(0.3), observations=(-2.0, 0.0, 0.7)),
    Case(Gaussian(5.0, 1e6), observations=(-2.0, 0.0, 0.7)),
    Case(GammaGaussian(2.0, shape=3.0, hyperprior=Gamma(1e-6, 1e-6)), observations=(-2.0, 0.0, 0.7)),
    Case(Logit(), probability_error=1e-5, log_error=2e-3, far=14.0),
    Case(Logit(np.sqrt(8 / np.pi)), probability_error=1e-5, log_error=2e-3, far=14.0 / np.sqrt(8 / np.pi)),
    Case(Probit()),
    Case(StudentT(0.5, 3.0), observations=(-2.0, 0.0, 0.7), is_concave=False),
    Case(StudentT(0.9, 80.0), observations=(-2.0, 0.0, 0.7), is_concave=False),
    Case(Poisson(), observations=(0.0, 1.0, 30.0)),
    Case(NegativeBinomial(0.4), observations=(0.0, 1.0, 30.0)),
    Case(NegativeBinomial(0.02), observations=(0.0, 1.0, 30.0)),
    Case(CumulativeProbit((0.7, 1.9)), observations=(0.0, 1.0, 2.0, 3.0)),
]
every_likelihood = pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.likelihood))
every_binary = pytest.mark.parametrize(
    "case",
    [c for c in CASES if isinstance(c.likelihood, BinaryLikelihood)],
    ids=lambda case: str(case.likelihood),
)


def concrete_subclasses(base):
    """All public classes below ``base`` that can be made, wherever in the package they are defined."""
    for module in iter_modules(likelihoods.__path__):
        import_module(f"{likelihoods.__name__}.{module.name}")
    below = {base}
    while more := {child for cls in below for child in cls.__subclasses__()} - below:
        below |= more
    ours = {cls for cls in below if not inspect.isabstract(cls) and cls.__module__.startswith("pauca.")}
    return {cls for cls in ours if not cls.__name__.startswith("_")}


def grid(case, means, variances):
    """Every observation with every mean and every variance: three arrays of one shape."""
    parts = np.meshgrid(case.observations, means, variances, indexing="ij")
    return [part.ravel() for part in parts]


def moderate(case):
    """Latent values as they are among the data."""
    return grid(case, np.linspace(-4, 4, 9), [1e-3, 0.1, 0.5, 1.0])


def test_every_likelihood_is_covered():
    assert concrete_subclasses(Likelihood) == {type(case.likelihood) for case in CASES}


@every_likelihood
def test_expansion_is_the_logarithm_and_its_derivatives(case):
    y, f, _ = grid(case, np.linspace(-30, 30, 121), [0.0])
    likelihood = case.likelihood
    expected = likelihood.log_prob(y, f), *likelihood.derivatives(y, f)
    for found, other in zip(likelihood.expand(y, f)[: 3 if case.is_concave else 2], expected, strict=False):
        np.testing.assert_allclose(found, other, rtol=1e-12, atol=1e-14)


@every_likelihood
def test_derivatives_by_finite_differences(case):
    y, f, _ = grid(case, np.linspace(-30, 30, 121), [0.0])
    h = 1e-5
    slope, curvature = case.likelihood.derivatives(y, f)
    log_prob = case.likelihood.log_prob
    np.testing.assert_allclose(
        slope, (log_prob(y, f + h) - log_prob(y, f - h)) / (2 * h), rtol=1e-6, atol=1e-6
    )
    up, down = (case.likelihood.derivatives(y, f + step)[0] for step in (h, -h))
    np.testing.assert_allclose(curvature, -(up - down) / (2 * h), rtol=1e-6, atol=1e-7)
    assert slope.shape == curvature.shape == y.shape
    assert (case.likelihood.expand(y, f)[2] >= 0).all()
    assert not case.is_concave or (curvature >= 0).all()


@every_likelihood
def test_derivative_of_the_curvature_by_finite_differences(case):
    y, f, _ = grid(case, np.linspace(-6, 6, 49), [0.0])
    h = 1e-4
    above, below = (case.likelihood.expand(y, f + step)[2] for step in (h, -h))
    found = case.likelihood.curvature_derivative(y, f)
    np.testing.assert_allclose(found, (above - below) / (2 * h), rtol=1e-5, atol=1e-6)


@every_likelihood
def test_parameters_there_and_back(case):
    likelihood, logs = case.likelihood, case.likelihood.log_parameters
    means, stds = likelihood.log_parameter_prior
    assert means.shape == stds.shape == logs.shape
    moved = likelihood.with_log_parameters(logs + 0.3)
    np.testing.assert_allclose(moved.log_parameters, logs + 0.3, rtol=1e-12)
    y, f, _ = grid(case, np.linspace(-3, 3, 7), [0.0])
    again = moved.with_log_parameters(logs).log_prob(y, f)
    np.testing.assert_allclose(again, likelihood.log_prob(y, f), rtol=1e-9)
    assert np.allclose(moved.log_prob(y, f), again, rtol=1e-9) == (len(logs) == 0)


@every_likelihood
def test_derivatives_in_the_parameters_by_finite_differences(case):
    y, f, _ = grid(case, np.linspace(-6, 6, 25), [0.0])
    likelihood, logs, h = case.likelihood, case.likelihood.log_parameters, 1e-4
    found = likelihood.parameter_derivatives(y, f)
    assert all(part.shape == (len(logs), len(y)) for part in found)
    for k, step in enumerate(h * np.eye(len(logs))):
        above = likelihood.with_log_parameters(logs + step).expand(y, f)
        below = likelihood.with_log_parameters(logs - step).expand(y, f)
        for part, high, low in zip(found, above, below, strict=True):
            np.testing.assert_allclose(part[k], (high - low) / (2 * h), rtol=1e-4, atol=1e-4)


@every_likelihood
def test_base_latent_maximises_the_likelihood_of_a_constant(case):
    rng = np.random.default_rng(0)
    y, weights = np.resize(case.observations, 30).astype(float), rng.uniform(0.2, 3.0, size=30)
    best = case.likelihood.base_latent(y, weights)

    def total(f):
        return weights @ case.likelihood.log_prob(y, np.full(30, f))

    assert all(total(best) >= total(best + step) for step in (-0.1, -1e-3, 1e-3, 0.1))


@every_likelihood
def test_log_predictive_equals_quadrature(case):
    y, mean, var = moderate(case)
    closed = case.likelihood.log_predictive(y, mean, var)
    quadrature = Likelihood.log_predictive(case.likelihood, y, mean, var)
    np.testing.assert_allclose(np.exp(closed), np.exp(quadrature), atol=max(case.probability_error, 1e-8))
    np.testing.assert_allclose(closed, quadrature, atol=max(case.log_error, 1e-7))


@every_likelihood
def test_expected_log_prob_equals_quadrature(case):
    y, mean, var = moderate(case)
    closed = case.likelihood.expected_log_prob(y, mean, var)
    np.testing.assert_allclose(closed, Likelihood.expected_log_prob(case.likelihood, y, mean, var), rtol=1e-9)


@every_likelihood
def test_tilted_moments_equal_quadrature(case):
    y, mean, var = moderate(case)
    closed = case.likelihood.tilted_moments(y, mean, var)
    quadrature = Likelihood.tilted_moments(case.likelihood, y, mean, var)
    for value, expected in zip(closed, quadrature, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-8)


@every_likelihood
def test_tilted_moments_are_derivatives_of_the_log_normaliser(case):
    # d log Z / dm = (tilted mean - m) / v; d² log Z / dm² = (tilted var - v) / v²
    y, mean, var = grid(case, np.linspace(-3, 3, 7), [0.2, 1.0])
    h = 1e-3
    log_z = [case.likelihood.tilted_moments(y, mean + step, var)[0] for step in (-h, 0, h)]
    _, tilted_mean, tilted_var = case.likelihood.tilted_moments(y, mean, var)
    np.testing.assert_allclose((log_z[2] - log_z[0]) / (2 * h), (tilted_mean - mean) / var, atol=1e-5)
    second = (log_z[2] - 2 * log_z[1] + log_z[0]) / h**2
    np.testing.assert_allclose(second, (tilted_var - var) / var**2, atol=1e-4)


@every_likelihood
def test_zero_variance_gives_back_log_prob(case):
    y, f, var = grid(case, np.linspace(-case.far, case.far, 81), [0.0])
    log_prob = case.likelihood.log_prob(y, f)
    np.testing.assert_allclose(
        case.likelihood.expected_log_prob(y, f, var), log_prob, rtol=1e-12, atol=1e-300
    )
    predictive = case.likelihood.log_predictive(y, f, var)
    np.testing.assert_allclose(predictive, log_prob, rtol=1e-12, atol=case.log_error)
    np.testing.assert_allclose(np.exp(predictive), np.exp(log_prob), rtol=1e-9, atol=case.probability_error)


@every_likelihood
def test_bounds_between_the_integrals(case):
    # Jensen: E[log p] <= log E[p]
    y, mean, var = grid(case, np.linspace(-6, 6, 13), [0.1, 1.0, 4.0])
    lower = case.likelihood.expected_log_prob(y, mean, var)
    assert (lower <= case.likelihood.log_predictive(y, mean, var) + case.log_error).all()


@every_likelihood
def test_one_call_equals_many(case):
    y, mean, var = moderate(case)
    together = case.likelihood.log_predictive(y, mean, var)
    one_by_one = [
        case.likelihood.log_predictive(y[i : i + 1], mean[i : i + 1], var[i : i + 1])[0]
        for i in range(len(y))
    ]
    np.testing.assert_allclose(together, one_by_one, rtol=1e-13)
    shape = (len(case.observations), -1, 4)
    block = case.likelihood.log_predictive(y.reshape(shape), mean.reshape(shape), var.reshape(shape))
    np.testing.assert_allclose(block.ravel(), together, rtol=1e-13)


@every_likelihood
def test_without_parameters_of_its_own_nothing_is_relearned(case):
    if not isinstance(case.likelihood, Gaussian):
        assert case.likelihood.reestimate(None, None, None, None, None) is case.likelihood


@every_likelihood
def test_quadratic_bound_touches_and_stays_below(case):
    if not hasattr(case.likelihood, "quadratic_bound"):
        name = type(case.likelihood).__name__
        with pytest.raises(TypeError, match=f"{name} has no quadratic_bound, which variational needs"):
            variational(case.likelihood, ARD(np.ones(1)), np.ones((1, 1)), np.ones(1), np.ones(1))
        return
    y, f, touch = grid(case, np.linspace(-12, 12, 49), [0.0, 1e-4, 1.0, 30.0])
    b, h, c = case.likelihood.quadratic_bound(y, touch)
    gap = case.likelihood.log_prob(y, f) - (c + h * f - 0.5 * b * f**2)
    assert (b >= 0).all()
    assert (gap >= -1e-9).all()
    for sign in (-1, 1):
        at = sign * np.sqrt(touch)
        value = c + h * at - 0.5 * b * at**2
        np.testing.assert_allclose(value, case.likelihood.log_prob(y, at), atol=1e-9)


@every_binary
def test_quadrature_holds_where_a_label_is_a_step_in_a_wide_gaussian(case):
    y, mean, var = grid(case, [-40.0, -5.0, 0.3, 20.0], [30.0, 100.0, 1e3, 1e4])
    closed = np.exp(case.likelihood.log_predictive(y, mean, var))
    quadrature = np.exp(Likelihood.log_predictive(case.likelihood, y, mean, var))
    tolerance = np.where(var < 1e4, max(case.probability_error, 1e-6), 3e-3)
    assert (np.abs(closed - quadrature) <= tolerance).all()
    closed = case.likelihood.tilted_moments(y, mean, var)
    quadrature = Likelihood.tilted_moments(case.likelihood, y, mean, var)
    for value, expected in zip(closed, quadrature, strict=True):
        np.testing.assert_allclose(value[var < 1e4], expected[var < 1e4], rtol=1e-4, atol=1e-12)
        np.testing.assert_allclose(value[var < 1e3], expected[var < 1e3], rtol=1e-6, atol=1e-12)


@every_binary
def test_probabilities_of_both_labels_sum_to_one(case):
    _, mean, var = grid(case, np.linspace(-50, 50, 41), [0.0, 0.3, 5.0, 1e4])
    plus, minus = case.likelihood.predict(mean, var), case.likelihood.predict(-mean, var)
    np.testing.assert_allclose(plus + minus, 1, rtol=1e-12)
    ones = np.ones(len(mean))
    for chance, y in ((plus, ones), (minus, -ones)):
        log_chance = case.likelihood.log_predictive(y, mean, var)
        np.testing.assert_allclose(np.exp(log_chance), chance, rtol=1e-9, atol=case.probability_error)
        assert (log_chance <= 1e-15).all()


@every_binary
def test_a_label_is_nearly_certain_at_saturation(case):
    latent = case.likelihood.saturation
    assert 0.99 < case.likelihood.predict(latent, 0.0) < 0.999
    assert case.likelihood.predict(latent / 3, 0.0) < 0.85


@every_binary
def test_probability_rises_with_the_mean_and_fades_with_the_variance(case):
    mean, var = np.linspace(-30, 30, 61), np.array([0.0, 1.0, 10.0, 1e3, 1e6])
    chance = case.likelihood.predict(*np.meshgrid(mean, var))
    assert (np.diff(chance, axis=1) >= 0).all()
    assert (np.diff(np.abs(chance - 0.5), axis=0) <= 1e-12).all()
    np.testing.assert_allclose(chance[:, 30], 0.5, rtol=1e-12)


@every_likelihood
@pytest.mark.parametrize("power", [0.05, 0.5, 1.0])
def test_tempered_moments(case, power):
    y, mean, var = grid(case, [-3.0, 0.4], [0.05, 2.0, 400.0])
    moments = case.likelihood.tempered_moments(y, mean, var, np.full(len(y), power))
    for n in range(len(y)):
        f = np.linspace(mean[n] - 15 * np.sqrt(var[n]), mean[n] + 15 * np.sqrt(var[n]), 80_001)
        log_density = power * case.likelihood.log_prob(y[n], f) - 0.5 * np.square(f - mean[n]) / var[n]
        density = np.exp(log_density) / np.sqrt(2 * np.pi * var[n])
        total = np.trapezoid(density, f)
        expected = np.trapezoid(density * f, f) / total
        spread = np.trapezoid(density * np.square(f - expected), f) / total
        np.testing.assert_allclose(moments[0][n], np.log(total), atol=1e-6)
        np.testing.assert_allclose(moments[1][n], expected, atol=1e-5 * np.sqrt(var[n]))
        np.testing.assert_allclose(moments[2][n], spread, rtol=1e-4, atol=1e-12)


class TwoMethods(Likelihood):
    """Counts with the log rate f, by the two methods that a likelihood must have."""

    def log_prob(self, y, f):
        return y * f - np.exp(f) - gammaln(np.asarray(y) + 1)

    def derivatives(self, y, f):
        return y - np.exp(f), np.exp(f)


def test_two_methods_make_a_likelihood():
    rng = np.random.default_rng(0)
    Phi = np.column_stack([np.ones(300), rng.normal(size=300)])
    y = rng.poisson(np.exp(Phi @ [0.5, 0.4])).astype(float)
    arguments = TwoMethods(), ARD(np.full(2, 0.1)), Phi, y, np.ones(300)
    for engine in (laplace, ep):
        posterior = engine(*arguments)
        assert posterior.converged
        assert (np.abs(posterior.mean - [0.5, 0.4]) < 4 * np.sqrt(posterior.variances)).all()
        mean, std = TwoMethods().predict(*posterior.latent(Phi))
        assert mean.shape == std.shape == (300,)
    with pytest.raises(TypeError, match="TwoMethods has no precision, which exact needs"):
        exact(*arguments)
