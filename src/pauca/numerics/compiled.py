"""Moments of one Gaussian variable times one factor, as machine code."""

import math

from numba import njit

_ROOT_HALF = math.sqrt(0.5)
_ROOT_TAU = math.sqrt(2 * math.pi)
# Beyond this the ratios come from their continued fraction, which then needs few terms.
_TAIL = -5.0
_N_TERMS = 40


@njit(cache=True, error_model="numpy")
def normal_tail(z):
    """log Ψ(z), r(z) = φ(z) / Ψ(z) and δ(z) = 1 − r (z + r)."""
    if z > _TAIL:
        cdf = 0.5 * math.erfc(-z * _ROOT_HALF)
        r = math.exp(-0.5 * z * z) / (_ROOT_TAU * cdf)
        log_cdf = math.log1p(-0.5 * math.erfc(z * _ROOT_HALF)) if z > 0 else math.log(cdf)
        return log_cdf, r, 1 - r * (z + r)
    x, fraction = -z, 0.0
    for k in range(_N_TERMS, 1, -1):
        fraction = k / (x + fraction)
    # r = x + 1/(x + 2/(x + 3/...)): with e = r − x, e (x + fraction) = 1 and δ = 1 − r e = e (fraction − e).
    excess = 1 / (x + fraction)
    r = x + excess
    return -0.5 * z * z - math.log(r * _ROOT_TAU), r, excess * (fraction - excess)


@njit(cache=True, error_model="numpy")
def probit_moments(y, mean, var, power):
    """Mean and variance of Ψ(y f) N(f | mean, var), normalised."""
    root = math.sqrt(1 + var)
    _, r, delta = normal_tail(y * mean / root)
    return mean + y * var * r / root, var * (1 + var * delta) / (1 + var)


@njit(cache=True, error_model="numpy")
def truncated_moments(mean, var):
    """Mean and variance of N(mean, var) cut at zero."""
    root = math.sqrt(var)
    _, r, delta = normal_tail(mean / root)
    return mean + root * r, var * delta


@njit(cache=True, error_model="numpy")
def unchanged_moments(mean, var):
    """Mean and variance of N(mean, var) itself."""
    return mean, var
