"""Stopping rules for means: when the mean of all members lies close to that of the members seen.

Members are evaluated in random order: those seen are a sample without replacement from the T members of a
finite population. After t of them the half width of an interval for the mean of all is a multiple of their
standard deviation plus a multiple of their range.
"""

from functools import cache
from math import inf, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

RULES = ("t", "bernstein")
# Least number of members before a mean may be known. Set by hand, not tuned.
_MIN_MEMBERS = 8
# The Bernstein rule looks after these multiples of the last look, so that few looks share the risk.
_LOOKS = 1.1
# Halvings of the interval of a tolerance; numerical guard.
_HALVINGS = 60


@cache
def mean_rule(n_members: int, confidence: float, rule: str) -> tuple[NDArray, NDArray]:
    """Multiples of standard deviation and range by members evaluated; infinite where none may stop.

    "t": Student's t with the correction for a finite population, z_t sqrt(1/t - 1/T); approximate, since the
    members need not be normal and every member is a look. "bernstein": the empirical Bernstein-Serfling
    inequality (Bardenet & Maillard 2015, theorem 4), its risk divided over the looks; it holds for any
    members.
    """
    seen = np.arange(n_members + 1)
    spread, fixed = np.full(n_members + 1, inf), np.zeros(n_members + 1)
    spread[n_members] = 0.0
    if confidence == 1:
        return spread, fixed
    if rule == "t":
        looks = seen[(seen >= _MIN_MEMBERS) & (seen < n_members)]
        critical = stdtrit(looks - 1, 1 - (1 - confidence) / 2)
        spread[looks] = critical * np.sqrt(1 / looks - 1 / n_members)
        return spread, fixed
    looks = _geometric(n_members)
    for look in looks:
        spread[look], fixed[look] = _bernstein(look, n_members, (1 - confidence) / len(looks))
    return spread, fixed


def _bernstein(seen, n_members, risk):
    """Multiples of standard deviation and range in the two-sided inequality."""
    share = seen / n_members
    left = 1 - (seen - 1) / n_members if share <= 0.5 else (1 - share) * (1 + 1 / seen)
    logarithm = log(10 / risk)
    return sqrt(2 * left * logarithm / seen), (7 / 3 + 3 / sqrt(2)) * logarithm / seen


def _geometric(n_members):
    """Numbers of members after which the Bernstein rule looks."""
    looks, look = [], float(_MIN_MEMBERS)
    while look < n_members:
        looks.append(int(look))
        look = max(look + 1, look * _LOOKS)
    return looks


def tolerance_of_share(scatter: NDArray, n_members: int, confidence: float, share: float) -> NDArray:
    """Tolerance of each output at which a share of the members is enough on average over rows.

    Of members that scatter by s about their mean, the mean of t lies within z s sqrt(1/t - 1/T) of that of
    all T, the error of a sample without replacement: T / (1 + T (tolerance / (z s))^2) of them are enough.
    """
    z = float(ndtri(0.5 + confidence / 2))
    low, high = np.zeros(scatter.shape[1]), z * scatter.max(axis=0) * sqrt(1 / share) + np.finfo(float).tiny
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        ratio = np.divide(middle, z * scatter, out=np.full(scatter.shape, inf), where=scatter > 0)
        needed = np.mean(1 / (1 + n_members * np.square(ratio)), axis=0)
        low, high = np.where(needed > share, middle, low), np.where(needed > share, high, middle)
    return high
