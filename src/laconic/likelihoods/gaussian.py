"""Gaussian noise of learned precision."""

from dataclasses import dataclass

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

    def predict(self, mean, var):
        """Predictive mean and standard deviation, noise included."""
        return mean, np.sqrt(np.asarray(var) + 1 / self.precision)

    def relearn(self, y, Phi, posterior, prior, weights):
        """τ ← (N - Σγ) / ‖y - Φμ‖², γ_j = 1 - α_j Σ_jj (Tipping 2001, eq. 18); kept when N ≤ Σγ."""
        effective = weights.sum() - np.sum(1 - prior.precision * posterior.variances)
        squares = weights @ np.square(y - Phi @ posterior.mean)
        if effective <= 0:
            return self
        ceiling = self.max_precision
        return Gaussian(effective / squares if squares * ceiling > effective else ceiling, ceiling)
