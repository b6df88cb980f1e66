"""Expectations under one-dimensional Gaussians."""

from functools import lru_cache

import numpy as np
from scipy.special import logsumexp

# Far enough for functions that grow like exp(f), fine enough for steps in a Gaussian of variance 10⁴.
_REACH, _N_POINTS = 15.0, 751
# Where the normal density is 10⁻⁹ of its peak, and the step of an even grid for the density alone.
_BELL_REACH, _STEP = 6.5, 1.0


@lru_cache(maxsize=8)
def gauss_hermite(n_nodes):
    """Nodes and weights with E[g(z)] ≈ Σ w g(z), z ~ N(0, 1); few nodes do for polynomials."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    return nodes, weights / weights.sum()


@lru_cache(maxsize=1)
def normal_grid():
    """Points of the trapezoidal rule for z ~ N(0, 1) and the logarithms of their weights."""
    points = np.linspace(-_REACH, _REACH, _N_POINTS)
    log_weights = -0.5 * np.square(points)
    return points, log_weights - logsumexp(log_weights)


def spread(mean, var):
    """The points of the grid for N(mean, var): one more axis, last."""
    return np.asarray(mean)[..., None] + np.sqrt(np.asarray(var))[..., None] * normal_grid()[0]


def gaussian_expectation(function, mean, var):
    """E[function(f)] for f ~ N(mean, var), elementwise."""
    return function(spread(mean, var)) @ np.exp(normal_grid()[1])


def log_gaussian_expectation(log_function, mean, var):
    """log E[exp(log_function(f))] for f ~ N(mean, var), elementwise and without underflow."""
    return logsumexp(log_function(spread(mean, var)) + normal_grid()[1], axis=-1)


@lru_cache(maxsize=16)
def bell_grid(steepness):
    """Even points around the peak of φ(u) Π Ψ(a_k + b_k u): their sum is the integral.

    The spectrum of such a product falls like exp(−ω² / 2(1 + Σ b_k²)), the sum over the factors that are not
    yet one: it is this ``steepness``, for which the sum is off by 10⁻⁸.
    """
    step = _STEP / np.sqrt(steepness)
    n_points = int(np.ceil(_BELL_REACH / step))
    return step * np.arange(-n_points, n_points + 1)
