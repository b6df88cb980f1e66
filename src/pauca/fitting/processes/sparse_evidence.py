"""Penalised log evidence of a process that few vectors carry, on all rows, with its gradient."""

from typing import Any, NamedTuple, Self

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
    columns : ndarray of shape (n_rows, n_vectors)
        Prior covariances of the rows with the vectors.
    root : ndarray of shape (n_vectors, n_vectors)
        Lower Cholesky factor of the prior covariance of the vectors.
    Phi : ndarray of shape (n_rows, n_weights)
        Constant, trend and whitened covariances with the vectors.
    left : ndarray of shape (n_rows,)
        Prior variance that the vectors leave.
    """

    columns: NDArray
    root: NDArray
    Phi: NDArray
    left: NDArray

    @classmethod
    def of(cls, process: Process, X: Any, vectors: Any) -> Self:
        """Design of the rows X."""
        root, columns = covariance_root(process, vectors), process.covariance(X, vectors)
        whitened = solve_lower(root, columns.T).T if len(root) else columns
        left = np.maximum(process.variance(X) - np.square(whitened).sum(axis=1), 0.0)
        return cls(columns, root, np.hstack([process.features(X), whitened]), left)

    @property
    def n_features(self) -> int:
        """Number of features beside the vectors."""
        return self.Phi.shape[1] - len(self.root)


class Upstream(NamedTuple):
    """Derivatives of the log evidence in the parts of the prior covariance of the rows.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_vectors)
        In the covariances of rows and vectors.
    vectors : ndarray of shape (n_vectors, n_vectors)
        In the covariances of the vectors.
    diagonal : ndarray of shape (n_rows,)
        In the variances of the rows.
    features : ndarray of shape (n_features,)
        In the logarithms of the prior variances of constant and trend.
    """

    columns: NDArray
    vectors: NDArray
    diagonal: NDArray
    features: NDArray

    @classmethod
    def of_sites(cls, design: Design, b: NDArray, coef: NDArray, posterior: tuple, copies: NDArray) -> Self:
        """Derivatives at fixed sites of Φw of precisions ``b``; ``coef`` are their shifts − b · mean.

        ``posterior`` has the factor of the weights and the variances of Φw. Each of the ``copies`` of a row
        has a rest of its own.
        """
        (factor, variance), Phi, q = posterior, design.Phi, design.n_features
        diagonal = 0.5 * ((np.square(coef) + np.square(b) * variance) / copies - b)
        P = solve_upper(design.root, Phi[:, q:].T).T
        FP = np.hstack([Phi[:, :q], P])
        weighted = b[:, None] * FP
        # (C + B⁻¹)⁻¹ times features and P, by Woodbury.
        T = weighted - b[:, None] * (Phi @ solve_with_factor(factor, Phi.T @ weighted))
        sums = coef @ P
        columns = np.outer(coef, sums) - T[:, q:] - 2 * diagonal[:, None] * P
        vectors = -0.5 * (np.outer(sums, sums) - P.T @ T[:, q:]) + (P.T * diagonal) @ P
        features = np.square(coef @ FP[:, :q]) - np.einsum("ij,ij->j", FP[:, :q], T[:, :q])
        return cls(columns, vectors, diagonal, 0.5 * features)

    def __add__(self, other: "Upstream") -> "Upstream":  # type: ignore[override]
        return Upstream(*(a + b for a, b in zip(self, other, strict=True)))


class VectorEvidence(Evidence):
    """Evidence of rows whose process is carried by vectors: what all likelihoods share.

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

    def chained(self, process: Process, design: Design, upstream: Upstream, by_mean: float) -> NDArray:
        """Derivatives in the logarithms of the hyperparameters; ``by_mean`` is that of the log amplitude."""
        X, Z = process.place(self.X), process.place(self.vectors)
        kernel, a = process.kernel, process.amplitude
        covariance, variance = kernel(Z, Z), kernel.diagonal(X)
        pairs = [(X, Z, a * upstream.columns, design.columns / a), (Z, Z, a * upstream.vectors, covariance)]
        by_amplitude = sum(np.vdot(part, values) for _, _, part, values in pairs) + by_mean
        by_amplitude += a * (upstream.diagonal @ variance + JITTER * np.trace(upstream.vectors))
        parts = [np.array([by_amplitude])]
        if self.hyperparameters.learns_constant:
            parts.append(upstream.features[:1])
        if process.trend:
            parts.append(upstream.features[1:].sum(keepdims=True))
        if self.hyperparameters.sizes[3]:
            by_diagonal = kernel.diagonal_gradient(X, a * upstream.diagonal)
            parts.append(sum((kernel.parameter_gradient(*pair) for pair in pairs), by_diagonal))
        pairs += [] if kernel.is_stationary else _diagonal_blocks(X, a * upstream.diagonal)
        if process.scales is not None:
            parts.append(process.grouped(sum(kernel.scale_gradient(*pair) for pair in pairs)))
        return np.concatenate(parts)


class SparseEvidence(VectorEvidence):
    """Evidence of one latent function with independent rests of the rows, by expectation propagation.

    It is FITC (Snelson & Ghahramani 2006; Naish-Guzman & Holden 2007). The evidence is stationary in the
    sites, so that the gradient is that of Gaussian pseudo-data.
    """

    def value(self, process: Process, likelihood: Any) -> tuple[float, NDArray]:
        """Log evidence and its gradient."""
        design = Design.of(process, self.X, self.vectors)
        prior, offset = DesignPrior(design.Phi, design.left), process.constant[0]
        found = latent_ep(likelihood, prior, offset, self.y, self.weights, self.state)
        self.state = found.state if found.converged else None
        upstream = self._upstream(design, found)
        by_mean = found.coef.sum() * self.hyperparameters.mean(process.amplitude)[1]
        return found.log_evidence, self.chained(process, design, upstream, by_mean)

    def _upstream(self, design: Design, found: LatentFit) -> Upstream:
        posterior = (found.posterior.factor, found.posterior.variance)
        copies = np.maximum(self.weights, 1.0)
        return Upstream.of_sites(design, found.sites[0], found.coef, posterior, copies)


def _diagonal_blocks(X: Any, upstream: NDArray) -> list[tuple]:
    """Arguments of gradients that see k(x, x) of each row, whose derivative in the objective is given."""
    parts = [slice(first, first + _BLOCK_ROWS) for first in range(0, X.shape[0], _BLOCK_ROWS)]
    return [(X[part], X[part], np.diag(upstream[part]), None) for part in parts]
