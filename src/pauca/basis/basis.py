"""Columns of the design matrix, computed when they are needed."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import copy
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from .kernels import Kernel, multiplied
from .kernels.features import Rows, Values

# Bytes of one block of columns, so that it fits in the cache of a processor; set by hand, not tuned.
_BLOCK_BYTES = 4 * 2**20
# Standard deviation, as a share of the largest entry, below which a column is constant: a numerical guard.
_CONSTANT = 1e-12

Indices = NDArray[np.intp]


def with_bias(columns: Values) -> Values:
    """Columns with a leading column of ones.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        Columns of the design matrix.

    Returns
    -------
    ndarray of shape (n_rows, 1 + n_columns)
    """
    return np.hstack([np.ones((columns.shape[0], 1)), columns])


def _standardised(columns: Values) -> tuple[Values, Values, Values]:
    """Columns of mean zero and variance one, changed in place, with the shifts and scales taken out.

    Constant columns have an infinite scale and become zero.
    """
    shift, peak = columns.mean(axis=0), np.abs(columns).max(axis=0, initial=0.0)
    columns -= shift
    spread = np.sqrt(np.square(columns / np.where(peak > 0, peak, 1.0)).mean(axis=0)) * peak
    scale = np.where(spread > _CONSTANT * peak, spread, np.inf)
    columns /= scale
    return columns, shift, scale


class Basis(ABC):
    """Candidate columns of the design matrix, standardised over the training rows.

    Neither the shift (absorbed by the bias) nor the scale of a column (absorbed by its prior precision)
    changes the evidence; mean zero and variance one keep the arithmetic accurate for very wide kernels and
    in all units of the data.

    Parameters
    ----------
    n_rows : int
        Number of training rows.
    centre_rows : array-like of shape (n_candidates,)
        Row that each column is centred on and exists because of; -1 where there is none.
    signs : ndarray of shape (n_candidates,), optional
        Label of the centre of each column, by which the column is multiplied; zero removes the column.
    """

    def __init__(self, n_rows: int, centre_rows: ArrayLike, signs: Values | None = None) -> None:
        self.n_rows = n_rows
        self.centre_rows = np.asarray(centre_rows)
        self.signs = signs

    @property
    def n_candidates(self) -> int:
        """Number of candidate columns."""
        return len(self.centre_rows)

    @abstractmethod
    def raw(self, candidates: Indices) -> Values:
        """Columns of at least one candidate without signs, not checked."""

    @abstractmethod
    def restricted(self, rows: Indices, candidates: Indices) -> "Basis":
        """Basis over some of the rows with some of the candidates."""

    def _restricted_frame(self, rows: Indices, candidates: Indices) -> tuple[Indices, Values | None]:
        """Centre rows and signs for ``restricted``."""
        place = np.full(self.n_rows + 1, -1)
        place[rows] = np.arange(len(rows))
        return place[self.centre_rows[candidates]], None if self.signs is None else self.signs[candidates]

    def signed(self, signs: Values | None) -> Self:
        """Basis whose columns are multiplied by ``signs`` in place of its own."""
        other = copy(self)
        other.signs = signs
        return other

    def columns(self, candidates: Indices) -> tuple[Values, Values, Values]:
        """Standardised columns of the given candidates, with their shifts and scales."""
        return _standardised(self.plain(candidates))

    def plain(self, candidates: Indices) -> Values:
        """Columns that are not standardised, times their signs where the basis has signs."""
        if len(candidates) == 0:
            return np.empty((self.n_rows, 0))
        with np.errstate(over="ignore", invalid="ignore"):
            columns = np.array(self.raw(candidates), dtype=float)
        if not np.isfinite(columns).all():
            raise ValueError(
                "The kernel has values that are not finite; scale X or change the kernel's parameters."
            )
        return columns if self.signs is None else columns * self.signs[candidates]

    def blocks(self, candidates: Indices) -> Iterator[Values]:
        """Yield standardised columns in blocks of bounded memory, at least one block."""
        size = max(1, _BLOCK_BYTES // (8 * self.n_rows))
        for first in range(0, max(len(candidates), 1), size):
            yield self.columns(candidates[first : first + size])[0]


class CentredBasis(Basis):
    """Columns centred on rows, so that centres have kernel values with each other.

    Parameters
    ----------
    n_rows : int
        Number of training rows.
    centre_rows : array-like of shape (n_candidates,)
        Row behind each centre; -1 where there is none.
    signs : ndarray of shape (n_candidates,), optional
        Label of each centre, by which its column is multiplied; zero removes the column.
    """

    @abstractmethod
    def between(self, candidates: Indices) -> Values:
        """Kernel values of the centres of at least one candidate with each other, without signs."""

    def gram(self, candidates: Indices) -> Values:
        """Kernel values of the centres with each other, times the signs of both where the basis has signs."""
        if len(candidates) == 0:
            return np.empty((0, 0))
        values = self.between(candidates)
        if self.signs is None:
            return values
        return values * np.outer(self.signs[candidates], self.signs[candidates])


class KernelBasis(CentredBasis):
    """Columns k(x, z_j) over rows x for centres z_j.

    Parameters
    ----------
    X : rows of shape (n_rows, n_features)
        Training rows.
    kernel : Kernel
        Kernel, not precomputed.
    centre_rows : array-like of shape (n_candidates,), optional
        Row behind each centre, -1 where there is none; by default every row is a centre.
    signs : ndarray of shape (n_candidates,), optional
        Label of each centre, by which its column is multiplied.
    Z : rows of shape (n_candidates, n_features), optional
        Centres, by default ``X[centre_rows]``.
    """

    def __init__(
        self,
        X: Rows,
        kernel: Kernel,
        centre_rows: ArrayLike | None = None,
        signs: Values | None = None,
        Z: Rows | None = None,
    ) -> None:
        centre_rows = np.arange(X.shape[0]) if centre_rows is None else centre_rows
        super().__init__(X.shape[0], centre_rows, signs)
        self.X, self.kernel = X, kernel
        self.Z = X[self.centre_rows] if Z is None else Z

    def raw(self, candidates: Indices) -> Values:
        return self.kernel(self.X, self.Z[candidates])

    def between(self, candidates: Indices) -> Values:
        return self.kernel(self.Z[candidates], self.Z[candidates])

    def log_gamma_derivatives(self, candidates: Indices) -> Values:
        """Derivatives of the plain columns in log gamma."""
        if len(candidates) == 0:
            return np.empty((self.n_rows, 0))
        values = self.kernel.log_gamma_derivative(self.X, self.Z[candidates])
        return values if self.signs is None else values * self.signs[candidates]

    def rescaled(self, scales: Values) -> "KernelBasis":
        """Basis over features multiplied by their scales."""
        other = copy(self)
        other.X, other.Z = multiplied(self.X, scales), multiplied(self.Z, scales)
        return other

    def scale_gradient(self, candidates: Indices, upstream: Values) -> Values:
        """Derivatives in the log squared scales of the features, given those in the standardised columns."""
        plain = self.plain(candidates)
        columns, _, scale = _standardised(plain.copy())
        inner = (upstream - upstream.mean(axis=0) - columns * (upstream * columns).mean(axis=0)) / scale
        return self.plain_scale_gradient(candidates, inner, plain)

    def plain_scale_gradient(self, candidates: Indices, upstream: Values, plain: Values) -> Values:
        """Derivatives in the log squared scales of the features, given those in the plain columns."""
        signs = 1.0 if self.signs is None else self.signs[candidates]
        return self.kernel.scale_gradient(self.X, self.Z[candidates], upstream * signs, plain * signs)

    def gram_scale_gradient(self, candidates: Indices, upstream: Values, gram: Values) -> Values:
        """Derivatives in the log squared scales of the features, given those in the entries of `gram`."""
        Z = self.Z[candidates]
        signs = 1.0 if self.signs is None else np.outer(self.signs[candidates], self.signs[candidates])
        return self.kernel.scale_gradient(Z, Z, upstream * signs, gram * signs)

    def restricted(self, rows: Indices, candidates: Indices) -> "KernelBasis":
        centre_rows, signs = self._restricted_frame(rows, candidates)
        return KernelBasis(self.X[rows], self.kernel, centre_rows, signs, self.Z[candidates])


class PrecomputedBasis(CentredBasis):
    """Columns of a kernel matrix given by the user.

    Parameters
    ----------
    K : ndarray of shape (n_rows, n_candidates)
        Kernel values.
    centre_rows : array-like of shape (n_candidates,), optional
        Row behind each column, -1 where there is none; by default row j for column j.
    signs : ndarray of shape (n_candidates,), optional
        Label of each centre, by which its column is multiplied.
    """

    def __init__(self, K: Values, centre_rows: ArrayLike | None = None, signs: Values | None = None) -> None:
        super().__init__(K.shape[0], np.arange(K.shape[1]) if centre_rows is None else centre_rows, signs)
        self.K = K

    def raw(self, candidates: Indices) -> Values:
        return self.K[:, candidates]

    def between(self, candidates: Indices) -> Values:
        return self.K[np.ix_(self.centre_rows[candidates], candidates)]

    def restricted(self, rows: Indices, candidates: Indices) -> "PrecomputedBasis":
        return PrecomputedBasis(self.K[np.ix_(rows, candidates)], *self._restricted_frame(rows, candidates))


class FeatureBasis(Basis):
    """Features as columns, none of them centred on a row.

    Parameters
    ----------
    X : rows of shape (n_rows, n_features)
        Training rows.
    signs : ndarray of shape (n_features,), optional
        Factors of the columns.
    """

    def __init__(self, X: Rows, signs: Values | None = None) -> None:
        super().__init__(X.shape[0], np.full(X.shape[1], -1), signs)
        self.X = X

    def raw(self, candidates: Indices) -> Values:
        values = self.X[:, candidates]
        return values.toarray() if sparse.issparse(values) else values

    def restricted(self, rows: Indices, candidates: Indices) -> "FeatureBasis":
        return FeatureBasis(self.X[rows][:, candidates], self._restricted_frame(rows, candidates)[1])
