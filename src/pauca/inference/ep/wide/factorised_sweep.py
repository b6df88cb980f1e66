"""Sweep of factorised expectation propagation over the rows, compiled.

Every row i has a site exp(shift_ij·w_j − ½ precision_ij·w_j²) for each weight. Its likelihood integrated over
the latent value u = x·w ~ N(m, v) is Z(m, v); the new moments of all weights follow from the first two
derivatives of log Z in m. Importing this module loads numba: do it where the functions are called.
"""

from math import exp, log, pi, sqrt

import numpy as np

from ....numerics.compiled_moments import normal_tail
from ....numerics.jit import compiled

# Reordering of sums is allowed, so that loops over features are vectorised.
_FAST = {"reassoc", "contract", "arcp", "nsz", "nnan", "ninf"}
# Reach and step of the trapezoidal rule for powers of Ψ, in standard deviations; set by hand.
_REACH, _STEP = 9.0, 0.5
# Most Newton steps to the mode of an integrand, and the relative step at which they end; numerical guards.
_MAX_NEWTON, _MODE_TOL = 100, 1e-10
# Largest share for which −log(1 − share) is a series; numerical guard.
_SMALL_SHARE = 1e-3


@compiled
def sweep(X, y, weights, noise, precision, shift, total_precision, total_shift):
    """Update the sites of all rows in turn, and their sums, in place.

    Labels are ±1 if ``noise`` is zero (probit), else numbers with noise of that variance. Returns the number
    of rows that were skipped, for they have no proper cavity.
    """
    n_skipped, kind = 0, X.dtype.type
    for i in range(len(y)):
        mean, var, n_improper = _latent_cavity(X[i], precision[i], shift[i], total_precision, total_shift)
        if n_improper > 0:
            n_skipped += 1
            continue
        _, gradient, curvature = tilt(y[i], float(mean), float(var), weights[i], noise)
        _update_row(
            X[i], precision[i], shift[i], total_precision, total_shift, kind(gradient), kind(curvature)
        )
    return n_skipped


@compiled(fastmath=_FAST)
def _latent_cavity(x, precision, shift, total_precision, total_shift):
    """Cavity mean and variance of x·w (thesis 7.12, 7.13), and the number of improper cavities."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    mean, var, n_improper = zero, zero, zero
    for j in range(len(x)):
        cavity = total_precision[j] - precision[j]
        n_improper += one if cavity <= zero else zero
        share = x[j] / cavity
        var += share * x[j]
        mean += share * (total_shift[j] - shift[j])
    return mean, var, n_improper


@compiled(fastmath=_FAST)
def _update_row(x, precision, shift, total_precision, total_shift, gradient, curvature):
    """New sites of a row (thesis 7.23, 7.24, 7.35, 7.36 in natural parameters) and new sums, in place."""
    for j in range(len(x)):
        cavity = total_precision[j] - precision[j]
        cavity_shift = total_shift[j] - shift[j]
        bend = curvature * x[j] * x[j]
        new = bend * cavity / (cavity - bend)
        push = gradient * x[j]
        new_shift = push + new * (cavity_shift + push) / cavity
        total_precision[j], total_shift[j] = cavity + new, cavity_shift + new_shift
        precision[j], shift[j] = new, new_shift


@compiled
def tilt(y, mean, var, weight, noise):
    """log Z of a likelihood to the power ``weight``, its derivative in ``mean`` and minus the second one."""
    if noise > 0:
        total, gap = var + noise / weight, y - mean
        constant = log(2 * pi * noise) * (weight - 1) + log(weight)
        return -0.5 * (log(2 * pi * total) + gap * gap / total + constant), gap / total, 1 / total
    if weight == 1:
        total = 1 + var
        log_cdf, ratio, rest = normal_tail(y * mean / sqrt(total))
        return log_cdf, y * ratio / sqrt(total), (1 - rest) / total
    log_z, gradient, curvature = _powered(y * mean, var, weight)
    return log_z, y * gradient, curvature


@compiled
def _powered(mean, var, weight):
    """log Z of Ψ(u)^weight, its derivative in ``mean`` and minus the second one, by the trapezoidal rule."""
    mode, curvature = _mode(mean, var, weight)
    width = 1 / sqrt(curvature)
    step = _STEP * min(width, 1.0)
    n_left, n_right = int(_REACH * width / step) + 1, int(_REACH * sqrt(var) / step) + 1
    top = weight * normal_tail(mode)[0] - 0.5 * (mode - mean) ** 2 / var
    total, first, second = 0.0, 0.0, 0.0
    for node in range(-n_left, n_right + 1):
        u = mode + step * node
        mass = exp(weight * normal_tail(u)[0] - 0.5 * (u - mean) ** 2 / var - top)
        total, first, second = total + mass, first + mass * (u - mode), second + mass * (u - mode) ** 2
    offset = first / total
    left = (second / total - offset * offset) / var
    log_z = top + log(total * step) - 0.5 * log(2 * pi * var)
    return log_z, (mode + offset - mean) / var, (1 - left) / var


@compiled
def _mode(mean, var, weight):
    """Mode of Ψ(u)^weight N(u | mean, var) and minus the second derivative of its logarithm there."""
    u = mean
    for _ in range(_MAX_NEWTON):
        _, ratio, rest = normal_tail(u)
        curvature = 1 / var + weight * (1 - rest)
        move = ((mean - u) / var + weight * ratio) / curvature
        u += move
        if abs(move) < _MODE_TOL * (1 + abs(u)):
            break
    return u, curvature


@compiled
def log_scales(X, y, weights, noise, precision, shift, total_precision, total_shift):
    """Sum over all rows of the log scales that give sites the integrals of their likelihoods."""
    result = 0.0
    for i in range(len(y)):
        mean, var, logs, exponents = 0.0, 0.0, 0.0, 0.0
        for j in range(X.shape[1]):
            total, own, own_shift = total_precision[j], float(precision[i, j]), float(shift[i, j])
            cavity, cavity_shift = total - own, total_shift[j] - own_shift
            share, m = X[i, j] / cavity, cavity_shift / cavity
            var += share * X[i, j]
            mean += X[i, j] * m
            logs += _log_ratio(own / total)
            exponents += (
                2 * own_shift * cavity_shift + own_shift * own_shift - own * m * cavity_shift
            ) / total
        result += tilt(y[i], mean, var, weights[i], noise)[0] + 0.5 * (logs - exponents)
    return result


@compiled(inline="always")
def _log_ratio(share):
    """−log(1 − share), fast for the many tiny shares."""
    if abs(share) < _SMALL_SHARE:
        return share * (1 + share * (1 / 2 + share * (1 / 3 + share * (1 / 4 + share / 5))))
    return -np.log1p(-share)


@compiled
def tilt_rows(y, mean, var, weights):
    """`tilt` of the probit likelihood of each row: an array of shape (3, n_rows)."""
    result = np.empty((3, len(y)))
    for i in range(len(y)):
        result[0, i], result[1, i], result[2, i] = tilt(y[i], mean[i], var[i], weights[i], 0.0)
    return result
