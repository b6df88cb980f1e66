"""Expectations of a log likelihood and its derivatives under Gaussian latent values, by quadrature."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....numerics import gauss_hermite

# Nodes of Gauss-Hermite rules, and steps of trapezoidal rules in standard deviations of f, each up to a
# standard deviation in units in which the likelihood saturates at 3. Expected log-probabilities, derivatives
# and curvatures of logit and probit are within 2e-5, chosen by comparison with a fine grid.
_HERMITE = ((0.15, 3), (0.3, 5), (0.5, 7), (0.6, 9), (0.75, 13))
_TRAPEZOIDAL = (
    *((1.0, 0.68), (1.25, 0.58), (1.5, 0.5), (2.0, 0.38)),
    *((3.0, 0.25), (4.0, 0.2), (5.0, 0.15), (8.0, 0.1), (np.inf, 0.03)),
)
# Reach of the trapezoidal rules in standard deviations; the normal distribution has 4e-8 beyond it.
_REACH = 5.5
# Smallest expected curvature; numerical guard where a likelihood is not concave.
_FLOOR = 1e-12


@cache
def _trapezoid(step: float) -> tuple[NDArray, NDArray]:
    """Nodes and weights of a trapezoidal rule for the standard normal distribution."""
    half = int(np.ceil(_REACH / step))
    nodes = step * np.arange(-half, half + 1)
    weights = np.exp(-0.5 * np.square(nodes))
    return nodes, weights / weights.sum()


def _rules():
    """Limits of the standard deviation, each with the nodes and weights that are used up to it."""
    yield from ((limit, gauss_hermite(n_nodes)) for limit, n_nodes in _HERMITE)
    yield from ((limit, _trapezoid(step)) for limit, step in _TRAPEZOIDAL)


def expansion_by_quadrature(
    likelihood: Any, y: NDArray, mean: NDArray, var: NDArray
) -> tuple[NDArray, NDArray, NDArray]:
    """E[log p(y | f)], E[∂ log p / ∂f] and E[−∂² log p / ∂f²] for f ~ N(mean, var), by quadrature.

    Each range of variances has a rule of its own.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood of the observations.
    y : ndarray of shape (n_rows,)
        Observations.
    mean, var : ndarray of shape (n_rows,)
        Moments of the latent values.

    Returns
    -------
    value, gradient, curvature : ndarray of shape (n_rows,)
        Expectations; the curvature is positive.
    """
    unit = likelihood.saturation / 3 if np.isfinite(likelihood.saturation) else 1.0
    sd = np.sqrt(np.maximum(var, 0.0))
    results = np.empty((3, len(mean)))
    lower = -1.0
    for upper, (nodes, shares) in _rules():
        rows = np.flatnonzero((sd > lower * unit) & (sd <= upper * unit))
        lower = upper
        if len(rows) == len(mean):
            results = _weighted(likelihood, y, mean, sd, nodes, shares)
            break
        if len(rows):
            results[:, rows] = _weighted(likelihood, y[rows], mean[rows], sd[rows], nodes, shares)
    return results[0], results[1], np.maximum(results[2], _FLOOR)


def _weighted(likelihood, y, mean, sd, nodes, shares):
    """Sums of value, gradient and curvature over the nodes of one rule."""
    totals = np.zeros((3, len(mean)))
    for node, share in zip(nodes, shares, strict=True):
        f = mean + node * sd
        for total, part in zip(totals, likelihood.expand(y, f), strict=True):
            total += share * part
    return totals
