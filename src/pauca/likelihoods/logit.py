"""Logistic likelihood."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit, logsumexp, ndtr

from ..numerics import log_ndtr
from .base import BinaryLikelihood

# σ(x) ≈ Σ_k share_k Ψ(slope_k x), fitted here: absolute error below 1e-5 everywhere, relative error of the
# smaller side below 2e-3 for |x| ≤ 14. A mixture of probits has a closed integral against a Gaussian.
_SHARES = np.array([0.0023337002, 0.0407957189, 0.1845166715, 0.3692348790, 0.3280567506, 0.0750622799])
_SHARES /= _SHARES.sum()
_SLOPES = np.array([0.2453153547, 0.3216132496, 0.4208221627, 0.5595665693, 0.7596394205, 1.0583483114])

_SMALLEST_XI = 1e-6


@dataclass(frozen=True)
class Logit(BinaryLikelihood):
    """P(y | f) = σ(scale · y f), y in {-1, +1}."""

    scale: float = 1.0

    @classmethod
    def like_probit(cls):
        """Logistic likelihood with the slope of the probit Ψ(f) at f = 0 (EPCVM 2014, section II-C)."""
        return cls(float(np.sqrt(8 / np.pi)))

    def log_prob(self, y, f):
        return log_expit(self.scale * y * f)

    def derivatives(self, y, f):
        p = expit(self.scale * f)
        return self.scale * (0.5 * (y + 1) - p), np.square(self.scale) * p * (1 - p)

    def quadratic_bound(self, y, squares):
        """Jaakkola and Jordan's: λ(ξ) = tanh(ξ/2) / 4ξ (Bishop & Tipping 2000, eq. 50)."""
        xi = np.maximum(self.scale * np.sqrt(squares), _SMALLEST_XI)
        slope = np.tanh(0.5 * xi) / (4 * xi)
        constant = log_expit(xi) - 0.5 * xi + slope * np.square(xi)
        return 2 * slope * np.square(self.scale), 0.5 * self.scale * y, constant

    def log_predictive(self, y, mean, var):
        """As ``predict``; far in the tail, where probits fall too fast, Jensen's bound log σ(m) − v / 8."""
        z = y * np.asarray(mean)
        mixture = logsumexp(log_ndtr(self._mixture_arguments(z, var)), b=_SHARES, axis=-1)
        bound = log_expit(self.scale * z) - np.square(self.scale) * np.asarray(var) / 8
        return np.maximum(mixture, bound)

    def predict(self, mean, var):
        """P(y = +1) = Σ_k share_k Ψ(slope_k m / √(1 + slope_k² v))."""
        return ndtr(self._mixture_arguments(mean, var)) @ _SHARES

    def _mixture_arguments(self, mean, var):
        slopes = self.scale * _SLOPES
        return np.multiply.outer(mean, slopes) / np.sqrt(1 + np.multiply.outer(var, np.square(slopes)))
