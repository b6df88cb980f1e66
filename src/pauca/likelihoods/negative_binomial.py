"""Counts that vary more than Poisson counts."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, digamma, expit, gammaln, log_expit

from .counts import LARGEST_RATE, CountLikelihood, counts_and_logs, rate

# Mean and standard deviation of the normal prior of the log dispersion: between .02 and 5 with probability
# .95; set by hand.
_LOG_MEAN, _LOG_STD = -1.2, 1.4


@dataclass(frozen=True)
class NegativeBinomial(CountLikelihood):
    """Counts of mean μ = exposure · exp(f) and variance μ + dispersion · μ².

    A Poisson count whose rate is multiplied by a Gamma variate of mean one and variance ``dispersion``.

    Parameters
    ----------
    dispersion : float, default=0.3
        Squared coefficient of variation of the rate given f.
    """

    dispersion: float = 0.3

    @property
    def excess(self) -> float:
        """Dispersion."""
        return self.dispersion

    def log_prob(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        count, odds = self._log_odds(y, f)
        size = 1 / self.dispersion
        choices = gammaln(count + size) - gammaln(size) - gammaln(count + 1)
        return choices + count * log_expit(odds) + size * log_expit(-odds)

    def derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray]:
        count, odds = self._log_odds(y, f)
        share, total = expit(odds), count + 1 / self.dispersion
        return count - total * share, total * share * expit(-odds)

    def curvature_derivative(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        share = expit(self._log_odds(y, f)[1])
        return self.derivatives(y, f)[1] * (1 - 2 * share)

    @property
    def log_parameters(self) -> NDArray:
        """Log dispersion."""
        return np.log([self.dispersion])

    @property
    def log_parameter_prior(self) -> tuple[NDArray, NDArray]:
        """Mean and standard deviation of the prior of the log dispersion."""
        return np.array([_LOG_MEAN]), np.array([_LOG_STD])

    def with_log_parameters(self, values: ArrayLike) -> Self:
        return replace(self, dispersion=float(np.exp(np.asarray(values)[0])))

    def parameter_derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        count, odds = self._log_odds(y, f)
        size, share = 1 / self.dispersion, expit(odds)
        gradient, curvature = self.derivatives(y, f)
        by_size = digamma(count + size) - digamma(size) + log_expit(-odds)
        slack = share * expit(-odds)
        parts = (
            gradient - size * by_size,
            size * share - curvature,
            curvature * (1 - 2 * share) - size * slack,
        )
        return parts[0][None], parts[1][None], parts[2][None]

    def conditional_cdf(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        y = np.floor(y)
        chance = 1 / (1 + self.dispersion * rate(f))
        size = 1 / self.dispersion
        return np.where(y >= 0, betainc(size, np.maximum(y, 0.0) + 1, chance), 0.0)

    def draw(self, f: NDArray, rng: Any) -> NDArray:
        size = 1 / self.dispersion
        factors = rng.gamma(size, self.dispersion, size=np.shape(f))
        return rng.poisson(np.minimum(rate(f) * factors, LARGEST_RATE)).astype(float)

    def _log_odds(self, y, f):
        """Counts, and log(dispersion · μ)."""
        count, log_exposure = counts_and_logs(y)
        return count, np.asarray(f) + log_exposure + np.log(self.dispersion) + np.zeros(np.shape(count))
