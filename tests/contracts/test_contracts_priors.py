"""What every prior promises."""

import inspect
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest
from scipy.integrate import simpson

from pauca import priors
from pauca.inference import laplace
from pauca.likelihoods import Logit
from pauca.priors import ARD, GammaARD, Prior, SoftTruncated, Truncated

PRECISION = np.array([1e-3, 0.5, 2.0, 1e4])
CASES = [ARD(PRECISION), GammaARD(PRECISION), SoftTruncated(PRECISION), Truncated(PRECISION)]
every_prior = pytest.mark.parametrize("prior", CASES, ids=lambda prior: type(prior).__name__)


def test_every_prior_is_covered():
    modules = [import_module(f"{priors.__name__}.{found.name}") for found in iter_modules(priors.__path__)]
    others = {
        cls
        for module in modules
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if cls.__module__ == module.__name__
    }
    classes = {cls for cls in others if issubclass(cls, Prior) and not inspect.isabstract(cls)}
    assert classes == {type(prior) for prior in CASES}
    assert not any(hasattr(cls, "log_density") for cls in others - classes - {Prior})


@every_prior
@pytest.mark.parametrize("seed", range(3))
def test_derivatives_by_finite_differences(prior, seed):
    w, h = np.abs(np.random.default_rng(seed).normal(size=len(PRECISION))), 1e-5
    slope, curvature = prior.derivatives(w)
    for j, step in enumerate(h * np.eye(len(w))):
        difference = prior.log_density(w + step) - prior.log_density(w - step)
        np.testing.assert_allclose(slope[j], difference / (2 * h), rtol=1e-5, atol=1e-5)
        change = prior.derivatives(w + step)[0] - prior.derivatives(w - step)[0]
        np.testing.assert_allclose(-change / (2 * h), curvature[j] * np.eye(len(w))[j], rtol=1e-7, atol=1e-7)


@every_prior
def test_other_precisions_keep_the_kind(prior):
    other = prior.with_precision(2 * PRECISION)
    assert type(other) is type(prior)
    np.testing.assert_array_equal(other.precision, 2 * PRECISION)
    np.testing.assert_array_equal(prior.precision, PRECISION)


@pytest.mark.parametrize(
    "prior", [prior for prior in CASES if prior.has_factors], ids=lambda prior: type(prior).__name__
)
def test_moments_of_the_factors_by_quadrature(prior):
    # N(mean, var) times the factor 2·1[w ≥ 0] of every weight but the bias, cut off far in the tails, too.
    for z in (-40.0, -8.0, -1.5, 0.0, 0.7, 5.0, 40.0):
        for var in (1e-6, 0.3, 1e4):
            mean = np.full(2, z * np.sqrt(var))
            log_z, tilted_mean, tilted_var = prior.tilted_moments(mean, np.full(2, var))
            assert (log_z[0], tilted_mean[0], tilted_var[0]) == (0.0, mean[0], var)
            expected = _half_line(z)
            np.testing.assert_allclose(log_z[1], expected[0], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(tilted_mean[1], np.sqrt(var) * expected[1], rtol=1e-7)
            np.testing.assert_allclose(tilted_var[1], var * expected[2], rtol=1e-5)


@dataclass(frozen=True)
class LogCosh(Prior):
    """Gaussian precisions and a heavier penalty near zero, by the one method that a prior must have."""

    def expand(self, w):
        log_density = -0.5 * self.precision @ np.square(w) - np.log(np.cosh(w)).sum()
        return log_density, -self.precision * w - np.tanh(w), self.precision + 1 / np.cosh(w) ** 2


def test_one_method_makes_a_prior():
    rng = np.random.default_rng(0)
    Phi, prior = rng.normal(size=(60, 3)), LogCosh(np.ones(3))
    y, weights = np.where(Phi[:, 0] > 0.3, 1.0, -1.0), np.ones(60)
    posterior = laplace(Logit(), prior, Phi, y, weights)
    assert posterior.converged
    gradient = Phi.T @ Logit().derivatives(y, Phi @ posterior.mean)[0] + prior.derivatives(posterior.mean)[0]
    np.testing.assert_allclose(gradient, 0, atol=1e-2)
    assert type(prior.with_precision(np.full(3, 2.0))) is LogCosh
    assert (prior.posterior, prior.bound_penalty, prior.column_penalty) == (None, 0.0, 0.0)
    assert prior.reestimated(posterior) is prior
    np.testing.assert_array_equal(prior.tilted_moments(np.arange(3.0), np.ones(3))[1], np.arange(3.0))


def test_a_prior_must_have_its_expansion():
    class Half(Prior):
        def log_density(self, w):
            return 0.0

    with pytest.raises(TypeError, match="expand"):
        Half(np.ones(2))


def _half_line(z):
    """log Z, mean and variance of 2·N(u | z, 1) on u ≥ 0, by Simpson's rule where the density is."""
    middle, width = max(z, 0.0), min(1.0, 1 / max(-z, 1e-9))
    u = np.linspace(max(0.0, middle - 12), middle + 40 * width if z < 0 else middle + 12, 400_001)
    log_density = np.log(2) - 0.5 * np.square(u - z) - 0.5 * np.log(2 * np.pi)
    top = log_density.max()
    density = np.exp(log_density - top)
    mass = simpson(density, x=u)
    mean = simpson(u * density, x=u) / mass
    return top + np.log(mass), mean, simpson(np.square(u - mean) * density, x=u) / mass
