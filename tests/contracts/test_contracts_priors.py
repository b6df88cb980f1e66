"""What every prior promises."""

import inspect
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest

from laconic import priors
from laconic.priors import ARD
from laconic.priors.ard import GammaARD
from laconic.priors.truncated import SoftTruncated, Truncated

PRECISION = np.array([1e-3, 0.5, 2.0, 1e4])
CASES = [ARD(PRECISION), GammaARD(PRECISION), SoftTruncated(PRECISION), Truncated(PRECISION)]
every_prior = pytest.mark.parametrize("prior", CASES, ids=lambda prior: type(prior).__name__)


def test_every_prior_is_covered():
    modules = [import_module(f"{priors.__name__}.{found.name}") for found in iter_modules(priors.__path__)]
    classes = {
        cls
        for module in modules
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if cls.__module__ == module.__name__ and hasattr(cls, "log_density") and not inspect.isabstract(cls)
    }
    assert classes == {type(prior) for prior in CASES}


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
