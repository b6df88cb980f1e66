"""Gauss-Hermite expectations under one-dimensional Gaussians."""

from functools import lru_cache

import numpy as np
from scipy.special import logsumexp

__all__ = ["gauss_hermite", "gaussian_expectation", "log_gaussian_expectation"]

DEFAULT_NODES = 64


@lru_cache(maxsize=8)
def gauss_hermite(n_nodes=DEFAULT_NODES):
    """Nodes and weights with E[g(z)] ≈ Σ w g(z), z ~ N(0, 1)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    return nodes, weights / weights.sum()


def spread(mean, var, n_nodes=DEFAULT_NODES):
    """Points of the rule for N(mean, var): one more axis, last."""
    nodes, _ = gauss_hermite(n_nodes)
    return np.asarray(mean)[..., None] + np.sqrt(np.asarray(var))[..., None] * nodes


def gaussian_expectation(function, mean, var, n_nodes=DEFAULT_NODES):
    """E[function(f)] for f ~ N(mean, var), elementwise."""
    _, weights = gauss_hermite(n_nodes)
    return function(spread(mean, var, n_nodes)) @ weights


def log_gaussian_expectation(log_function, mean, var, n_nodes=DEFAULT_NODES):
    """log E[exp(log_function(f))] for f ~ N(mean, var), elementwise and without underflow."""
    _, weights = gauss_hermite(n_nodes)
    return logsumexp(log_function(spread(mean, var, n_nodes)) + np.log(weights), axis=-1)
