"""Moments of one Gaussian variable times one factor, as machine code."""

import math

from numba import njit

_ROOT_HALF = math.sqrt(0.5)
_ROOT_TAU = math.sqrt(2 * math.pi)
# Beyond this the ratios come from their continued fraction, which then needs few terms.
_TAIL = -5.0
_N_TERMS = 40


@njit(cache=True)
def mills(z):
    """r(z) = φ(z) / Ψ(z) and δ(z) = 1 − r (z + r)."""
    if z > _TAIL:
        r = math.exp(-0.5 * z * z) / _ROOT_TAU / (0.5 * math.erfc(-z * _ROOT_HALF))
        return r, 1 - r * (z + r)
    x, fraction = -z, 0.0
    for k in range(_N_TERMS, 1, -1):
        fraction = k / (x + fraction)
    # r = x + 1/(x + 2/(x + 3/...)): with e = r − x, e (x + fraction) = 1 and δ = 1 − r e = e (fraction − e).
    excess = 1 / (x + fraction)
    return x + excess, excess * (fraction - excess)


@njit(cache=True)
def probit_moments(y, mean, var, power):
    """Mean and variance of Ψ(y f) N(f | mean, var), normalised."""
    root = math.sqrt(1 + var)
    r, delta = mills(y * mean / root)
    return mean + y * var * r / root, var * (1 + var * delta) / (1 + var)


@njit(cache=True)
def truncated_moments(mean, var):
    """Mean and variance of N(mean, var) cut at zero."""
    root = math.sqrt(var)
    r, delta = mills(mean / root)
    return mean + root * r, var * delta


@njit(cache=True)
def unchanged_moments(mean, var):
    """Mean and variance of N(mean, var) itself."""
    return mean, var
