"""Monotone transforms of numbers: plain, or by ranks to near-normal."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..numerics import steady_average

# Points of a rank transform, chosen at even ranks; between them it is linear. Set by hand: 40 keep the file
# small, and a level that many rows share, such as zero, is always one of them.
_N_POINTS = 40
# Least spread of a column relative to its size; numerical guard.
_TINY = 1e-12
# Least range of numbers for the gradient beyond it; numerical guard against overflow.
_LEAST_RANGE = 1e-150
# Power of two that numbers of a smaller range are multiplied by; numerical guard.
_UP = 600


@dataclass(frozen=True, eq=False)
class Transform:
    """Monotone map of the numbers of a column to values of mean zero and variance one.

    Parameters
    ----------
    name : str
        "plain" or "rank-normal".
    points : ndarray of shape (n_points,)
        Increasing numbers.
    values : ndarray of shape (n_points,)
        Their images; linear between them, and with the mean gradient of the whole beyond the ends.
    """

    name: str
    points: NDArray
    values: NDArray

    @classmethod
    def plain(cls, numbers: NDArray, weights: NDArray) -> "Transform":
        """Numbers less their mean, over their standard deviation."""
        centre = float(steady_average(numbers, weights))
        spread = float(np.sqrt(steady_average(np.square(numbers - centre), weights)))
        if spread == 0.0:  # the squares of tiny numbers are zero
            spread = float(np.abs(numbers - centre).max(initial=0.0))
        spread = spread if spread > _TINY * abs(centre) else max(1.0, abs(centre))
        return cls("plain", np.array([centre, centre + spread]), np.array([0.0, 1.0]))

    @classmethod
    def rank_normal(cls, numbers: NDArray, weights: NDArray) -> "Transform":
        """Normal scores of the mean ranks, (number below + half the number of ties) / number of rows."""
        distinct, inverse = np.unique(numbers, return_inverse=True)
        counts = np.bincount(inverse, weights)
        ranks = (np.cumsum(counts) - 0.5 * counts) / counts.sum()
        scores = ndtri(ranks)
        centre = np.average(scores, weights=counts)
        spread = np.sqrt(np.average(np.square(scores - centre), weights=counts)) or 1.0
        kept = _spread_out(ranks)
        return cls("rank-normal", distinct[kept], (scores[kept] - centre) / spread)

    def __call__(self, numbers: NDArray) -> NDArray:
        """Images of numbers; NaN stays NaN."""
        return _piecewise_linear(np.asarray(numbers, dtype=float), self.points, self.values)

    def inverse(self, values: NDArray) -> NDArray:
        """Numbers whose images are given."""
        return _piecewise_linear(np.asarray(values, dtype=float), self.values, self.points)


def _spread_out(ranks: NDArray) -> NDArray:
    """Places of the ranks nearest to evenly spaced ones, ends included."""
    wanted = np.linspace(ranks[0], ranks[-1], _N_POINTS)
    right = np.clip(np.searchsorted(ranks, wanted), 1, max(len(ranks) - 1, 1))
    left = right - 1
    right = np.minimum(right, len(ranks) - 1)
    nearest = np.where(wanted - ranks[left] <= ranks[right] - wanted, left, right)
    return np.unique(np.concatenate([nearest, [0, len(ranks) - 1]]))


def _piecewise_linear(x: NDArray, points: NDArray, values: NDArray) -> NDArray:
    """Linear interpolation, continued with the mean gradient beyond the ends."""
    if len(points) == 1:
        return x - points[0] + values[0]
    if 0 < points[-1] - points[0] < _LEAST_RANGE:  # differences of such numbers have no quotients
        x, points = np.ldexp(x, _UP), np.ldexp(points, _UP)
    gradient = (values[-1] - values[0]) / max(points[-1] - points[0], _LEAST_RANGE)
    inside = np.interp(x, points, values)
    return inside + gradient * (np.minimum(x - points[0], 0.0) + np.maximum(x - points[-1], 0.0))
