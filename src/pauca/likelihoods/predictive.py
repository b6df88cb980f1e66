"""Predictive distributions of numbers: the latent Gaussian integrated out by quadrature."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..numerics import gauss_hermite
from ..validation import check_seed
from .base import Likelihood

# Nodes of Gauss-Hermite quadrature of distribution functions; the error is about 1e-6 where the noise is as
# wide as the latent distribution, and 1e-2 where it is a hundred times narrower. Set by hand.
_N_NODES = 64
# Relative width of the bracket at which the search for a quantile ends, and its most steps; set by hand.
_PRECISION, _MAX_STEPS = 1e-9, 200


class NumericLikelihood(Likelihood):
    """Likelihood of observations that are numbers, with predictive distributions."""

    #: Whether observations are whole numbers.
    is_discrete = False

    @abstractmethod
    def conditional_moments(self, f: ArrayLike) -> tuple[NDArray, NDArray]:
        """Mean and variance of y given the latent value f."""

    @abstractmethod
    def conditional_cdf(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        """P(Y ≤ y) given the latent value f."""

    @abstractmethod
    def draw(self, f: NDArray, rng: Any) -> NDArray:
        """Observations drawn at latent values f with a ``RandomState``."""

    def predictive_moments(self, mean: ArrayLike, var: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        """Mean of y, expected variance of y given f, and variance of E[y | f], for f ~ N(mean, var)."""
        nodes, weights = gauss_hermite(_N_NODES)
        f = np.asarray(mean)[..., None] + np.sqrt(np.asarray(var))[..., None] * nodes
        means, variances = self.conditional_moments(f)
        centre = means @ weights
        return centre, variances @ weights, np.square(means - centre[..., None]) @ weights

    def predictive_covariance(self, mean: NDArray, cov: NDArray) -> NDArray:
        """Covariances of observations whose latent values are jointly N(mean, cov), where E[y | f] is f."""
        return cov + np.diag(self.predictive_moments(mean, np.diag(cov))[1])

    def predictive_cdf(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        """P(Y ≤ y) for f ~ N(mean, var)."""
        nodes, weights = gauss_hermite(_N_NODES)
        f = np.asarray(mean)[..., None] + np.sqrt(np.asarray(var))[..., None] * nodes
        return self.conditional_cdf(np.asarray(y)[..., None], f) @ weights

    def predict(self, mean: ArrayLike, var: ArrayLike) -> tuple[NDArray, NDArray]:
        """Predictive mean and standard deviation of an observation."""
        centre, noise, ignorance = self.predictive_moments(mean, var)
        return centre, np.sqrt(noise + ignorance)

    def predictive(self, mean: ArrayLike, var: ArrayLike) -> "Predictive":
        """Predictive distribution of observations for independent latent values N(mean, var)."""
        parts = np.broadcast_arrays(np.asarray(mean, dtype=float), np.asarray(var, dtype=float))
        return (DiscretePredictive if self.is_discrete else ContinuousPredictive)(self, *parts)


@dataclass(frozen=True)
class Predictive:
    """Predictive distribution of observations, with the methods of a frozen distribution of scipy.

    Parameters
    ----------
    likelihood : NumericLikelihood
        Distribution of an observation given its latent value.
    latent_mean, latent_var : ndarray of shape (n_rows,)
        Moments of the latent values.
    """

    likelihood: NumericLikelihood
    latent_mean: NDArray
    latent_var: NDArray

    def mean(self) -> NDArray:
        """Means."""
        return self.likelihood.predict(self.latent_mean, self.latent_var)[0]

    def std(self) -> NDArray:
        """Standard deviations."""
        return self.likelihood.predict(self.latent_mean, self.latent_var)[1]

    def var(self) -> NDArray:
        """Variances."""
        return np.square(self.std())

    def cdf(self, x: ArrayLike) -> NDArray:
        """P(Y ≤ x), elementwise.

        Parameters
        ----------
        x : array-like that broadcasts against the rows
            Values.
        """
        return self.likelihood.predictive_cdf(np.asarray(x, dtype=float), self.latent_mean, self.latent_var)

    def sf(self, x: ArrayLike) -> NDArray:
        """P(Y > x), elementwise.

        Parameters
        ----------
        x : array-like that broadcasts against the rows
            Values.
        """
        return 1 - self.cdf(x)

    def median(self) -> NDArray:
        """Medians."""
        return self.ppf(0.5)

    def interval(self, confidence: float) -> tuple[NDArray, NDArray]:
        """Ends of the central intervals of a given probability.

        Parameters
        ----------
        confidence : float
            Probability between 0 and 1.
        """
        return self.ppf(0.5 - 0.5 * confidence), self.ppf(0.5 + 0.5 * confidence)

    def rvs(self, size: Any = None, random_state: Any = None) -> NDArray:
        """Draws of observations.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the draws, which the rows must broadcast to; by default one draw for each row.
        random_state : int, RandomState instance or None, default=None
            Source of the draws.
        """
        rng = check_seed(random_state)
        shape = np.shape(self.latent_mean) if size is None else size
        f = self.latent_mean + np.sqrt(self.latent_var) * rng.standard_normal(shape)
        return self.likelihood.draw(f, rng)

    def ppf(self, q: ArrayLike) -> NDArray:
        """Quantiles: the least y with P(Y ≤ y) ≥ q, elementwise.

        Parameters
        ----------
        q : array-like that broadcasts against the rows
            Probabilities between 0 and 1.
        """
        q, mean, std = np.broadcast_arrays(np.asarray(q, dtype=float), self.mean(), self.std())
        low, high = self._bracket(q, mean.astype(float), np.maximum(std, np.finfo(float).tiny))
        for _ in range(_MAX_STEPS):
            middle = self._middle(low, high)
            reached = self.cdf(middle) >= q
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
            if self._is_narrow(low, high):
                break
        ends = np.where(q == 1, np.inf, np.where(q == 0, self._least, np.nan))
        return np.where((q > 0) & (q < 1), high, ends)

    #: Infimum of the observations; scipy's convention for whole numbers is one less.
    _least = -np.inf

    def _bracket(self, q: NDArray, mean: NDArray, std: NDArray) -> tuple[NDArray, NDArray]:
        """Values below and above the quantiles."""
        inside = (q > 0) & (q < 1)
        step, low, high = std.copy(), mean - std, mean + std
        for _ in range(_MAX_STEPS):
            too_high, too_low = inside & (self.cdf(low) >= q), inside & (self.cdf(high) < q)
            if not (too_high.any() or too_low.any()):
                break
            step = 2 * step
            low, high = np.where(too_high, low - step, low), np.where(too_low, high + step, high)
        return low, high

    def _middle(self, low: NDArray, high: NDArray) -> NDArray:
        return 0.5 * (low + high)

    def _is_narrow(self, low: NDArray, high: NDArray) -> bool:
        return bool((high - low <= _PRECISION * (1e-3 + np.abs(high))).all())


class ContinuousPredictive(Predictive):
    """Predictive distribution with a density.

    Parameters
    ----------
    likelihood : NumericLikelihood
        Distribution of an observation given its latent value.
    latent_mean, latent_var : ndarray of shape (n_rows,)
        Moments of the latent values.
    """

    def logpdf(self, x: ArrayLike) -> NDArray:
        """Log density, elementwise.

        Parameters
        ----------
        x : array-like that broadcasts against the rows
            Values.
        """
        return self.likelihood.log_predictive(
            *np.broadcast_arrays(np.asarray(x, dtype=float), self.latent_mean, self.latent_var)
        )

    def pdf(self, x: ArrayLike) -> NDArray:
        """Density, elementwise.

        Parameters
        ----------
        x : array-like that broadcasts against the rows
            Values.
        """
        return np.exp(self.logpdf(x))


class DiscretePredictive(Predictive):
    """Predictive distribution of the numbers 0, 1, 2, ...

    Parameters
    ----------
    likelihood : NumericLikelihood
        Distribution of an observation given its latent value.
    latent_mean, latent_var : ndarray of shape (n_rows,)
        Moments of the latent values.
    """

    _least = -1.0

    def logpmf(self, k: ArrayLike) -> NDArray:
        """Log probabilities, elementwise; minus infinity where k is no whole number of at least zero.

        Parameters
        ----------
        k : array-like that broadcasts against the rows
            Counts.
        """
        k, mean, var = np.broadcast_arrays(np.asarray(k, dtype=float), self.latent_mean, self.latent_var)
        possible = (k >= 0) & (k == np.floor(k))
        return np.where(
            possible, self.likelihood.log_predictive(np.where(possible, k, 0.0), mean, var), -np.inf
        )

    def pmf(self, k: ArrayLike) -> NDArray:
        """Probabilities, elementwise.

        Parameters
        ----------
        k : array-like that broadcasts against the rows
            Counts.
        """
        return np.exp(self.logpmf(k))

    def _bracket(self, q: NDArray, mean: NDArray, std: NDArray) -> tuple[NDArray, NDArray]:
        low, high = super()._bracket(q, mean, std)
        return np.maximum(np.floor(low), -1.0), np.ceil(high)

    def _middle(self, low: NDArray, high: NDArray) -> NDArray:
        return np.floor(0.5 * (low + high))

    def _is_narrow(self, low: NDArray, high: NDArray) -> bool:
        return bool((high - low <= 1).all())
