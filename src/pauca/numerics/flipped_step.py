"""A Gaussian and a Beta distribution times a step that errs: the inner loops of label noise, compiled.

The factor is [ε + (1 − 2ε) step(u)]^s with u ~ N(mean, var) and ε ~ Beta(a, b), or ε = a / (a + b) known.
Importing this module loads numba: do it where the functions are called.
"""

from math import exp, inf, lgamma, log, log1p, sqrt

import numpy as np
from numba import njit

from .compiled import normal_tail

_LARGEST = 1e8


@njit(cache=True, error_model="numpy")
def log_rates(a, b, known, s):
    """log E[(1 − ε)^s] and log E[ε^s]."""
    if known:
        return s * log(b / (a + b)), s * log(a / (a + b)) if a > 0 else -inf
    if s == 1:
        return log(b / (a + b)), log(a / (a + b))
    both = lgamma(a + b + s) - lgamma(a + b)
    return lgamma(b + s) - lgamma(b) - both, lgamma(a + s) - lgamma(a) - both


@njit(cache=True, error_model="numpy")
def tilt(mean, var, a, b, known, s):
    """log Z, P(u < 0), slope √var ∂log Z/∂mean and the ratio of the new variance to the old one.

    Thesis (6.69)-(6.73), for any power s: a mixture of the two halves of the Gaussian.
    """
    z = min(max(mean / sqrt(var), -_LARGEST), _LARGEST)
    log_right, log_wrong = log_rates(a, b, known, s)
    log_above, ratio_above, spread_above = normal_tail(z)
    log_below, ratio_below, spread_below = normal_tail(-z)
    log_right += log_above
    log_wrong += log_below
    top = max(log_right, log_wrong)
    log_z = top + log1p(exp(min(log_right, log_wrong) - top))
    keep, flip = exp(log_right - log_z), exp(log_wrong - log_z)
    slope = keep * ratio_above - flip * ratio_below
    spread = keep * spread_above + flip * spread_below + keep * flip * (ratio_above + ratio_below) ** 2
    return log_z, flip, slope, spread


@njit(cache=True, error_model="numpy")
def matched_beta(a, b, known, s, flip):
    """Beta with the mean and variance of flip · Beta(a + s, b) + (1 − flip) · Beta(a, b + s)."""
    if known:
        return a, b
    total = a + b + s
    mean = (a + s * flip) / total
    inside = (flip * (a + s) * b + (1 - flip) * a * (b + s)) / (total * total * (total + 1))
    var = inside + flip * (1 - flip) * (s / total) ** 2
    count = mean * (1 - mean) / var - 1
    return count * mean, count * (1 - mean)


@njit(cache=True, error_model="numpy")
def digamma(x):
    """Derivative of log Γ for x > 0."""
    shift = 0.0
    while x < 8:
        shift -= 1 / x
        x += 1
    u = 1 / (x * x)
    return shift + log(x) - 0.5 / x - u * (1 / 12 - u * (1 / 120 - u * (1 / 252 - u * (1 / 240 - u / 132))))


@njit(cache=True, error_model="numpy")
def beta_divergence(a, b, a_old, b_old):
    """KL of Beta(a, b) from Beta(a_old, b_old)."""
    logs = lgamma(a_old) + lgamma(b_old) - lgamma(a_old + b_old) - lgamma(a) - lgamma(b) + lgamma(a + b)
    fewer = (a_old - a + b_old - b) * digamma(a + b)
    return logs + (a - a_old) * digamma(a) + (b - b_old) * digamma(b) + fewer


@njit(cache=True, error_model="numpy")
def tilt_rows(mean, var, a, b, known, s):
    """`tilt` of each row: an array of shape (4, n_rows)."""
    result = np.empty((4, len(mean)))
    for i in range(len(mean)):
        result[0, i], result[1, i], result[2, i], result[3, i] = tilt(
            mean[i], var[i], a[i], b[i], known, s[i]
        )
    return result


@njit(cache=True, error_model="numpy")
def gain(mean, var, a, b, known, s):
    """KL by which the factor would move the posterior of (u, ε), thesis (6.110), and log Z."""
    log_z, flip, slope, spread = tilt(mean, var, a, b, known, s)
    divergence = 0.5 * (spread - 1 - log(spread) + slope * slope)
    if not known:
        a_new, b_new = matched_beta(a, b, known, s, flip)
        divergence += beta_divergence(a_new, b_new, a, b)
    return divergence, log_z


@njit(cache=True, error_model="numpy")
def gains(mean, var, a, b, known, s, expected):
    """`gain` and log Z of each row: an array of shape (2, n_rows).

    ``expected``: the gain averaged over both labels of the row with their probabilities.
    """
    result = np.empty((2, len(mean)))
    for i in range(len(mean)):
        right, log_right = gain(mean[i], var[i], a, b, known, s[i])
        result[0, i], result[1, i] = right, log_right
        if expected:
            wrong, log_wrong = gain(-mean[i], var[i], a, b, known, s[i])
            share = 1 / (1 + exp(log_wrong - log_right))
            result[0, i] = share * right + (1 - share) * wrong
    return result
