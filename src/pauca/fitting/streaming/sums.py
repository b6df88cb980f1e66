"""One pass of inference: sums over the rows of a block at a Gaussian of the weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis.blocks import RowBlock
from ...numerics import solve_lower
from .expectations import expected_expansion
from .projection import Projection

# Entries of the covariances of the rows that are worked on together with the vectors: 4 MB of doubles, which
# caches hold. Set by hand, by the time of a pass.
_CHUNK_ENTRIES = 500_000


def chunks(n_rows: int, n_columns: int) -> list[slice]:
    """Slices of rows that are worked on together."""
    size = max(64, _CHUNK_ENTRIES // max(n_columns, 1))
    return [slice(first, first + size) for first in range(0, n_rows, size)]


@dataclass(frozen=True)
class Sums:
    """Sums over rows.

    Parameters
    ----------
    weight : float
        Sum of the weights of the rows.
    log_likelihood : float
        Expected log likelihood in nats.
    gradient : ndarray of shape (n_weights,)
        Derivatives of the log likelihood in the weights of the columns, not whitened.
    precision : ndarray of shape (n_weights, n_weights)
        What the rows add to the precision of the whitened weights.
    """

    weight: float
    log_likelihood: float
    gradient: NDArray
    precision: NDArray

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(
            self.weight + other.weight,
            self.log_likelihood + other.log_likelihood,
            self.gradient + other.gradient,
            self.precision + other.precision,
        )


@dataclass(frozen=True)
class SumsPass:
    """Function from a block of rows to its `Sums` at the weights N(mean, (factor factorᵀ)⁻¹).

    Latent values, the log likelihood and its gradient are in double precision; features in ``dtype``, which
    single precision makes twice as fast, only enter the variances of latent values and the precision.

    Parameters
    ----------
    projection : Projection
        Process and vectors.
    likelihood : Likelihood
        Likelihood of the targets.
    coef : ndarray of shape (n_weights,)
        Means of the weights of the columns, not whitened.
    whitening : ndarray of shape (n_vectors, n_vectors)
        Inverse of the transposed root of the vectors.
    spread : ndarray of shape (n_weights, n_weights)
        Inverse of the transposed Cholesky factor of the precision of the whitened weights.
    explained_only : bool
        Whether the process is replaced by its projection, so that latent values have no more variance than
        the vectors explain: the deterministic training conditional of Seeger, Williams & Lawrence (2003).
    """

    projection: Projection
    likelihood: Any
    coef: NDArray
    whitening: NDArray
    spread: NDArray
    explained_only: bool = False

    @classmethod
    def at(
        cls,
        projection: Projection,
        likelihood: Any,
        mean: NDArray,
        factor: NDArray,
        dtype: Any = np.float64,
        explained_only: bool = False,
    ) -> "SumsPass":
        """Pass at whitened weights of a ``mean`` and a Cholesky ``factor`` of their precision."""
        whitening, spread = (
            np.ascontiguousarray(inverse(L).T, dtype=dtype) for L in (projection.root, factor)
        )
        coef = projection.unwhitened(mean)
        return cls(projection, likelihood, coef, whitening, spread, explained_only)

    def __call__(self, block: RowBlock) -> Sums:
        n_weights = self.projection.n_weights
        weight, value = 0.0, 0.0
        gradient, precision = np.zeros(n_weights), np.zeros((n_weights, n_weights))
        for rows in chunks(len(block), n_weights):
            weights = block.weights[rows]
            plain, covariance, features, mean, var = self.latent(block.X[rows])
            log_prob, first, curvature = expected_expansion(self.likelihood, block.y[rows], mean, var)
            weight, value = weight + weights.sum(), value + weights @ log_prob
            residual = weights * first
            gradient += np.append(residual @ plain, residual @ covariance)
            features *= np.sqrt(weights * curvature).astype(features.dtype)[:, None]
            precision += features.T @ features
        return Sums(float(weight), float(value), gradient, precision)

    def latent(self, X: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray, NDArray]:
        """Columns of some rows in two parts, whitened features, and means and variances of latent values."""
        plain, covariance, features = self.design(X)
        return plain, covariance, features, *self.moments(X, plain, covariance, features)

    def design(self, X: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Columns of some rows in two parts, and whitened features."""
        plain, covariance = self.projection.columns(X)
        n_plain = plain.shape[1]
        features = np.empty((len(X), n_plain + covariance.shape[1]), dtype=self.whitening.dtype)
        features[:, :n_plain] = plain
        np.matmul(covariance.astype(features.dtype, copy=False), self.whitening, out=features[:, n_plain:])
        return plain, covariance, features

    def moments(
        self, X: NDArray, plain: NDArray, covariance: NDArray, features: NDArray
    ) -> tuple[NDArray, NDArray]:
        """Means and variances of the latent values of rows of a known design."""
        n_plain = plain.shape[1]
        mean = plain @ self.coef[:n_plain] + covariance @ self.coef[n_plain:]
        mean += self.projection.process.constant[0]
        spread = features @ self.spread
        var = np.einsum("ij,ij->i", spread, spread).astype(float)
        if not self.explained_only:
            whitened = features[:, n_plain:]
            left = self.projection.process.variance(X) - np.einsum("ij,ij->i", whitened, whitened)
            var += np.maximum(left, 0.0)
        return mean, var


def inverse(factor: NDArray) -> NDArray:
    """Inverse of a lower triangular matrix."""
    return solve_lower(factor, np.eye(len(factor)))
