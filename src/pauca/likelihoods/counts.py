"""Counts with the log rate f: exposures, and integrals around the peak of the integrand."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ..numerics.quadrature import peaked_grid
from .predictive import NumericLikelihood

#: Observation of a count with its exposure, by which the rate is multiplied.
EXPOSED_COUNT = np.dtype([("count", float), ("exposure", float)])
# Largest exponent of a predicted rate; numerical guard.
_LARGEST_EXPONENT = 350.0
#: Largest rate whose counts can be drawn as 64-bit integers; numerical guard.
LARGEST_RATE = 1e18
# Variance that stands for zero; numerical guard.
_LEAST_VARIANCE = 1e-30
# Most steps to the peak of an integrand, and the change, in standard deviations, that ends them; set by hand.
_MAX_STEPS, _SETTLED = 100, 1e-3


def exposed_counts(counts: ArrayLike, exposure: ArrayLike | None) -> NDArray:
    """Counts as observations of count likelihoods, with an exposure each where there is one.

    Parameters
    ----------
    counts : array-like of shape (n_rows,)
        Counts.
    exposure : array-like of shape (n_rows,) or None
        Times, areas or numbers of units in which each count was made; None: one for all rows.

    Returns
    -------
    observations : ndarray of shape (n_rows,)
        The counts, or records with fields "count" and "exposure".
    """
    if exposure is None:
        return np.asarray(counts, dtype=float)
    result = np.empty(np.shape(counts), dtype=EXPOSED_COUNT)
    result["count"], result["exposure"] = counts, exposure
    return result


def counts_and_logs(y: Any) -> tuple[NDArray, NDArray]:
    """Counts of observations and the logarithms of their exposures."""
    y = np.asarray(y)
    if y.dtype.names is None:
        return y.astype(float), np.zeros(())
    return y["count"], np.log(y["exposure"])


def rate(f: ArrayLike) -> NDArray:
    """exp(f), finite wherever its square is needed."""
    return np.exp(np.minimum(f, _LARGEST_EXPONENT))


class CountLikelihood(NumericLikelihood):
    """Likelihood of counts of mean exposure · exp(f), with log p concave in f.

    Observations are counts, or records of `exposed_counts`. Counts of thousands make p(y | f) far narrower
    than N(mean, var), so integrals over f are sums around the peak of the integrand.
    """

    is_discrete = True

    def predictive_moments(self, mean: ArrayLike, var: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        mean, var = np.asarray(mean, dtype=float), np.asarray(var, dtype=float)
        centre, square = rate(mean + 0.5 * var), rate(2 * mean + 2 * var)
        noise = centre + self.excess * square
        return centre, noise, rate(2 * mean + var) * np.expm1(np.minimum(var, _LARGEST_EXPONENT))

    def predictive_covariance(self, mean: NDArray, cov: NDArray) -> NDArray:
        """Covariances of counts whose log rates are jointly N(mean, cov)."""
        centre, noise, _ = self.predictive_moments(mean, np.diag(cov))
        return np.outer(centre, centre) * np.expm1(np.minimum(cov, _LARGEST_EXPONENT)) + np.diag(noise)

    def rescaled(self, factor: float) -> Self:
        """Likelihood itself: counts have no unit that could change."""
        return self

    @property
    def excess(self) -> float:
        """Factor of the squared rate in the variance of a count, which is rate + excess · rate²."""
        return 0.0

    def conditional_moments(self, f: ArrayLike) -> tuple[NDArray, NDArray]:
        mean = rate(f)
        return mean, mean + self.excess * np.square(mean)

    def log_predictive(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        return logsumexp(self._integrand(y, mean, var, 1.0)[1], axis=-1)

    def tempered_moments(
        self, y: ArrayLike, mean: ArrayLike, var: ArrayLike, power: ArrayLike
    ) -> tuple[NDArray, NDArray, NDArray]:
        steps, log_terms = self._integrand(y, mean, var, power)
        log_z = logsumexp(log_terms, axis=-1)
        share = np.exp(log_terms - log_z[..., None])
        shift = (share * steps).sum(axis=-1)
        return log_z, mean + shift, (share * np.square(steps - shift[..., None])).sum(axis=-1)

    def tilted_moments(
        self, y: ArrayLike, mean: ArrayLike, var: ArrayLike
    ) -> tuple[NDArray, NDArray, NDArray]:
        return self.tempered_moments(y, mean, var, 1.0)

    def _integrand(self, y, mean, var, power):
        """Distances of points from the mean, and log terms whose exponentials sum to the integral."""
        y, mean = np.broadcast_arrays(np.asarray(y), np.asarray(mean, dtype=float))
        var = np.broadcast_to(np.maximum(var, _LEAST_VARIANCE), mean.shape)
        power = np.broadcast_to(np.asarray(power, dtype=float), mean.shape)
        peak, width = self._peak(y, mean, var, power)
        steps, log_lengths = peaked_grid(peak, width, np.sqrt(var))
        log_prob = self.log_prob(y[..., None], mean[..., None] + steps)
        log_normal = -0.5 * (np.square(steps) / var[..., None] + np.log(2 * np.pi * var)[..., None])
        return steps, power[..., None] * log_prob + log_normal + log_lengths

    def _peak(self, y, mean, var, power):
        """Distance of the peak of p(y | f)^power N(f | mean, var) from the mean, and its width.

        Newton's method within a bracket from its upper end, from where it comes down step by step: the peak
        lies between the mean and mean + var · gradient there, and never above the peaks of both factors.
        """
        count, log_exposure = counts_and_logs(y)
        own_peak = np.log(np.maximum(count, np.finfo(float).tiny)) - log_exposure - mean
        reach = var * power * self.derivatives(y, mean)[0]
        low, high = np.minimum(reach, 0.0), np.clip(reach, 0.0, np.maximum(own_peak, 0.0))
        step = high
        for _ in range(_MAX_STEPS):
            gradient, curvature = self.derivatives(y, mean + step)
            descent, precision = power * gradient - step / var, power * curvature + 1 / var
            low, high = np.where(descent > 0, step, low), np.where(descent > 0, high, step)
            after = step + descent / precision
            after = np.where((after >= low) & (after <= high), after, 0.5 * (low + high))
            change, step = np.abs(after - step) * np.sqrt(precision), after
            if (change < _SETTLED).all():
                break
        return step, 1 / np.sqrt(power * self.derivatives(y, mean + step)[1] + 1 / var)
