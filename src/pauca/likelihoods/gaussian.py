"""Gaussian noise whose precision is learned."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .base import Likelihood

_LOG_2PI = np.log(2 * np.pi)
# Mean and standard deviation of the normal prior of the log noise variance, in units of the variance of y: a
# noise of about a fifth; set by hand.
_LOG_MEAN, _LOG_STD = -3.0, 3.0


@dataclass(frozen=True)
class Gaussian(Likelihood):
    """y = f + noise with noise ~ N(0, 1 / precision).

    Parameters
    ----------
    precision : float, default=1.0
        Precision of the noise.
    max_precision : float, default=inf
        Largest precision that `reestimate` may give.
    """

    precision: float = 1.0
    max_precision: float = np.inf

    def log_prob(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        residual = np.subtract(y, f)
        return 0.5 * (np.log(self.precision) - _LOG_2PI - self.precision * np.square(residual))

    def derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray]:
        gradient = self.precision * np.subtract(y, f)
        return gradient, np.full(np.shape(gradient), self.precision)

    def expected_log_prob(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        return self.log_prob(y, mean) - 0.5 * self.precision * np.asarray(var)

    def log_predictive(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        total = np.asarray(var) + 1 / self.precision
        return -0.5 * (_LOG_2PI + np.log(total) + np.square(np.subtract(y, mean)) / total)

    def tilted_moments(
        self, y: ArrayLike, mean: ArrayLike, var: ArrayLike
    ) -> tuple[NDArray, NDArray, NDArray]:
        tilted_var = 1 / (1 / np.asarray(var) + self.precision)
        tilted_mean = tilted_var * (np.asarray(mean) / np.asarray(var) + self.precision * np.asarray(y))
        return self.log_predictive(y, mean, var), tilted_mean, tilted_var

    def tempered_moments(
        self, y: ArrayLike, mean: ArrayLike, var: ArrayLike, power: Any
    ) -> tuple[NDArray, NDArray, NDArray]:
        """log Z, mean and variance as of Gaussian noise of ``power`` times the precision, log Z rescaled."""
        narrowed = Gaussian(power * self.precision)
        log_z, tilted_mean, tilted_var = narrowed.tilted_moments(y, mean, var)
        constant = power * (np.log(self.precision) - _LOG_2PI) - (np.log(narrowed.precision) - _LOG_2PI)
        return log_z + 0.5 * constant, tilted_mean, tilted_var

    def quadratic_bound(self, y: NDArray, squares: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Coefficients (b, h, c) of the log likelihood c + h f − ½ b f², which is its own bound."""
        constant = 0.5 * (np.log(self.precision) - _LOG_2PI - self.precision * np.square(y))
        return np.full(np.shape(constant), self.precision), self.precision * y, constant

    @property
    def log_parameters(self) -> NDArray:
        """Logarithm of the variance of the noise."""
        return -np.log([self.precision])

    @property
    def log_parameter_prior(self) -> tuple[NDArray, NDArray]:
        """Mean and standard deviation of the prior of the log variance."""
        return np.array([_LOG_MEAN]), np.array([_LOG_STD])

    def with_log_parameters(self, values: ArrayLike) -> Self:
        return replace(self, precision=float(np.exp(-np.asarray(values)[0])))

    def parameter_derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        gradient, curvature = self.derivatives(y, f)
        by_log = 0.5 * (np.square(gradient) / self.precision - 1)
        return by_log[None], -gradient[None], -curvature[None]

    def rescaled(self, factor: float) -> Self:
        """Likelihood of observations that are multiplied by ``factor``."""
        return replace(self, precision=self.precision / factor**2, max_precision=np.inf)

    def predict(self, mean: ArrayLike, var: ArrayLike) -> tuple[ArrayLike, NDArray]:
        """Predictive mean and standard deviation, noise included."""
        return mean, np.sqrt(np.asarray(var) + 1 / self.precision)

    def predictive_moments(self, mean: ArrayLike, var: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        """Mean of y, variance of y given f, and variance of E[y | f], for f ~ N(mean, var)."""
        mean = np.asarray(mean, dtype=float)
        return mean, np.full(mean.shape, 1 / self.precision), np.asarray(var, dtype=float)

    def predictive_covariance(self, mean: NDArray, cov: NDArray) -> NDArray:
        """Covariances of observations whose latent values are jointly N(mean, cov)."""
        return cov + np.eye(len(mean)) / self.precision

    def draw(self, f: NDArray, rng: Any) -> NDArray:
        """Observations drawn at latent values f with a ``RandomState``."""
        return f + rng.standard_normal(np.shape(f)) / np.sqrt(self.precision)

    def predictive(self, mean: ArrayLike, var: ArrayLike) -> Any:
        """Predictive distribution of an observation: a frozen normal distribution of scipy."""
        from scipy import stats

        return stats.norm(*self.predict(mean, var))

    def reestimate(
        self, y: NDArray, Phi: NDArray, posterior: Any, prior: Any, weights: NDArray, accelerate: bool = True
    ) -> "Gaussian":
        """Likelihood with τ ← (N − Σγ) / ‖y − Φμ‖², γ_j = 1 − α_j Σ_jj (Tipping 2001, eq. 18).

        The precision τ stays as it is where N ≤ Σγ. Parameters are those of `Likelihood.reestimate`.
        """
        effective = _residual_freedom(posterior, prior, weights)
        squares = weights @ np.square(y - Phi @ posterior.mean)
        if effective <= 0:
            return self
        ceiling = self.max_precision
        return Gaussian(effective / squares if squares * ceiling > effective else ceiling, ceiling)


@dataclass(frozen=True)
class GammaGaussian(Gaussian):
    """Gaussian noise of unknown precision, whose posterior is Γ(shape, shape / precision).

    Integrals over f are evaluated at the posterior mean of the precision.

    Parameters
    ----------
    precision : float, default=1.0
        Posterior mean of the precision.
    max_precision : float, default=inf
        Largest precision that `reestimate` may give.
    shape : float, default=1.0
        Shape of the posterior.
    hyperprior : Gamma
        Prior of the precision.
    """

    shape: float = 1.0
    hyperprior: Any = None

    @property
    def posterior(self) -> Any:
        """Gamma posterior of the noise precision."""
        return self.hyperprior.with_mean(self.shape, self.precision)

    def reestimate(
        self, y: NDArray, Phi: NDArray, posterior: Any, prior: Any, weights: NDArray, accelerate: bool = True
    ) -> "GammaGaussian":
        """Likelihood with the posterior Γ(c + ½ N, d + ½ ⟨‖y − Φw‖²⟩) of the noise precision.

        Bishop & Tipping (2000), eq. 26, with N for the printed N + 1. With ``accelerate`` its mean is
        (c + ½ (N − Σγ)) / (d + ½ ‖y − Φμ‖²), which has the same fixed point. Parameters are those of
        `Likelihood.reestimate`.
        """
        count, (f, var) = weights.sum(), posterior.latent(Phi)
        noise = self.hyperprior.updated(count, weights @ (np.square(y - f) + var))
        mean, effective = noise.mean, _residual_freedom(posterior, prior, weights)
        if accelerate and effective > 0:
            mean = self.hyperprior.updated(effective, weights @ np.square(y - f)).mean
        return replace(self, shape=noise.shape, precision=min(mean, self.max_precision))

    def predictive(self, mean: ArrayLike, var: ArrayLike) -> Any:
        """Predictive distribution of an observation: a frozen Student's t of scipy.

        Its variance is ⟨1/τ⟩ + v; its tails are exact in the limit of small v.
        """
        from scipy import stats

        freedom = 2 * self.shape
        share = 1 - 2 / freedom if freedom > 2 else 1.0
        return stats.t(freedom, mean, np.sqrt(1 / self.precision + share * np.asarray(var)))

    def bound_penalty(self, weights: NDArray) -> float:
        return float(self.posterior.bound_penalty(self.hyperprior, weights.sum()))


def _residual_freedom(posterior: Any, prior: Any, weights: NDArray) -> float:
    """Residual degrees of freedom N − Σ_j (1 − α_j Σ_jj)."""
    return weights.sum() - np.sum(1 - prior.precision * posterior.variances)
