"""Logistic likelihood, integrated against a Gaussian by a mixture of probits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, logsumexp, ndtr

from ..numerics import log_ndtr
from .base import BinaryLikelihood

# Shares and steepnesses of σ(x) ≈ Σ_k share_k Ψ(steepness_k x), a mixture with a closed integral against a
# Gaussian. Fitted for this library: absolute error below 1e-5 everywhere, relative error of
# the smaller side below 2e-3 for |x| ≤ 14.
_SHARES = np.array([0.0023337002, 0.0407957189, 0.1845166715, 0.3692348790, 0.3280567506, 0.0750622799])
_SHARES /= _SHARES.sum()
_STEEPNESSES = np.array([0.2453153547, 0.3216132496, 0.4208221627, 0.5595665693, 0.7596394205, 1.0583483114])
# Smallest argument of tanh(ξ/2) / ξ; numerical guard.
_SMALLEST_XI = 1e-6


@dataclass(frozen=True)
class Logit(BinaryLikelihood):
    """P(y | f) = σ(scale · y f), y in {-1, +1}.

    Parameters
    ----------
    scale : float, default=1.0
        Steepness of the logistic function.
    """

    scale: float = 1.0

    @classmethod
    def like_probit(cls) -> "Logit":
        """Logistic likelihood with the derivative of the probit Ψ(f) at f = 0 (EPCVM 2014, section II-C)."""
        return cls(float(np.sqrt(8 / np.pi)))

    def log_prob(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        return log_expit(self.scale * np.asarray(y) * np.asarray(f))

    def derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray]:
        p = expit(self.scale * np.asarray(f))
        return self.scale * (0.5 * (np.asarray(y) + 1) - p), np.square(self.scale) * p * (1 - p)

    def expand(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        y, f = np.asarray(y), np.asarray(f)
        p, log_prob = expit(self.scale * f), log_expit(self.scale * y * f)
        return log_prob, self.scale * (0.5 * (y + 1) - p), np.square(self.scale) * p * (1 - p)

    def quadratic_bound(self, y: NDArray, squares: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Jaakkola and Jordan's bound with λ(ξ) = tanh(ξ/2) / 4ξ (Bishop & Tipping 2000, eq. 50)."""
        xi = np.maximum(self.scale * np.sqrt(squares), _SMALLEST_XI)
        lam = np.tanh(0.5 * xi) / (4 * xi)
        constant = log_expit(xi) - 0.5 * xi + lam * np.square(xi)
        return 2 * lam * np.square(self.scale), 0.5 * self.scale * y, constant

    def log_predictive(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        """log E[p(y | f)] by the mixture of probits; far in the tail by Jensen's bound log σ(m) − v / 8."""
        z = np.multiply(y, mean)
        mixture = logsumexp(log_ndtr(self._mixture_arguments(z, var)), b=_SHARES, axis=-1)
        bound = log_expit(self.scale * z) - np.square(self.scale) * np.asarray(var) / 8
        return np.maximum(mixture, bound)

    def predict(self, mean: ArrayLike, var: ArrayLike) -> NDArray:
        """P(y = +1) = Σ_k share_k Ψ(b_k m / √(1 + b_k² v)) with the steepnesses b_k of the mixture."""
        return ndtr(self._mixture_arguments(mean, var)) @ _SHARES

    @property
    def mixture(self) -> tuple[NDArray, NDArray]:
        """Shares and steepnesses b of the probits Ψ(b f) that stand for this function in integrals."""
        return _SHARES, self.scale * _STEEPNESSES

    def _mixture_arguments(self, mean: ArrayLike, var: ArrayLike) -> NDArray:
        b = self.scale * _STEEPNESSES
        return np.multiply.outer(mean, b) / np.sqrt(1 + np.multiply.outer(var, np.square(b)))
