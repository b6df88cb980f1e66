"""Inducing vectors of Gaussian processes, added one by one by what they add to a lower bound."""

import numpy as np
from numpy.typing import NDArray

from ..numerics import solve_lower, solve_upper
from .candidates import NOVELTY


class InducingSearch:
    """Greedy maximisation of the variational lower bound on the log evidence (Titsias 2009).

    The process is f = Φ u + residual process, with fixed features Φ whose weights u have precision one. A
    candidate column, deflated by the vectors chosen so far and scaled to unit prior variance, is one more
    feature; it also explains a part of the prior variance of every row. Observations are Gaussian sites.
    Several latent functions of one covariance share the vectors and the precisions; their gains are summed.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_candidates)
        Prior covariances of the rows with the candidates.
    covariance : ndarray of shape (n_candidates, n_candidates)
        Prior covariances of the candidates with each other.
    features : ndarray of shape (n_rows, n_features)
        Fixed features, such as a constant and a linear trend.
    precision : ndarray of shape (n_rows,)
        Precision of the site of each row.
    shift : ndarray of shape (n_rows,) or (n_rows, n_latent)
        Precision times mean of each site.
    """

    def __init__(
        self, columns: NDArray, covariance: NDArray, features: NDArray, precision: NDArray, shift: NDArray
    ) -> None:
        self.residual, self.covariance = columns.copy(), covariance.copy()
        self.prior_variance = np.diag(covariance).copy()
        self.precision, self.shift = precision, shift.reshape(len(precision), -1)
        self.chosen: list[int] = []
        weighted = features.T * precision
        self._features = features
        self._factor = np.linalg.cholesky(np.eye(features.shape[1]) + weighted @ features)
        self._target = solve_lower(self._factor, features.T @ self.shift)
        self._inside = solve_lower(self._factor, weighted @ columns)

    def gains(self) -> NDArray:
        """Rise of the lower bound in nats by each candidate, minus infinity where it is not novel."""
        weights, n_latent = solve_upper(self._factor, self._target), self.shift.shape[1]
        error = self.shift - self.precision[:, None] * (self._features @ weights)
        variance = np.maximum(np.diag(self.covariance), 0.0)
        novel = (variance > NOVELTY * self.prior_variance) & (variance > 0)
        variance = np.where(novel, variance, 1.0)
        size = self.precision @ np.square(self.residual) / variance
        s = np.maximum(size - np.square(self._inside).sum(axis=0) / variance, 0.0)
        q = np.square(error.T @ self.residual).sum(axis=0) / variance
        return np.where(novel, 0.5 * (q / (1 + s) + n_latent * (size - np.log1p(s))), -np.inf)

    def add(self, candidate: int) -> None:
        """Make a candidate one of the chosen vectors."""
        root = np.sqrt(self.covariance[candidate, candidate])
        feature, link = self.residual[:, candidate] / root, self.covariance[candidate] / root
        cross = self._inside[:, candidate] / root
        self._inside -= np.outer(cross, link)
        self.residual -= np.outer(feature, link)
        self.covariance -= np.outer(link, link)
        weighted = self.precision * feature
        corner = np.sqrt(max(1 + weighted @ feature - cross @ cross, 1.0))
        size = len(self._factor)
        factor = np.zeros((size + 1, size + 1))
        factor[:size, :size], factor[size, :size], factor[size, size] = self._factor, cross, corner
        self._inside = np.vstack([self._inside, (weighted @ self.residual - cross @ self._inside) / corner])
        target = (feature @ self.shift - cross @ self._target) / corner
        self._target = np.vstack([self._target, target])
        self._factor, self._features = factor, np.column_stack([self._features, feature])
        self.chosen.append(candidate)

    def run(self, max_vectors: int, min_gain: float) -> tuple[NDArray, bool]:
        """Chosen candidates in order, and whether the search ended before ``max_vectors``."""
        while len(self.chosen) < max_vectors:
            gains = self.gains()
            best = int(np.argmax(gains)) if len(gains) else -1
            if best < 0 or not gains[best] >= min_gain:
                return np.array(self.chosen, dtype=int), True
            self.add(best)
        return np.array(self.chosen, dtype=int), False
