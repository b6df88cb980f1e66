"""Sweeps of the inner loop of the double loop, compiled.

Importing this module loads numba: do it where the functions are called.
"""

from math import log, sqrt

import numpy as np

from ....numerics.compiled_moments import tilt_halves
from ....numerics.jit import compiled
from .dual_sweep import absorb

# First step of the line search, as a share of the way to the moments of the tilted distribution: half of it
# is right where the factor is Gaussian. Most halvings, and the rise that rounding can hide. Set by hand.
_FIRST_STEP, _MAX_HALVINGS, _ROUNDING = 0.5, 20, 1e-12


@compiled
def log_mass(precision, shift):
    """Log integral of exp(shift·u − ½ precision·u²) up to a constant."""
    return 0.5 * (shift * shift / precision - log(precision))


@compiled
def dual_value(q, qh, c, ch, log_right, log_wrong):
    """Part of the dual objective that one site changes, at marginal (q, qh) and cavity (c, ch)."""
    log_z = tilt_halves(ch / c, 1 / c, log_right, log_wrong)[0]
    return -log_mass(q, qh) - log_z - log_mass(c, ch)


@compiled
def ascent(q, qh, c, ch, log_right, log_wrong):
    """Step of a site that raises the dual objective, and the way to the tilted moments it is a part of.

    ``q`` and ``c`` are precisions of marginal and cavity, ``qh`` and ``ch`` their shifts.
    """
    _, _, gradient, ratio = tilt_halves(ch / c, 1 / c, log_right, log_wrong)
    var = ratio / c
    mean = ch / c + gradient / sqrt(c)
    way, way_h = 1 / var - q, mean / var - qh
    size = max(abs(log(var * q)), abs(mean - qh / q) * sqrt(q))
    before = dual_value(q, qh, c, ch, log_right, log_wrong)
    share = _FIRST_STEP
    for _ in range(_MAX_HALVINGS):
        more, more_h = share * way, share * way_h
        if q + more > 0 and c - more > 0:
            value = dual_value(q + more, qh + more_h, c - more, ch - more_h, log_right, log_wrong)
            if value >= before - _ROUNDING * abs(before):
                return more, more_h, size
        share *= 0.5
    return 0.0, 0.0, size


@compiled
def sweep(U, cov, mean, natural, overlap, halves):
    """Update all sites in turn, and the posterior of w with them, in place; returns the largest way left."""
    largest, beta, step = 0.0, np.zeros(2), np.zeros(4)
    for i in range(len(U)):
        along = cov @ U[i]
        var, centre = U[i] @ along, U[i] @ mean
        c, ch = overlap[i, 0] - natural[i, 0], overlap[i, 1] - natural[i, 1]
        step[0], step[1], size = ascent(1 / var, centre / var, c, ch, halves[i, 0], halves[i, 1])
        largest = max(largest, size)
        natural[i, 0] += step[0]
        natural[i, 1] += step[1]
        absorb(step, 1 + step[0] * var, centre, along, cov, mean, beta)
    return largest


@compiled
def tilted(mean, var, halves):
    """log Z and P(u < 0) of each row: an array of shape (2, n_rows)."""
    result = np.empty((2, len(mean)))
    for i in range(len(mean)):
        log_z, flip, _, _ = tilt_halves(mean[i], var[i], halves[i, 0], halves[i, 1])
        result[0, i], result[1, i] = log_z, flip
    return result
