"""A bound on the error of sign-constrained machines (EPCVM 2014, section V)."""

from math import log, sqrt

import numpy as np

from ...numerics import half_log_det, inverse_mills, log_ndtr, robust_cholesky, solve_lower

# Constants of the theorem: ratio and start of the radii, and the margin of the loss.
_RATIO, _RADIUS, _MARGIN = 2.0, 1.0, 1.0


def truncated_divergence(mean, precision, prior_precision):
    """KL of N(mean, 1 / precision) from N(0, 1 / prior_precision), both cut to w ≥ 0 (eq. 15, corrected)."""
    z = mean * np.sqrt(precision)
    cross = 0.5 * (prior_precision + precision) * mean * inverse_mills(z) / np.sqrt(precision)
    return gaussian_divergence(mean, precision, prior_precision) + cross - log(2) - log_ndtr(z)


def gaussian_divergence(mean, precision, prior_precision):
    """KL of N(mean, 1 / precision) from N(0, 1 / prior_precision)."""
    ratio = prior_precision / precision
    return 0.5 * (ratio - 1 - np.log(ratio) + prior_precision * np.square(mean))


def correlated_divergence(mean, factor, prior_precision):
    """KL of N(mean, (L Lᵀ)⁻¹), L = ``factor``, from N(0, A⁻¹), A the matrix ``prior_precision``."""
    prior_factor = robust_cholesky(prior_precision)
    ratio = solve_lower(factor, prior_factor)
    volume = half_log_det(factor) - half_log_det(prior_factor)
    return volume + 0.5 * (np.square(ratio).sum() - len(mean) + np.square(prior_factor.T @ mean).sum())


def margin_loss(margins, weights):
    """Mean of the loss that falls from one at margin zero to zero at margin one."""
    return float(weights @ np.clip(1 - margins / _MARGIN, 0.0, 1.0) / weights.sum())


def error_bound(loss, divergence, n, delta):
    """Bound on the error that holds with probability 1 − delta (eq. 13, 14)."""
    radius = _RATIO * max(divergence, _RADIUS)
    union = log(log(_RATIO * radius / _RADIUS) / log(_RATIO)) + 0.5 * log(1 / delta)
    return loss + 2 / _MARGIN * sqrt(2 * radius / n) + sqrt(union / n)
