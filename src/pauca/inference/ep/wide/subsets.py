"""All subsets of a few features under Gaussian sites of the latent values."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, logsumexp

from .correlated import covariance_parts

__all__ = ["MAX_SUBSETS", "Subsets"]

#: Most features whose subsets are added up: 4096 subsets take a hundredth of a second. Set by hand.
MAX_SUBSETS = 12
# Smallest variance of a direction of the weights, as a share of the largest; numerical guard.
_LEAST_SHARE = 1e-12


class Subsets:
    """Exact posterior of spike-and-slab weights given Gaussian sites, by adding up all subsets.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Standardised rows.
    prior : SpikeSlab
        Prior of the weights, the bias first.
    """

    def __init__(self, X: NDArray, prior: Any) -> None:
        self.X, self.slab = X, prior.slab
        d = X.shape[1]
        self._log_odds = logit(np.clip(np.asarray(prior.inclusion[1:], dtype=float), 1e-300, 1 - 1e-15))
        self._log_none = -np.logaddexp(0.0, self._log_odds).sum()
        self._sets = [np.array(list(combinations(range(d), size)), dtype=int) for size in range(1, d + 1)]
        self.inclusion = np.asarray(prior.inclusion[1:], dtype=float)
        self._weights, self._covariance = np.zeros(1 + d), np.zeros((1 + d, 1 + d))
        self.mean, self.var = np.zeros(len(X)), np.full(len(X), self.slab)
        self._log_integral = 0.0

    def update(self, precision: NDArray, shift: NDArray) -> float:
        """Posterior given the sites; returns the largest change of a probability."""
        columns = np.column_stack([np.ones(len(self.X)), self.X])
        P, g = (columns.T * precision) @ columns, columns.T @ shift
        bias_precision = P[0, 0] + 1 / self.slab
        origin = P[0, 1:] / bias_precision
        inner, own = P[1:, 1:] - bias_precision * np.outer(origin, origin), g[1:] - origin * g[0]
        logs, inclusion, mean, second = self._added(inner, own)
        before, self.inclusion = self.inclusion, inclusion
        bias = 0.5 * (g[0] ** 2 / bias_precision - np.log(self.slab * bias_precision))
        self._log_integral = float(logs + bias)
        # The bias given the weights has mean g_0 / S − origin·w and variance 1 / S.
        covariance = second - np.outer(mean, mean)
        cross = -covariance @ origin
        self._weights = np.append(g[0] / bias_precision - origin @ mean, mean)
        self._covariance = np.block(
            [[1 / bias_precision - origin @ cross, cross[None]], [cross[:, None], covariance]]
        )
        self.mean = columns @ self._weights
        self.var = ((columns @ self._covariance) * columns).sum(axis=1)
        return float(np.abs(inclusion - before).max())

    def _added(self, inner: NDArray, own: NDArray) -> tuple[float, NDArray, NDArray, NDArray]:
        """Log sum over subsets, and inclusion probabilities, means and second moments of the weights."""
        d = len(own)
        parts: list[tuple[NDArray, Any]] = [(np.array([self._log_none]), None)]
        for sets in self._sets:
            A = inner[sets[:, :, None], sets[:, None, :]] + np.eye(sets.shape[1]) / self.slab
            covariance = np.linalg.inv(A)
            mean = np.einsum("cij,cj->ci", covariance, own[sets])
            log_det = np.linalg.slogdet(A)[1] + sets.shape[1] * np.log(self.slab)
            fit = 0.5 * ((own[sets] * mean).sum(axis=1) - log_det)
            parts.append((self._log_none + self._log_odds[sets].sum(axis=1) + fit, (mean, covariance)))
        total = logsumexp(np.concatenate([logs for logs, _ in parts]))
        inclusion, means, seconds = np.zeros(d), np.zeros(d), np.zeros((d, d))
        for sets, (logs, moments) in zip(self._sets, parts[1:], strict=True):
            mean, covariance = moments
            chance = np.exp(logs - total)
            second = chance[:, None, None] * (covariance + mean[:, :, None] * mean[:, None, :])
            np.add.at(inclusion, sets, np.broadcast_to(chance[:, None], sets.shape))
            np.add.at(means, sets, chance[:, None] * mean)
            np.add.at(seconds, (sets[:, :, None], sets[:, None, :]), second)
        return float(total), inclusion, means, seconds

    def log_evidence(self, precision: NDArray, shift: NDArray) -> float:
        """Log integral of prior and sites exp(shift·u − ½ precision·u²)."""
        return self._log_integral

    def summary(self) -> dict[str, Any]:
        """Moments of the weights and the parts of the variance of the latent value."""
        covariance, cross = self._covariance[1:, 1:], self._covariance[0, 1:]
        spread, shared = covariance_parts(covariance)
        # The bias plus origin·w is independent of the weights.
        origin = -np.linalg.pinv(covariance, rcond=_LEAST_SHARE, hermitian=True) @ cross
        return {
            "inclusion": np.append(1.0, np.minimum(self.inclusion, 1.0)),
            "mean": self._weights,
            "var": np.diag(self._covariance).copy(),
            "origin": origin,
            "spread": spread,
            "shared": shared,
            "bias_var": float(max(self._covariance[0, 0] + origin @ cross, 0.0)),
        }
