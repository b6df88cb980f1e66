"""Ordered classes: a latent value with normal noise falls between two thresholds."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from ..numerics import log_ndtr
from .base import Likelihood

# Standard deviation of the normal priors of the log distances of neighbouring thresholds, around zero; set
# by hand.
_LOG_STD = 2.0
# Least distance of neighbouring thresholds, and the least share of rows that places one; numerical guards.
_LEAST_GAP, _LEAST_SHARE = 1e-3, 1e-6

# Largest logarithm of a density over a probability; numerical guard against overflow.
_LARGEST_LOG = 300.0


@dataclass(frozen=True)
class CumulativeProbit(Likelihood):
    """P(y ≤ k | f) = Ψ(b_k − f) with thresholds b_0 = 0 < b_1 < ..., for classes 0, 1, ..., K − 1.

    The first threshold is zero: the constant of the latent function takes its place. log p is concave in f
    (Chu & Ghahramani, "Gaussian processes for ordinal regression", JMLR 6 (2005)).

    Parameters
    ----------
    gaps : tuple of float
        Distances of neighbouring thresholds, K − 2 in number.
    """

    gaps: tuple[float, ...] = (1.0,)

    @classmethod
    def of_shares(cls, shares: ArrayLike, spread: float = 1.0) -> Self:
        """Likelihood whose classes have given shares where f varies with a standard deviation ``spread``."""
        below = np.clip(np.cumsum(shares)[:-1], _LEAST_SHARE, 1 - _LEAST_SHARE)
        gaps = np.sqrt(1 + spread**2) * np.diff(ndtri(below))
        return cls(tuple(np.maximum(gaps, _LEAST_GAP).tolist()))

    @property
    def thresholds(self) -> NDArray:
        """Thresholds between neighbouring classes, the first of which is zero."""
        return np.append(0.0, np.cumsum(self.gaps))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.gaps) + 2

    def log_prob(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        return _log_interval(*self._ends(y, f))

    def derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray]:
        return self.expand(y, f)[1:]

    def expand(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        low, high = self._ends(y, f)
        log_prob = _log_interval(low, high)
        ratios = (np.minimum(_log_density(end) - log_prob, _LARGEST_LOG) for end in (low, high))
        at_low, at_high = map(np.exp, ratios)
        gradient = at_low - at_high
        lines = (
            np.where(np.isfinite(high), high, 0.0) * at_high - np.where(np.isfinite(low), low, 0.0) * at_low
        )
        return log_prob, gradient, np.clip(np.square(gradient) + lines, 0.0, 1.0)

    @property
    def log_parameters(self) -> NDArray:
        """Logarithms of the distances of neighbouring thresholds."""
        return np.log(self.gaps)

    @property
    def log_parameter_prior(self) -> tuple[NDArray, NDArray]:
        """Means and standard deviations of the priors of the log distances."""
        return np.zeros(len(self.gaps)), np.full(len(self.gaps), _LOG_STD)

    def with_log_parameters(self, values: ArrayLike) -> Self:
        return type(self)(tuple(np.exp(values).tolist()))

    def log_predictive(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        spread = np.sqrt(1 + np.asarray(var))
        low, high = self._ends(y, mean)
        return _log_interval(low / spread, high / spread)

    def predict(self, mean: ArrayLike, var: ArrayLike) -> NDArray:
        """Probability of each class, along a new last axis."""
        spread = np.sqrt(1 + np.asarray(var))[..., None]
        below = ndtr((self.thresholds - np.asarray(mean)[..., None]) / spread)
        return np.diff(below, axis=-1, prepend=0.0, append=1.0)

    def _ends(self, y, f):
        """Ends of the interval of each class, as seen from f."""
        ends = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        codes = np.asarray(y).astype(int)
        return ends[codes] - np.asarray(f), ends[codes + 1] - np.asarray(f)


def _log_interval(low: NDArray, high: NDArray) -> NDArray:
    """log(Ψ(high) − Ψ(low)), in the lower tail, where it does not cancel."""
    flip = low > 0
    low, high = np.where(flip, -high, low), np.where(flip, -low, high)
    log_high = log_ndtr(high)
    # The share that is left is never zero, however close the thresholds are.
    return log_high + np.log(np.maximum(-np.expm1(log_ndtr(low) - log_high), np.finfo(float).tiny))


def _log_density(z: NDArray) -> NDArray:
    """Log density of the standard normal distribution, minus infinity at infinity."""
    return -0.5 * (np.square(z) + np.log(2 * np.pi))
