"""Expectations under one-dimensional Gaussians by quadrature."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

__all__ = [
    "GRID_REACH",
    "gauss_hermite",
    "gaussian_expectation",
    "log_gaussian_expectation",
    "normal_grid",
    "peaked_grid",
    "spread",
]

#: Reach of grids in standard deviations, far enough for functions that grow like exp(f); set by hand.
GRID_REACH = 15.0
# Number of points of the trapezoidal rule, fine enough for steps in a Gaussian of variance 10⁴. Set by hand.
_N_POINTS = 751
# Number of points of `peaked_grid`: steps of a tenth where the reach is 700 times the width. Set by hand.
_N_PEAKED = 201


@lru_cache(maxsize=8)
def gauss_hermite(n_nodes: int) -> tuple[NDArray, NDArray]:
    """Gauss-Hermite nodes and weights with E[g(z)] ≈ Σ w g(z) for z ~ N(0, 1) and polynomials g."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    return nodes, weights / weights.sum()


@lru_cache(maxsize=1)
def normal_grid() -> tuple[NDArray, NDArray]:
    """Points of the trapezoidal rule for z ~ N(0, 1) and the logarithms of their weights."""
    points = np.linspace(-GRID_REACH, GRID_REACH, _N_POINTS)
    log_weights = -0.5 * np.square(points)
    return points, log_weights - logsumexp(log_weights)


def spread(mean: ArrayLike, var: ArrayLike) -> NDArray:
    """Points of `normal_grid` moved to N(mean, var), along one more axis, the last."""
    return np.asarray(mean)[..., None] + np.sqrt(np.asarray(var))[..., None] * normal_grid()[0]


def gaussian_expectation(function: Callable[[NDArray], NDArray], mean: ArrayLike, var: ArrayLike) -> NDArray:
    """E[function(f)] for f ~ N(mean, var), elementwise."""
    return function(spread(mean, var)) @ np.exp(normal_grid()[1])


def log_gaussian_expectation(
    log_function: Callable[[NDArray], NDArray], mean: ArrayLike, var: ArrayLike
) -> NDArray:
    """log E[exp(log_function(f))] for f ~ N(mean, var), elementwise and without underflow."""
    return logsumexp(log_function(spread(mean, var)) + normal_grid()[1], axis=-1)


def peaked_grid(peak: NDArray, width: NDArray, reach: NDArray) -> tuple[NDArray, NDArray]:
    """Points around a peak and the logarithms of the lengths they stand for, along one more axis, the last.

    The distance from the peak is width · sinh(t) at even steps of t: points are dense within the ``width`` of
    the peak, and still go 15 times the ``reach`` away.

    Parameters
    ----------
    peak : ndarray
        Peak of the integrand.
    width : ndarray
        Distance at which the integrand has fallen by half a nat.
    reach : ndarray
        Standard deviation of its tails, at least ``width``.

    Returns
    -------
    points, log_lengths : ndarray
        The integral of a function g is the sum of g(points) · exp(log_lengths).
    """
    far = np.arcsinh(GRID_REACH * np.maximum(reach / width, 1.0))[..., None]
    t = far * np.linspace(-1, 1, _N_PEAKED)
    log_lengths = np.log(width)[..., None] + np.log(np.cosh(t)) + np.log(2 * far / (_N_PEAKED - 1))
    return peak[..., None] + width[..., None] * np.sinh(t), log_lengths
