"""Poisson counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, pdtr

from .counts import LARGEST_RATE, CountLikelihood, counts_and_logs, rate


@dataclass(frozen=True)
class Poisson(CountLikelihood):
    """Counts y ~ Poisson(exposure · exp(f))."""

    def log_prob(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        count, log_exposure = counts_and_logs(y)
        log_mean = np.asarray(f) + log_exposure
        return count * log_mean - np.exp(log_mean) - gammaln(count + 1)

    def derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray]:
        count, log_exposure = counts_and_logs(y)
        mean = np.exp(np.asarray(f) + log_exposure) + np.zeros(np.shape(count))
        return count - mean, mean

    def curvature_derivative(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        return self.derivatives(y, f)[1]

    def conditional_cdf(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        y = np.floor(y)
        return np.where(y >= 0, pdtr(np.maximum(y, 0.0), rate(f)), 0.0)

    def draw(self, f: NDArray, rng: Any) -> NDArray:
        return rng.poisson(np.minimum(rate(f), LARGEST_RATE)).astype(float)
