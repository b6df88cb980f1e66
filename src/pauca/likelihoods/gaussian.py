"""Gaussian noise of learned precision."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .base import Likelihood

_LOG_2PI = np.log(2 * np.pi)


@dataclass(frozen=True)
class Gaussian(Likelihood):
    """y = f + noise, noise ~ N(0, 1 / precision)."""

    precision: float = 1.0
    max_precision: float = np.inf

    def log_prob(self, y, f):
        return 0.5 * (np.log(self.precision) - _LOG_2PI - self.precision * np.square(y - f))

    def derivatives(self, y, f):
        residual = self.precision * (y - f)
        return residual, np.full(np.shape(residual), self.precision)

    def expected_log_prob(self, y, mean, var):
        return self.log_prob(y, mean) - 0.5 * self.precision * np.asarray(var)

    def log_predictive(self, y, mean, var):
        total = np.asarray(var) + 1 / self.precision
        return -0.5 * (_LOG_2PI + np.log(total) + np.square(y - mean) / total)

    def tilted_moments(self, y, mean, var):
        tilted_var = 1 / (1 / np.asarray(var) + self.precision)
        tilted_mean = tilted_var * (mean / np.asarray(var) + self.precision * y)
        return self.log_predictive(y, mean, var), tilted_mean, tilted_var

    def tempered_moments(self, y, mean, var, power):
        """Gaussian noise of ``power`` times the precision, and what its density lacks."""
        narrowed = Gaussian(power * self.precision)
        log_z, tilted_mean, tilted_var = narrowed.tilted_moments(y, mean, var)
        constant = power * (np.log(self.precision) - _LOG_2PI) - (np.log(narrowed.precision) - _LOG_2PI)
        return log_z + 0.5 * constant, tilted_mean, tilted_var

    def quadratic_bound(self, y, squares):
        """No bound but the thing itself."""
        constant = 0.5 * (np.log(self.precision) - _LOG_2PI - self.precision * np.square(y))
        return np.full(np.shape(constant), self.precision), self.precision * y, constant

    def rescaled(self, factor):
        """The noise of ``factor`` times the observations."""
        return replace(self, precision=self.precision / factor**2, max_precision=np.inf)

    def predict(self, mean, var):
        """Predictive mean and standard deviation, noise included."""
        return mean, np.sqrt(np.asarray(var) + 1 / self.precision)

    def predictive(self, mean, var):
        """Predictive distribution of an observation: normal."""
        from scipy import stats

        return stats.norm(*self.predict(mean, var))

    def reestimate(self, y, Phi, posterior, prior, weights, accelerate=True):
        """τ ← (N - Σγ) / ‖y - Φμ‖², γ_j = 1 - α_j Σ_jj (Tipping 2001, eq. 18); kept when N ≤ Σγ."""
        effective = _n_free(posterior, prior, weights)
        squares = weights @ np.square(y - Phi @ posterior.mean)
        if effective <= 0:
            return self
        ceiling = self.max_precision
        return Gaussian(effective / squares if squares * ceiling > effective else ceiling, ceiling)


@dataclass(frozen=True)
class GammaGaussian(Gaussian):
    """Gaussian noise whose precision is not known: Γ(shape, shape / precision) is its posterior.

    Integrals over f are those at the mean ``precision``. The ``hyperprior`` is a Gamma distribution.
    """

    shape: float = 1.0
    hyperprior: Any = None

    @property
    def posterior(self):
        """Posterior of the noise precision."""
        return self.hyperprior.with_mean(self.shape, self.precision)

    def reestimate(self, y, Phi, posterior, prior, weights, accelerate=True):
        """Γ(c + ½ N, d + ½ ⟨‖y − Φw‖²⟩) (Bishop & Tipping 2000, eq. 26, with N for the printed N + 1).

        With ``accelerate`` its mean is (c + ½ (N − Σγ)) / (d + ½ ‖y − Φμ‖²): the same fixed point.
        """
        count, (f, var) = weights.sum(), posterior.latent(Phi)
        noise = self.hyperprior.updated(count, weights @ (np.square(y - f) + var))
        mean, effective = noise.mean, _n_free(posterior, prior, weights)
        if accelerate and effective > 0:
            mean = self.hyperprior.updated(effective, weights @ np.square(y - f)).mean
        return replace(self, shape=noise.shape, precision=min(mean, self.max_precision))

    def predictive(self, mean, var):
        """Student's t with the variance ⟨1/τ⟩ + v and, where v is small, the exact tails."""
        from scipy import stats

        freedom = 2 * self.shape
        share = 1 - 2 / freedom if freedom > 2 else 1.0
        return stats.t(freedom, mean, np.sqrt(1 / self.precision + share * np.asarray(var)))

    def bound_penalty(self, weights):
        return float(self.posterior.bound_penalty(self.hyperprior, weights.sum()))


def _n_free(posterior, prior, weights):
    """Observations less the number of weights that they determine: N − Σ_j (1 − α_j Σ_jj)."""
    return weights.sum() - np.sum(1 - prior.precision * posterior.variances)
