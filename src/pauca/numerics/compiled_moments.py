"""Moments of one Gaussian variable times one factor of a likelihood or prior, compiled.

The factors are the probit, the sign of a weight, and the noisy step of label noise: (1 − ε)^s ε^t for u > 0
and ε^s (1 − ε)^t for u < 0, where s labels of a row say u > 0 and t say u < 0, with u ~ N(mean, var) and
ε ~ Beta(a, b), or the constant ε = a / (a + b) where it is ``known``. Importing
this module loads numba: do it where the functions are called.
"""

from math import erfc, exp, inf, lgamma, log, log1p, pi, sqrt

import numpy as np

from .jit import compiled

_ROOT_HALF = sqrt(0.5)
_ROOT_TAU = sqrt(2 * pi)
# Standard score below which φ/Ψ comes from its continued fraction, and the number of terms of the fraction.
# Numerical guards.
_TAIL = -5.0
_N_TERMS = 40
# Largest standard score in absolute value; numerical guard against overflow of its square.
_LARGEST_SCORE = 1e8
# Argument from which the asymptotic series of the digamma function is used; numerical guard.
_SERIES_START = 8


@compiled
def normal_tail(z):
    """log Ψ(z), r(z) = φ(z) / Ψ(z) and δ(z) = 1 − r (z + r) of the standard normal distribution Ψ."""
    if z > _TAIL:
        cdf = 0.5 * erfc(-z * _ROOT_HALF)
        r = exp(-0.5 * z * z) / (_ROOT_TAU * cdf)
        log_cdf = log1p(-0.5 * erfc(z * _ROOT_HALF)) if z > 0 else log(cdf)
        return log_cdf, r, 1 - r * (z + r)
    x, fraction = -z, 0.0
    for k in range(_N_TERMS, 1, -1):
        fraction = k / (x + fraction)
    # r = x + 1/(x + 2/(x + 3/...)): with e = r − x, e (x + fraction) = 1 and δ = 1 − r e = e (fraction − e).
    excess = 1 / (x + fraction)
    r = x + excess
    return -0.5 * z * z - log(r * _ROOT_TAU), r, excess * (fraction - excess)


@compiled
def probit_moments(y, mean, var, power):
    """Mean and variance of Ψ(y f) N(f | mean, var), normalised; ``power`` is taken to be one."""
    root = sqrt(1 + var)
    _, r, delta = normal_tail(y * mean / root)
    return mean + y * var * r / root, var * (1 + var * delta) / (1 + var)


@compiled
def truncated_moments(mean, var):
    """Mean and variance of N(mean, var) truncated to positive values."""
    root = sqrt(var)
    _, r, delta = normal_tail(mean / root)
    return mean + root * r, var * delta


@compiled
def unchanged_moments(mean, var):
    """Mean and variance of N(mean, var) itself, for priors without further factors."""
    return mean, var


@compiled
def log_beta_ratio(a, b, a_old, b_old):
    """log B(a, b) / B(a_old, b_old)."""
    logs = lgamma(a) - lgamma(a_old) + lgamma(b) - lgamma(b_old)
    return logs - lgamma(a + b) + lgamma(a_old + b_old)


@compiled
def log_rates(a, b, known, s, t):
    """log E[(1 − ε)^s ε^t] and log E[ε^s (1 − ε)^t], the log probabilities of the labels for both signs."""
    if known:
        right, wrong = log(b / (a + b)), log(a / (a + b)) if a > 0 else -inf
        return s * right + _times(t, wrong), _times(s, wrong) + t * right
    if s == 1 and t == 0:
        return log(b / (a + b)), log(a / (a + b))
    return log_beta_ratio(a + t, b + s, a, b), log_beta_ratio(a + s, b + t, a, b)


@compiled
def _times(count, log_rate):
    """``count`` times a logarithm that may be −inf, zero for no count."""
    return count * log_rate if count > 0 else 0.0


@compiled
def tilt(mean, var, a, b, known, s, t):
    """log Z, P(u < 0), gradient √var ∂log Z/∂mean and the ratio of the tilted variance to ``var``.

    The tilted distribution mixes the two halves of the Gaussian (thesis 6.69-6.73, for any s and t). Where
    labels of both kinds are certain, so that neither half is possible, it is the Gaussian itself.
    """
    log_right, log_wrong = log_rates(a, b, known, s, t)
    return tilt_halves(mean, var, log_right, log_wrong)


@compiled
def tilt_halves(mean, var, log_right, log_wrong):
    """`tilt` by a factor with these logarithms for u > 0 and for u < 0."""
    z = min(max(mean / sqrt(var), -_LARGEST_SCORE), _LARGEST_SCORE)
    if log_right == -inf and log_wrong == -inf:
        return -inf, 0.5, 0.0, 1.0
    log_above, ratio_above, delta_above = normal_tail(z)
    log_below, ratio_below, delta_below = normal_tail(-z)
    log_right += log_above
    log_wrong += log_below
    top = max(log_right, log_wrong)
    log_z = top + log1p(exp(min(log_right, log_wrong) - top))
    keep, flip = exp(log_right - log_z), exp(log_wrong - log_z)
    gradient = keep * ratio_above - flip * ratio_below
    var_ratio = keep * delta_above + flip * delta_below + keep * flip * (ratio_above + ratio_below) ** 2
    return log_z, flip, gradient, var_ratio


@compiled
def matched_beta(a, b, known, s, t, flip):
    """Beta with the mean and variance of flip · Beta(a + s, b + t) + (1 − flip) · Beta(a + t, b + s)."""
    if known:
        return a, b
    total = a + b + s + t
    wrong, right = (a + s) / total, (a + t) / total
    mean = flip * wrong + (1 - flip) * right
    within = (flip * wrong * (1 - wrong) + (1 - flip) * right * (1 - right)) / (total + 1)
    var = within + flip * (1 - flip) * (wrong - right) ** 2
    count = mean * (1 - mean) / var - 1
    return count * mean, count * (1 - mean)


@compiled
def digamma(x):
    """Derivative of log Γ for x > 0."""
    shift = 0.0
    while x < _SERIES_START:
        shift -= 1 / x
        x += 1
    u = 1 / (x * x)
    return shift + log(x) - 0.5 / x - u * (1 / 12 - u * (1 / 120 - u * (1 / 252 - u * (1 / 240 - u / 132))))


@compiled
def mean_log_rates(a, b, known):
    """E[log(1 − ε)] and E[log ε]."""
    if known:
        return log(b / (a + b)), log(a / (a + b)) if a > 0 else -inf
    return digamma(b) - digamma(a + b), digamma(a) - digamma(a + b)


@compiled
def beta_divergence(a, b, a_old, b_old):
    """Kullback-Leibler divergence in nats of Beta(a, b) from Beta(a_old, b_old)."""
    logs = lgamma(a_old) + lgamma(b_old) - lgamma(a_old + b_old) - lgamma(a) - lgamma(b) + lgamma(a + b)
    fewer = (a_old - a + b_old - b) * digamma(a + b)
    return logs + (a - a_old) * digamma(a) + (b - b_old) * digamma(b) + fewer


@compiled
def tilt_rows(mean, var, a, b, known, s, t):
    """`tilt` of each row: an array of shape (4, n_rows)."""
    result = np.empty((4, len(mean)))
    for i in range(len(mean)):
        result[0, i], result[1, i], result[2, i], result[3, i] = tilt(
            mean[i], var[i], a[i], b[i], known, s[i], t[i]
        )
    return result


@compiled
def gain(mean, var, a, b, known, s, t):
    """Information gain of the labels of a row about (u, ε) in nats (thesis 6.110), and log Z."""
    log_z, flip, gradient, var_ratio = tilt(mean, var, a, b, known, s, t)
    divergence = 0.5 * (var_ratio - 1 - log(var_ratio) + gradient * gradient)
    if not known:
        a_new, b_new = matched_beta(a, b, known, s, t, flip)
        divergence += beta_divergence(a_new, b_new, a, b)
    return divergence, log_z


@compiled
def gains(mean, var, a, b, known, s, t, expected):
    """`gain` and log Z of each row: an array of shape (2, n_rows).

    ``expected``: the gain averaged over the labels of the row and their opposites with their predicted
    probabilities.
    """
    result = np.empty((2, len(mean)))
    for i in range(len(mean)):
        right, log_right = gain(mean[i], var[i], a, b, known, s[i], t[i])
        result[0, i], result[1, i] = right, log_right
        if expected:
            wrong, log_wrong = gain(-mean[i], var[i], a, b, known, s[i], t[i])
            share = 1 / (1 + exp(log_wrong - log_right))
            result[0, i] = share * right + (1 - share) * wrong
    return result
