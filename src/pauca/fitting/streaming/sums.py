"""One pass of inference: sums over the rows of a block at a Gaussian of the weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis.blocks import RowBlock
from ...numerics import solve_lower
from .expectations import expected_expansion
from .projection import Projection

#: Bytes of columns and features of rows that are kept between passes where nothing is said; set by hand.
KEPT_BYTES = 2.0**26
# Entries of the covariances of the rows that are worked on together with the vectors: 4 MB of doubles, which
# caches hold. Set by hand, by the time of a pass.
_CHUNK_ENTRIES = 500_000


def chunks(block: RowBlock, n_columns: int) -> Iterator[RowBlock]:
    """Parts of a block whose rows are worked on together."""
    size = max(64, _CHUNK_ENTRIES // max(n_columns, 1))
    return (block.part(slice(first, first + size)) for first in range(0, len(block), size))


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


class Design:
    """Columns and whitened features of chunks of rows, kept from one pass to the next where memory allows.

    Parameters
    ----------
    projection : Projection
        Process and vectors.
    dtype : dtype
        Precision of the whitened features.
    memory : float
        Bytes that may be kept. Other processes get none of what is kept here.
    """

    def __init__(self, projection: Projection, dtype: Any = np.float64, memory: float = 0.0) -> None:
        self.projection, self.memory = projection, memory
        #: Inverse of the transposed root of the vectors.
        self.whitening = np.ascontiguousarray(inverse(projection.root).T, dtype=dtype)
        self._kept: dict[int, tuple[NDArray, ...]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "memory": 0.0, "_kept": {}}

    def of(self, rows: RowBlock) -> tuple[NDArray, NDArray, NDArray]:
        """Columns of a chunk in two parts, and its whitened features; not to be changed."""
        first = int(rows.index[0])
        index, *known = self._kept.get(first, (None,))
        if index is not None and np.array_equal(index, rows.index):
            plain, covariance, features = known
            return plain, covariance, features
        made = self._made(rows.X)
        size = rows.index.nbytes + sum(part.nbytes for part in made)
        if index is None and size <= self.memory:
            self.memory -= size
            self._kept[first] = (rows.index, *made)
        return made

    def _made(self, X):
        plain, covariance = self.projection.columns(X)
        n_plain = plain.shape[1]
        features = np.empty((len(X), n_plain + covariance.shape[1]), dtype=self.whitening.dtype)
        features[:, :n_plain] = plain
        np.matmul(covariance.astype(features.dtype, copy=False), self.whitening, out=features[:, n_plain:])
        return plain, covariance, features


@dataclass(frozen=True)
class SumsPass:
    """Function from a block of rows to its `Sums` at the weights N(mean, (factor factorᵀ)⁻¹).

    Latent values, the log likelihood and its gradient are in double precision; features in that of the
    design, which single precision makes twice as fast, only enter the variances of latent values and the
    precision.

    Parameters
    ----------
    projection : Projection
        Process and vectors.
    design : Design
        Columns of the rows, and whitened features.
    likelihood : Likelihood
        Likelihood of the targets.
    coef : ndarray of shape (n_weights,)
        Means of the weights of the columns, not whitened.
    spread : ndarray of shape (n_weights, n_weights)
        Inverse of the transposed Cholesky factor of the precision of the whitened weights.
    explained_only : bool
        Whether the process is replaced by its projection, so that latent values have no more variance than
        the vectors explain: the deterministic training conditional of Seeger, Williams & Lawrence (2003).
    """

    projection: Projection
    design: Design
    likelihood: Any
    coef: NDArray
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
        design: Design | None = None,
    ) -> "SumsPass":
        """Pass at whitened weights of a ``mean`` and a Cholesky ``factor`` of their precision.

        Parameters
        ----------
        projection : Projection
            Process and vectors.
        likelihood : Likelihood
            Likelihood of the targets.
        mean, factor : ndarray
            Weights.
        dtype : dtype
            Precision of the whitened features, without ``design``.
        explained_only : bool
            Whether the process is replaced by its projection.
        design : Design, optional
            Design of these vectors; by default a new one, which keeps nothing.
        """
        design = design or Design(projection, dtype)
        spread = np.ascontiguousarray(inverse(factor).T, dtype=design.whitening.dtype)
        return cls(projection, design, likelihood, projection.unwhitened(mean), spread, explained_only)

    def __call__(self, block: RowBlock) -> Sums:
        n_weights = self.projection.n_weights
        weight, value = 0.0, 0.0
        gradient, precision = np.zeros(n_weights), np.zeros((n_weights, n_weights))
        for rows in chunks(block, n_weights):
            plain, covariance, features, mean, var = self.latent(rows)
            log_prob, first, curvature = expected_expansion(self.likelihood, rows.y, mean, var)
            weight, value = weight + rows.weights.sum(), value + rows.weights @ log_prob
            residual = rows.weights * first
            gradient += np.append(residual @ plain, residual @ covariance)
            scaled = features * np.sqrt(rows.weights * curvature).astype(features.dtype)[:, None]
            precision += scaled.T @ scaled
        return Sums(float(weight), float(value), gradient, precision)

    def latent(self, rows: RowBlock) -> tuple[NDArray, NDArray, NDArray, NDArray, NDArray]:
        """Columns of some rows in two parts, whitened features, and means and variances of latent values."""
        plain, covariance, features = self.design.of(rows)
        return plain, covariance, features, *self.moments(rows.X, plain, covariance, features)

    def moments(
        self, X: NDArray, plain: NDArray, covariance: NDArray, features: NDArray
    ) -> tuple[NDArray, NDArray]:
        """Means and variances of the latent values of rows of a known design."""
        n_plain, process = plain.shape[1], self.projection.process
        mean = plain @ self.coef[:n_plain] + covariance @ self.coef[n_plain:]
        mean += process.constant[0]
        spread = features @ self.spread
        var = np.einsum("ij,ij->i", spread, spread).astype(float)
        if not self.explained_only:
            whitened = features[:, n_plain:]
            left = process.variance(X) - np.einsum("ij,ij->i", whitened, whitened)
            var += np.maximum(left, 0.0)
        return mean, var


def inverse(factor: NDArray) -> NDArray:
    """Inverse of a lower triangular matrix."""
    return solve_lower(factor, np.eye(len(factor)))
