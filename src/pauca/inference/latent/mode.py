"""Laplace approximation over the latent values of rows: a Gaussian at the mode."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..protocols import ExpandableLikelihood, check_parts
from .priors import DensePrior, DesignPrior
from .result import LatentFit

# Newton steps, halvings of one, and the rise in nats at which the search ends; set by hand.
_MAX_NEWTON, _MAX_HALVINGS, _TOL = 200, 30, 1e-10
# Smallest curvature of a log likelihood; numerical guard.
_FLOOR = 1e-12


class _Point(NamedTuple):
    """C⁻¹ g, g, the log joint density, and the sites of the expansion at g."""

    coef: NDArray
    g: NDArray
    value: float
    precision: NDArray
    shift: NDArray


def latent_laplace(
    likelihood: Any,
    prior: DensePrior | DesignPrior,
    offset: NDArray | float,
    y: NDArray,
    weights: NDArray,
    start: NDArray | None = None,
) -> LatentFit:
    """Gaussian at the mode of log p(y | offset + g) + log p(g), by Newton's method with step halving.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood with ``expand``.
    prior : DensePrior or DesignPrior
        Prior of g; variance that a design leaves out is not part of the model here.
    offset : ndarray of shape (n_rows,) or float
        Prior mean of the latent values.
    y : ndarray of shape (n_rows,)
        Observations.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    start : ndarray of shape (2, n_rows), optional
        Sites to start from.

    Returns
    -------
    fit : LatentFit
    """

    check_parts("latent_laplace", (likelihood, ExpandableLikelihood))

    def at(coef, g):
        log_prob, gradient, curvature = likelihood.expand(y, offset + g)
        precision = weights * np.maximum(curvature, _FLOOR)
        value = weights @ log_prob - 0.5 * coef @ g
        return _Point(coef, g, float(value), precision, precision * g + weights * gradient)

    point = at(np.zeros(len(y)), np.zeros(len(y)))
    if start is not None:
        posterior = prior.posterior(*start)
        warm = at(posterior.coef, posterior.mean)
        point = max(point, warm, key=lambda each: each.value)
    converged = False
    for _ in range(_MAX_NEWTON):
        posterior = prior.posterior(point.precision, point.shift)
        after = _line_search(at, point, posterior.coef - point.coef, posterior.mean - point.g)
        if after is None:
            converged = True
            break
        rise, is_gaussian = after.value - point.value, _same_sites(point, after)
        point = after
        if is_gaussian or rise < _TOL * (1 + abs(point.value)):
            converged = True
            break
    posterior = prior.posterior(point.precision, point.shift)
    sites = np.stack([point.precision, point.shift])
    return LatentFit(posterior, sites, point.value - posterior.half_log_det, sites, converged)


def _same_sites(point, after):
    """Whether the sites do not depend on g, as for Gaussian noise, so that one step leads to the mode."""
    return np.array_equal(point.precision, after.precision) and np.allclose(point.shift, after.shift, 1e-12)


def _line_search(at, point, step, along):
    """Point after the longest of 1, 1/2, 1/4, ... steps that is no descent; None where there is none."""
    for halving in range(_MAX_HALVINGS):
        size = 0.5**halving
        after = at(point.coef + size * step, point.g + size * along)
        if after.value >= point.value:
            return after
    return None
