"""Links of portable forms on one row, compiled: probabilities from means and variances of latent values.

Importing this module imports numba: do it where the functions are called.
"""

import math

import numpy as np

from ...numerics.jit import compiled
from .numbers import FAR, LARGEST_EXPONENT, NEGLIGIBLE, REACH, STEP


@compiled
def probability(z):
    """Ψ(z)."""
    return 0.5 * math.erfc(-z * 0.7071067811865476)


@compiled
def log_probability(z):
    """log Ψ(z)."""
    if z > 0.0:
        return math.log1p(-0.5 * math.erfc(z * 0.7071067811865476))
    if z > FAR:
        return math.log(0.5 * math.erfc(-z * 0.7071067811865476))
    w = 1.0 / (z * z)
    series = math.log1p(w * (-1.0 + w * (3.0 + w * (-15.0 + w * 105.0))))
    return -0.5 * z * z - math.log(-z * 2.5066282746310002) + series


@compiled
def mixture(terms, n_terms, mean, variance):
    """Probability of the second class, for a mean that is not positive; see `ProbitMixture`."""
    total, unit, low = 0.0, terms[0], terms[1]
    for k in range(n_terms):
        share, b = terms[4 + 2 * k], terms[5 + 2 * k]
        total += share * probability(b * mean / math.sqrt(unit + b * b * variance))
    return low + (1.0 - 2.0 * low) * total


@compiled
def _log_mixture(terms, n_terms, mean, variance):
    """Logarithm of the probability of the second class."""
    unit, low, jensen, largest = terms[0], terms[1], terms[2], -math.inf
    logs = np.empty(n_terms)
    for k in range(n_terms):
        share, b = terms[4 + 2 * k], terms[5 + 2 * k]
        logs[k] = log_probability(b * mean / math.sqrt(unit + b * b * variance)) + math.log(share)
        largest = max(largest, logs[k])
    total = 0.0
    for k in range(n_terms):
        total += math.exp(logs[k] - largest)
    value = largest + math.log(total)
    if low > 0.0:
        value = math.log(low + (1.0 - 2.0 * low) * math.exp(value))
    if jensen > 0.0:
        z = jensen * mean
        bound = (z if z < 0.0 else 0.0) - math.log1p(math.exp(-abs(z))) - jensen * jensen * variance / 8.0
        value = max(value, bound)
    return value


@compiled
def odds(terms, n_terms, means, variances, out):
    """Odds of each class against the rest to a power, normalised."""
    largest = -math.inf
    for k in range(means.size):
        yes = _log_mixture(terms, n_terms, means[k], variances[k])
        out[k] = terms[3] * (yes - _log_mixture(terms, n_terms, -means[k], variances[k]))
        largest = max(largest, out[k])
    total = 0.0
    for k in range(means.size):
        out[k] = math.exp(out[k] - largest)
        total += out[k]
    for k in range(means.size):
        out[k] /= total


@compiled
def largest_of(means, variances, out):
    """Probability that each latent value with noise of variance one is the largest."""
    n, spread, near = means.size, np.sqrt(1.0 + variances), np.empty(means.size, dtype=np.bool_)
    lower, upper = np.max(means - REACH * spread), np.max(means + REACH * spread)
    best, steepness = np.argmax(means), 0.0
    for k in range(n):
        gap = (means[k] - means[best]) / math.sqrt(2.0 + variances[k] + variances[best])
        near[k] = log_probability(gap) > NEGLIGIBLE
        out[k] = 0.0 if near[k] else probability(gap)
        if means[k] + REACH * spread[k] > lower:
            steepness += 1.0 / (spread[k] * spread[k])
    step = STEP / math.sqrt(steepness)
    above = np.empty(n + 1)
    for point in range(int((upper - lower) / step) + 2):
        t, product = lower + step * point, 1.0
        above[n] = 1.0
        for k in range(n - 1, -1, -1):
            above[k] = above[k + 1] * probability((t - means[k]) / spread[k])
        for k in range(n):
            if near[k]:
                z = (t - means[k]) / spread[k]
                density = 0.3989422804014327 * math.exp(-0.5 * z * z) / spread[k]
                out[k] += step * density * product * above[k + 1]
            product *= probability((t - means[k]) / spread[k])
    total = out.sum()
    for k in range(n):
        out[k] /= total


@compiled
def count(mean, variance, excess):
    """Mean and standard deviation of a count whose log rate is normal."""
    rate = math.exp(min(mean + 0.5 * variance, LARGEST_EXPONENT))
    noise = rate + excess * math.exp(min(2.0 * mean + 2.0 * variance, LARGEST_EXPONENT))
    spread = math.exp(min(2.0 * mean + variance, LARGEST_EXPONENT))
    return rate, math.sqrt(noise + spread * math.expm1(min(variance, LARGEST_EXPONENT)))


@compiled
def blended(terms, means, variances):
    """Mean and standard deviation of a number, a mixture of two latent values; see `Blend`."""
    share = terms[1] / (terms[1] + variances[0])
    gap = means[0] - means[1]
    other = variances[1] + terms[2] + share * gap * gap
    variance = share * variances[0] + (1.0 - share) * other
    return share * means[0] + (1.0 - share) * means[1], math.sqrt(variance + terms[0])


@compiled
def ordered(terms, n_terms, mean, variance, out):
    """Probabilities of ordered classes, from the lowest to the highest."""
    spread, before = math.sqrt(1.0 + variance), 0.0
    for k in range(n_terms):
        below = probability((terms[4 + 2 * k] - mean) / spread)
        out[k] = below - before
        before = below
    out[n_terms] = 1.0 - before
