"""Penalised log evidence of a process that few vectors carry, on all rows, with its gradient."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...inference import DesignPrior, LatentFit, latent_ep
from ...numerics import solve_lower, solve_upper, solve_with_factor
from .evidence import Evidence
from .hyperparameters import Hyperparameters
from .posterior import JITTER, covariance_root
from .process import Process

# Rows of a block of the diagonal; bounds the work for kernels that are not stationary.
_BLOCK_ROWS = 64


class Design(NamedTuple):
    """Whitened design of a process at some rows.

    Parameters
    ----------
    Phi : ndarray of shape (n_rows, n_weights)
        Constant, trend and whitened covariances with the vectors.
    left : ndarray of shape (n_rows,)
        Prior variance that the vectors leave.
    root : ndarray of shape (n_vectors, n_vectors)
        Lower Cholesky factor of the prior covariance of the vectors.
    """

    Phi: NDArray
    left: NDArray
    root: NDArray


class SparseEvidence(Evidence):
    """Evidence of all rows with the covariance of vectors and independent rests, by expectation propagation.

    It is FITC (Snelson & Ghahramani 2006; Naish-Guzman & Holden 2007). The evidence is stationary in the
    sites, so that the gradient is that of Gaussian pseudo-data.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Rows.
    y : ndarray of shape (n_rows,)
        Observations.
    weights : ndarray of shape (n_rows,)
        How many times each row counts.
    hyperparameters : Hyperparameters
        Point to start from, and priors; the likelihood has no parameters.
    vectors : ndarray or sparse matrix of shape (n_vectors, n_features)
        Vectors, which stay where they are.
    """

    def __init__(self, X: Any, y: NDArray, weights: NDArray, hyperparameters: Hyperparameters, vectors: Any):
        self.X, self.y, self.weights, self.vectors = X, y, weights, vectors
        self.hyperparameters = hyperparameters
        self.state: NDArray | None = None

    def value(self, process: Process, likelihood: Any) -> tuple[float, NDArray]:
        """Log evidence and its gradient."""
        root = covariance_root(process, self.vectors)
        columns = process.covariance(self.X, self.vectors)
        whitened = solve_lower(root, columns.T).T
        left = np.maximum(process.variance(self.X) - np.square(whitened).sum(axis=1), 0.0)
        features = process.features(self.X)
        prior = DesignPrior(np.hstack([features, whitened]), left)
        found = latent_ep(likelihood, prior, process.constant[0], self.y, self.weights, self.state)
        self.state = found.state if found.converged else None
        return found.log_evidence, self._gradient(process, found, Design(prior.design, left, root), columns)

    def _gradient(self, process: Process, found: LatentFit, design: Design, columns: NDArray) -> NDArray:
        """Derivatives in the logarithms; B' = B / (1 + B · left) are the sites of Φw."""
        Phi, n_features = design.Phi, design.Phi.shape[1] - len(design.root)
        b, coef = found.sites[0], found.coef
        # Each copy of a row has a rest of its own.
        copies = np.maximum(self.weights, 1.0)
        factor, variance = found.posterior.factor, found.posterior.variance
        diagonal = 0.5 * ((np.square(coef) + np.square(b) * variance) / copies - b)
        P = solve_upper(design.root, Phi[:, n_features:].T).T
        T = b[:, None] * (P - Phi @ solve_with_factor(factor, Phi.T @ (b[:, None] * P)))
        sums = coef @ P
        by_columns = np.outer(coef, sums) - T - 2 * diagonal[:, None] * P
        by_vectors = -0.5 * (np.outer(sums, sums) - P.T @ T) + (P.T * diagonal) @ P
        F = Phi[:, :n_features]
        S = b[:, None] * (F - Phi @ solve_with_factor(factor, Phi.T @ (b[:, None] * F)))
        by_features = np.square(coef @ F) - np.einsum("ij,ij->j", F, S)
        return self._chained(process, columns, by_columns, by_vectors, diagonal, (coef, 0.5 * by_features))

    def _chained(self, process, columns, by_columns, by_vectors, diagonal, rest):
        """Derivatives in the logarithms from those in the covariances."""
        coef, by_features = rest
        X, Z, kernel, a = (
            process.place(self.X),
            process.place(self.vectors),
            process.kernel,
            process.amplitude,
        )
        K, covariance = columns / a, kernel(Z, Z)
        variance = kernel.diagonal(X)
        pairs = [(X, Z, a * by_columns, K), (Z, Z, a * by_vectors, covariance)]
        by_amplitude = sum(np.vdot(upstream, values) for _, _, upstream, values in pairs)
        by_amplitude += a * (diagonal @ variance + JITTER * np.trace(by_vectors))
        by_amplitude += coef.sum() * self.hyperparameters.mean(a)[1]
        parts = [np.array([by_amplitude])]
        if self.hyperparameters.learns_constant:
            parts.append(by_features[:1])
        if process.trend:
            parts.append(by_features[1:].sum(keepdims=True))
        pairs += [] if kernel.is_stationary else _diagonal_blocks(X, a * diagonal)
        if self.hyperparameters.sizes[3]:
            parts.append(sum(kernel.parameter_gradient(*pair) for pair in pairs))
        if process.scales is not None:
            parts.append(process.grouped(sum(kernel.scale_gradient(*pair) for pair in pairs)))
        return np.concatenate(parts)


def _diagonal_blocks(X: Any, upstream: NDArray) -> list[tuple]:
    """Arguments of gradients that see k(x, x) of each row, whose derivative in the objective is given."""
    parts = [slice(first, first + _BLOCK_ROWS) for first in range(0, X.shape[0], _BLOCK_ROWS)]
    return [(X[part], X[part], np.diag(upstream[part]), None) for part in parts]
