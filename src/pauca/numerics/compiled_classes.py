"""Integrals of the multinomial probit model, compiled, row by row and without temporary arrays.

Importing this module loads numba: do it where the functions are called.
"""

from math import ceil, exp, inf, log, log1p, log2, pi, sqrt

import numpy as np
from scipy.special import log_ndtr, ndtr

from .compiled_moments import normal_tail
from .jit import compiled
from .normal import inverse_mills

_ROOT_TAU = sqrt(2 * pi)
# Standard scores between which Ψ and φ / Ψ are expanded around the nearest of evenly spaced nodes, and the
# number of these in a unit: the error is then about 10⁻¹⁰. Above, Ψ is one.
_FIRST, _LAST, _DENSITY = -5.0, 8.5, 64
# Largest argument of Ψ in absolute value; numerical guard against overflow of its square.
_LARGEST = 1e150
# Newton steps to the peak of an integrand, which the grid must only contain; set by hand.
_N_STEPS = 3
# Ratio of the largest steepness of an integrand to its curvature at the peak, and the largest power of two of
# the steepness for which a grid is made; set by hand.
_MARGIN, _FINEST = 1.5, 14
# Reach of the grid around a peak in standard deviations (the density there is 10⁻⁹ of its peak), and its step
# at a steepness of one; the error of the sum is then about 10⁻⁸.
_BELL_REACH, _BELL_STEP = 6.5, 1.0
# Reach of the grid of the largest latent value, and the log probability of a class below which that grid may
# miss a part, so that the class has a grid of its own.
_REACH, _RARE = 8.5, -12.0
# Most points of that grid, and the smallest probability whose logarithm is taken; numerical guards.
_MOST_POINTS, _LEAST = 4000, 1e-300
# Fall of the logarithm of an integrand behind which it is zero, and the largest rise before sums are put in
# other units; numerical guards.
_NEGLIGIBLE, _MOST_NATS = 24.0, 300.0


def _mills_table():
    """log Ψ and its first four derivatives, divided by factorials, at the nodes."""
    z = np.arange(_FIRST, _LAST + 2 / _DENSITY, 1 / _DENSITY)
    r = inverse_mills(z)
    first = -r * (z + r)
    second = -first * (z + 2 * r) - r
    third = -second * (z + 2 * r) - 2 * first * (1 + first)
    return np.ascontiguousarray(np.array([log_ndtr(z), r, first / 2, second / 6, third / 24]).T)


def _normal_table():
    """Ψ and its first four derivatives, divided by factorials, at nodes from minus the reach on."""
    z = np.arange(-_REACH, _REACH + 2 / _DENSITY, 1 / _DENSITY)
    phi = np.exp(-0.5 * np.square(z)) / _ROOT_TAU
    parts = [ndtr(z), phi, -z * phi / 2, (np.square(z) - 1) * phi / 6, z * (3 - np.square(z)) * phi / 24]
    return np.ascontiguousarray(np.array(parts).T)


_MILLS, _NORMAL = _mills_table(), _normal_table()


@compiled
def _ratio(z):
    """log Ψ(z), r(z) = φ(z) / Ψ(z), and δ(z) = 1 − r (z + r)."""
    if z > _LAST:
        return 0.0, 0.0, 1.0
    if z < _FIRST:
        return normal_tail(max(z, -_LARGEST))
    node = int((z - _FIRST) * _DENSITY + 0.5)
    d = z - _FIRST - node / _DENSITY
    a, b, c, e, f = _MILLS[node]
    r = b + d * (2 * c + d * (3 * e + d * 4 * f))
    return a + d * (b + d * (c + d * (e + d * f))), r, 1 - r * (z + r)


@compiled
def _peak(gaps, ratios):
    """Approximate maximum of −u² / 2 + Σ log Ψ(gap + ratio · u), and the power of two of its steepness.

    Newton steps from zero never go beyond the peak.
    """
    u, curvature, largest = 0.0, 1.0, 0.0
    for _ in range(_N_STEPS):
        gradient, curvature = -u, 1.0
        for k in range(gaps.size):
            _, r, delta = _ratio(gaps[k] + ratios[k] * u)
            gradient += ratios[k] * r
            curvature += ratios[k] * ratios[k] * (1 - delta)
            largest = max(largest, ratios[k])
        u += gradient / curvature
    steepness = max(1 + largest * largest, _MARGIN * curvature)
    return u, min(max(ceil(log2(steepness)), 1), _FINEST)


@compiled
def _terms(gaps, ratios, u, mills, shares):
    """−u² / 2 + Σ log Ψ(gap + ratio · u); ``mills`` and ``shares`` become φ / Ψ and 1 less the curvature."""
    log_sum = -0.5 * u * u
    for k in range(gaps.size):
        log_cdf, mills[k], shares[k] = _ratio(gaps[k] + ratios[k] * u)
        log_sum += log_cdf
    return log_sum


@compiled
def _integrate(gaps, ratios, mean_mills, mean_shares):
    """Log integral of φ(u) Π Ψ(gap + ratio · u), and the variance of u under it.

    ``mean_mills`` becomes the mean of φ / Ψ for each factor, ``mean_shares`` the mean of 1 less the curvature
    plus the variance of φ / Ψ. Sums are of differences to the values at the peak, so that nothing cancels.
    """
    peak, level = _peak(gaps, ratios)
    step = _BELL_STEP / sqrt(2.0**level)
    n_points, size = ceil(_BELL_REACH / step), gaps.size
    mills, shares = np.empty(size), np.empty(size)
    first, squares = np.empty(size), np.zeros(size)
    mean_mills[:], mean_shares[:] = 0.0, 0.0
    reference = _terms(gaps, ratios, peak, first, shares)
    total, mean_u, square_u = 0.0, 0.0, 0.0
    for side in (1, -1):
        for point in range(side < 0, n_points + 1):
            far = side * step * point
            term = _terms(gaps, ratios, peak + far, mills, shares)
            if term < reference - _NEGLIGIBLE:  # the integrand has one peak
                break
            if term > reference + _MOST_NATS:  # the start was far from the peak
                shrink = exp(reference - term)
                total, mean_u, square_u, reference = shrink * total, shrink * mean_u, shrink * square_u, term
                mean_mills *= shrink
                mean_shares *= shrink
                squares *= shrink
            weight = exp(term - reference)
            total += weight
            mean_u += weight * far
            square_u += weight * far * far
            for k in range(size):
                excess = mills[k] - first[k]
                mean_mills[k] += weight * excess
                squares[k] += weight * excess * excess
                mean_shares[k] += weight * shares[k]
    for k in range(size):
        middle = mean_mills[k] / total
        mean_shares[k] = mean_shares[k] / total + max(squares[k] / total - middle * middle, 0.0)
        mean_mills[k] = first[k] + middle
    middle = mean_u / total
    return reference + log(total * step / _ROOT_TAU), square_u / total - middle * middle


@compiled
def _place(mean, spread, own, gaps, ratios):
    """Gaps and ratios of the rivals of a class in the order of their codes."""
    for place in range(gaps.size):
        k = place + (place >= own)
        gaps[place], ratios[place] = (mean[own] - mean[k]) / spread[k], spread[own] / spread[k]


@compiled
def class_integrals(y, mean, spread, log_values, gradients, shares):
    """Log probability of each row's class, its gradient in the means, and the shares of variances left.

    The argument of Ψ for a rival of the own class is a line in u, gap + ratio · u. The share
    1 + s_k² ∂² log Z / ∂ mean_k² is the variance of u for the own class; for a rival the variance of φ / Ψ
    plus the mean of δ. All terms are positive.
    """
    n, n_classes = mean.shape
    gaps, ratios = np.empty(n_classes - 1), np.empty(n_classes - 1)
    mills, left = np.empty(n_classes - 1), np.empty(n_classes - 1)
    for i in range(n):
        own = y[i]
        _place(mean[i], spread[i], own, gaps, ratios)
        log_values[i], shares[i, own] = _integrate(gaps, ratios, mills, left)
        gradients[i, own] = 0.0
        for place in range(n_classes - 1):
            k = place + (place >= own)
            gradients[i, k] = -mills[place] / spread[i, k]
            gradients[i, own] -= gradients[i, k]
            shares[i, k] = left[place]


@compiled
def class_log_weights(mean, spread, negligible, out):
    """Log probability of each class by one grid of the largest latent value with its noise.

    P(k) is the integral over t of the density of the class's value at t times Π_{j≠k} Ψ((t − mean_j) / s_j).
    A class that beats the most probable one with a log probability below ``negligible`` has that value.
    """
    n, n_classes = mean.shape
    near, cdf, density = np.empty(n_classes, np.bool_), np.empty(n_classes), np.empty(n_classes)
    above, gaps = np.empty(n_classes + 1), np.empty(n_classes - 1)
    ratios = np.empty(n_classes - 1)
    mills, left = np.empty(n_classes - 1), np.empty(n_classes - 1)
    for i in range(n):
        best, lower, upper, steepest = 0, -inf, -inf, 0.0
        for k in range(n_classes):
            best = k if mean[i, k] > mean[i, best] else best
            lower = max(lower, mean[i, k] - _REACH * spread[i, k])
            upper = max(upper, mean[i, k] + _REACH * spread[i, k])
        sum_near = 0.0
        for k in range(n_classes):
            gap = (mean[i, k] - mean[i, best]) / sqrt(spread[i, k] ** 2 + spread[i, best] ** 2)
            log_pair = normal_tail(max(gap, -_LARGEST))[0]
            near[k] = log_pair > negligible
            out[i, k] = 0.0 if near[k] else log_pair
            if mean[i, k] + _REACH * spread[i, k] > lower:
                steepness = 1 / (spread[i, k] * spread[i, k])
                steepest = max(steepest, steepness)
                sum_near += steepness
        step = _BELL_STEP / sqrt(min(sum_near, (2 + 2 * log1p(n_classes)) * steepest))
        has_grid = (upper - lower) / step < _MOST_POINTS
        if has_grid:
            for point in range(int((upper - lower) / step) + 2):
                _add_point(mean[i], spread[i], near, lower + step * point, (cdf, density, above), out[i])
        for k in range(n_classes):
            if near[k]:
                value = step * out[i, k]
                out[i, k] = log(value) if value > _LEAST else -inf
                if not has_grid or out[i, k] < _RARE:
                    _place(mean[i], spread[i], k, gaps, ratios)
                    out[i, k] = _integrate(gaps, ratios, mills, left)[0]


@compiled
def _add_point(mean, spread, near, t, parts, out):
    """Add the densities of the largest value's being ``t`` to the sums of the classes that are near."""
    (cdf, density, above), n_classes = parts, mean.size
    above[n_classes] = 1.0
    for k in range(n_classes - 1, -1, -1):
        z = (t - mean[k]) / spread[k]
        if z >= _REACH:
            cdf[k], density[k] = 1.0, 0.0
        else:
            node = int((z + _REACH) * _DENSITY + 0.5) if z > -_REACH else 0
            d = z + _REACH - node / _DENSITY
            a, b, c, e, f = _NORMAL[node]
            cdf[k] = a + d * (b + d * (c + d * (e + d * f)))
            density[k] = (b + d * (2 * c + d * (3 * e + d * 4 * f))) / spread[k]
        above[k] = above[k + 1] * cdf[k]
    below = 1.0
    for k in range(n_classes):
        if near[k]:
            out[k] += density[k] * below * above[k + 1]
        below *= cdf[k]
