"""A sum of single effects under Gaussian sites of the latent values."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Effects"]

# Columns whose squares are taken at a time, so that temporaries stay in the cache.
_BLOCK = 512
# Largest prior probability that a single effect is there; set by hand.
_MOST_ACTIVE = 0.5


class Effects:
    """Factorised posterior Π_l q(b_l) of single effects, with the bias integrated out.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Standardised rows, float32 or float64; products with X are computed in its precision.
    prior : SpikeSlab
        Prior of the weights, the bias first.
    n_effects : int
        Number L of single effects.
    """

    def __init__(self, X: NDArray, prior: Any, n_effects: int) -> None:
        self.X, self.slab = X, prior.slab
        n_features = X.shape[1]
        self._blocks = [slice(first, first + _BLOCK) for first in range(0, n_features, _BLOCK)]
        inclusion = np.asarray(prior.inclusion[1:], dtype=float)
        active = min(inclusion.sum() / n_effects, _MOST_ACTIVE)
        self._log_prior = np.log(active) + np.log(inclusion / inclusion.sum())
        self._log_none = np.log1p(-active)
        shape = n_effects, n_features
        self.assignments = np.zeros(shape)
        # Means of the weights, second moments, and latent values X b_l of every effect.
        self._means, self._seconds = np.zeros(shape), np.zeros(shape)
        self._latent = np.zeros((n_effects, len(X)))
        self._divergence = np.zeros(n_effects)
        self.mean, self.var = np.zeros(len(X)), np.full(len(X), self.slab)
        self._look(np.zeros(len(X)), np.zeros(len(X)))

    def _look(self, precision: NDArray, shift: NDArray) -> None:
        """Quantities that depend on the sites alone: with the bias integrated out, Xᵀ T X − S o oᵀ."""
        self._precision, self._shift = precision, shift
        self._bias_precision = precision.sum() + 1 / self.slab
        self._origin = self._onto_features(precision) / self._bias_precision
        squares = np.concatenate([precision @ np.square(self.X[:, block]) for block in self._blocks])
        own = squares - self._bias_precision * np.square(self._origin)
        self._own = np.maximum(own, 0.0)
        # Variance of a weight that is there, and what its log odds are without its gradient.
        self._var = 1 / (self._own + 1 / self.slab)
        self._log_odds = self._log_prior + 0.5 * np.log(self._var / self.slab)

    def _onto_features(self, values: NDArray) -> NDArray:
        """Products of values of the rows with the columns of X."""
        return (values.astype(self.X.dtype) @ self.X).astype(float)

    def _onto_rows(self, values: NDArray) -> NDArray:
        """Products of values of the features with the rows of X."""
        return (self.X @ values.astype(self.X.dtype)).astype(float)

    def update(self, precision: NDArray, shift: NDArray) -> float:
        """Update every effect once, given the sites; returns the largest change of a probability."""
        self._look(precision, shift)
        total, change = self._latent.sum(axis=0), 0.0
        for effect in range(len(self.assignments)):
            total -= self._latent[effect]
            change = max(change, self._update_one(effect, shift - precision * total))
            total += self._latent[effect]
        self._set_moments(total)
        return change

    def _update_one(self, effect: int, residual: NDArray) -> float:
        """Exact posterior of one effect given the means of the others; returns its largest change."""
        gradient = self._onto_features(residual) - self._origin * residual.sum()
        mean = self._var * gradient
        logs = self._log_odds + 0.5 * gradient * mean
        highest = max(float(logs.max()), self._log_none)
        chance = np.exp(logs - highest)
        total = chance.sum() + np.exp(self._log_none - highest)
        chance /= total
        log_total = highest + np.log(total)
        change = float(np.abs(chance - self.assignments[effect]).max())
        self.assignments[effect] = chance
        self._means[effect], self._seconds[effect] = chance * mean, chance * (self._var + np.square(mean))
        self._latent[effect] = self._onto_rows(self._means[effect])
        # KL(q ‖ prior) = E[log likelihood ratio] − log normaliser of the update.
        self._divergence[effect] = float(
            chance @ (gradient * mean) - 0.5 * (self._seconds[effect] @ self._own) - log_total
        )
        return change

    def _set_moments(self, total: NDArray) -> None:
        """Mean and variance of every latent value."""
        bias = (self._shift - self._precision * total).sum() / self._bias_precision
        self.mean = bias + total
        seconds, origin = self._seconds.sum(axis=0), self._origin
        spread = sum(np.square(self.X[:, block]) @ seconds[block] for block in self._blocks)
        spread = spread - 2 * self._onto_rows(origin * seconds) + np.square(origin) @ seconds
        shared = np.square(self._latent - (self._means @ origin)[:, None]).sum(axis=0)
        self.var = np.maximum(spread - shared, 0.0) + 1 / self._bias_precision

    def settle(self, precision: NDArray, shift: NDArray, tol: float, max_iter: int) -> bool:
        """Update effects under fixed sites until no probability changes by ``tol``; returns whether so."""
        return any(self.update(precision, shift) < tol for _ in range(max_iter))

    def log_evidence(self, precision: NDArray, shift: NDArray) -> float:
        """Lower bound of the log integral of prior and sites exp(shift·u − ½ precision·u²)."""
        total = self._latent.sum(axis=0)
        residual = (shift - precision * total).sum()
        at_mean = shift @ total - 0.5 * precision @ np.square(total)
        bias = 0.5 * (np.square(residual) / self._bias_precision - np.log(self.slab * self._bias_precision))
        along = self._means @ self._origin
        own = np.square(self._latent) @ precision - self._bias_precision * np.square(along)
        blur = self._seconds.sum(axis=0) @ self._own - own.sum()
        return float(at_mean + bias - 0.5 * blur - self._divergence.sum())

    def summary(self) -> dict[str, Any]:
        """Moments of the weights and the parts of the variance of the latent value."""
        # Effects one by one: with very many features one takes as much memory as a row or two.
        none = sum(np.log1p(-np.minimum(chances, 1 - 1e-15)) for chances in self.assignments)
        means = self._means.sum(axis=0)
        var = sum(second - np.square(mean) for second, mean in zip(self._seconds, self._means, strict=True))
        bias = (self._shift - self._precision * self._latent.sum(axis=0)).sum() / self._bias_precision
        bias_var = 1 / self._bias_precision
        at_zero = bias_var + np.square(self._origin) @ self._seconds.sum(axis=0)
        at_zero -= np.square(self._means @ self._origin).sum()
        return {
            "inclusion": np.append(1.0, -np.expm1(none)),
            "mean": np.append(bias, means),
            "var": np.append(at_zero, var),
            "origin": self._origin,
            "spread": self._seconds.sum(axis=0),
            "shared": self._means,
            "bias_var": float(bias_var),
        }
