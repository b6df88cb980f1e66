"""A bound on the error of sign-constrained machines (EPCVM 2014, section V)."""

from math import log, sqrt

import numpy as np

from ...numerics import inverse_mills, log_ndtr

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


def margin_loss(margins, weights):
    """Mean of the loss that falls from one at margin zero to zero at margin one."""
    return float(weights @ np.clip(1 - margins / _MARGIN, 0.0, 1.0) / weights.sum())


def error_bound(loss, divergence, n, delta):
    """Bound on the error that holds with probability 1 − delta (eq. 13, 14)."""
    radius = _RATIO * max(divergence, _RADIUS)
    union = log(log(_RATIO * radius / _RADIUS) / log(_RATIO)) + 0.5 * log(1 / delta)
    return loss + 2 / _MARGIN * sqrt(2 * radius / n) + sqrt(union / n)
