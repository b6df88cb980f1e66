"""How the evidence changes with the columns, against finite differences."""

from functools import partial

import numpy as np
import pytest

from pauca.inference import column_gradient, ep, exact, laplace, variational
from pauca.likelihoods import Gaussian, Logit, Probit
from pauca.priors import ARD, GammaARD, Truncated

STEP = 1e-4
EXACT = pytest.mark.parametrize(
    ("engine", "likelihood", "kind"),
    [
        (exact, Gaussian(4.0), ARD),
        (partial(ep, tol=1e-8), Probit(), ARD),
        (partial(ep, tol=1e-8), Probit(), Truncated),
        (partial(variational, tol=1e-12), Logit(), GammaARD),
    ],
)


def problem(likelihood, kind, seed):
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(16), rng.normal(size=(16, 3))])
    f = Phi @ np.array([0.3, 1.0, 0.7, 0.2]) + 0.5 * rng.normal(size=16)
    y = f if isinstance(likelihood, Gaussian) else np.where(f + rng.normal(size=16) > 0, 1.0, -1.0)
    return likelihood, kind(10.0 ** rng.uniform(-1, 0.5, size=4)), Phi, y, rng.uniform(0.5, 2, size=16)


def differences(engine, likelihood, prior, Phi, y, weights):
    slopes = np.empty_like(Phi)
    for place in np.ndindex(Phi.shape):
        ends = []
        for step in (STEP, -STEP):
            moved = Phi.copy()
            moved[place] += step
            ends.append(engine(likelihood, prior, moved, y, weights).log_evidence)
        slopes[place] = (ends[0] - ends[1]) / (2 * STEP)
    return slopes


@EXACT
@pytest.mark.parametrize("seed", range(2))
def test_slopes_at_fixed_points(engine, likelihood, kind, seed):
    arguments = problem(likelihood, kind, seed)
    slopes = column_gradient(arguments[2], engine(*arguments))
    np.testing.assert_allclose(slopes, differences(engine, *arguments), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("seed", range(2))
def test_direction_of_the_slopes_by_laplace(seed):
    arguments = problem(Logit(), ARD, seed)
    slopes, expected = column_gradient(arguments[2], laplace(*arguments)), differences(laplace, *arguments)
    cosine = (slopes * expected).sum() / np.sqrt(np.square(slopes).sum() * np.square(expected).sum())
    assert cosine > 0.97
