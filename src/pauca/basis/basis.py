"""Columns of the design matrix, made when they are needed."""

from abc import ABC, abstractmethod
from copy import copy

import numpy as np
from scipy import sparse

from .kernels import multiplied

# Blocks that fit in the cache of a processor.
_BLOCK_BYTES = 4 * 2**20
# A column whose spread is below this share of its size is constant up to rounding.
_CONSTANT = 1e-12


def with_bias(columns):
    """Columns with a leading column of ones."""
    return np.hstack([np.ones((columns.shape[0], 1)), columns])


def _standardised(columns):
    """The columns, changed in place, their shifts and scales."""
    shift, peak = columns.mean(axis=0), np.abs(columns).max(axis=0, initial=0.0)
    columns -= shift
    spread = np.sqrt(np.square(columns / np.where(peak > 0, peak, 1.0)).mean(axis=0)) * peak
    scale = np.where(spread > _CONSTANT * peak, spread, np.inf)
    columns /= scale
    return columns, shift, scale


class Basis(ABC):
    """One candidate column a centre, standardised over the training rows.

    Neither the shift (absorbed by the bias) nor the scale of a column (absorbed by its prior precision)
    changes the evidence; mean zero and variance one keep the arithmetic sound for very wide kernels and
    whatever the units of the data. ``signs`` multiplies each column by the label of its centre; a
    column of sign zero is as good as none.

    ``centre_rows[j]`` is the row that column j is centred on and owes its existence to, -1: none.
    """

    def __init__(self, n_rows, centre_rows, signs=None):
        self.n_rows = n_rows
        self.centre_rows = np.asarray(centre_rows)
        self.signs = signs

    @property
    def n_candidates(self):
        """Number of candidate columns."""
        return len(self.centre_rows)

    @abstractmethod
    def raw(self, candidates):
        """Kernel values of at least one candidate."""

    @abstractmethod
    def restricted(self, rows, candidates):
        """The basis over some of the rows with some of the candidates."""

    def _restricted_frame(self, rows, candidates):
        """Centre rows and signs for ``restricted``."""
        place = np.full(self.n_rows + 1, -1)
        place[rows] = np.arange(len(rows))
        return place[self.centre_rows[candidates]], None if self.signs is None else self.signs[candidates]

    def signed(self, signs):
        """The same basis with signs."""
        other = copy(self)
        other.signs = signs
        return other

    def columns(self, candidates):
        """Standardised columns of the given candidates, with their shifts and scales."""
        return _standardised(self.plain(candidates))

    def plain(self, candidates):
        """Columns as the kernel gives them, signed where the basis has signs."""
        if len(candidates) == 0:
            return np.empty((self.n_rows, 0))
        with np.errstate(over="ignore", invalid="ignore"):
            columns = np.array(self.raw(candidates), dtype=float)
        if not np.isfinite(columns).all():
            raise ValueError(
                "The kernel has values that are not finite; scale X or change the kernel's parameters."
            )
        return columns if self.signs is None else columns * self.signs[candidates]

    def blocks(self, candidates):
        """Yield standardised columns in blocks of bounded memory, at least one block."""
        size = max(1, _BLOCK_BYTES // (8 * self.n_rows))
        for first in range(0, max(len(candidates), 1), size):
            yield self.columns(candidates[first : first + size])[0]


class CentredBasis(Basis):
    """Columns centred on rows, which have kernel values with each other."""

    @abstractmethod
    def between(self, candidates):
        """Kernel values of the centres of at least one candidate with each other."""

    def gram(self, candidates):
        """The same, times their signs where the basis has signs."""
        if len(candidates) == 0:
            return np.empty((0, 0))
        values = self.between(candidates)
        if self.signs is None:
            return values
        return values * np.outer(self.signs[candidates], self.signs[candidates])


class KernelBasis(CentredBasis):
    """Columns k(x, z_j) over rows x for centres z_j; by default every row is a centre."""

    def __init__(self, X, kernel, centre_rows=None, signs=None, Z=None):
        centre_rows = np.arange(X.shape[0]) if centre_rows is None else centre_rows
        super().__init__(X.shape[0], centre_rows, signs)
        self.X, self.kernel = X, kernel
        self.Z = X[self.centre_rows] if Z is None else Z

    def raw(self, candidates):
        return self.kernel(self.X, self.Z[candidates])

    def between(self, candidates):
        return self.kernel(self.Z[candidates], self.Z[candidates])

    def log_gamma_derivatives(self, candidates):
        """Derivatives of the plain columns in log gamma."""
        if len(candidates) == 0:
            return np.empty((self.n_rows, 0))
        values = self.kernel.log_gamma_derivative(self.X, self.Z[candidates])
        return values if self.signs is None else values * self.signs[candidates]

    def rescaled(self, scales):
        """The same basis with the features multiplied by their scales."""
        other = copy(self)
        other.X, other.Z = multiplied(self.X, scales), multiplied(self.Z, scales)
        return other

    def scale_gradient(self, candidates, upstream):
        """Derivatives in the log squared scales of the features, given those in the standardised columns."""
        plain = self.plain(candidates)
        columns, _, scale = _standardised(plain.copy())
        inner = (upstream - upstream.mean(axis=0) - columns * (upstream * columns).mean(axis=0)) / scale
        return self.plain_scale_gradient(candidates, inner, plain)

    def plain_scale_gradient(self, candidates, upstream, plain):
        """Derivatives in the log squared scales of the features, given those in the plain columns."""
        signs = 1.0 if self.signs is None else self.signs[candidates]
        return self.kernel.scale_gradient(self.X, self.Z[candidates], upstream * signs, plain * signs)

    def gram_scale_gradient(self, candidates, upstream, gram):
        """Derivatives in the log squared scales of the features, given those in the entries of `gram`."""
        Z = self.Z[candidates]
        signs = 1.0 if self.signs is None else np.outer(self.signs[candidates], self.signs[candidates])
        return self.kernel.scale_gradient(Z, Z, upstream * signs, gram * signs)

    def restricted(self, rows, candidates):
        centre_rows, signs = self._restricted_frame(rows, candidates)
        return KernelBasis(self.X[rows], self.kernel, centre_rows, signs, self.Z[candidates])


class PrecomputedBasis(CentredBasis):
    """Columns of a matrix given by the user; column j is centred on row j."""

    def __init__(self, K, centre_rows=None, signs=None):
        super().__init__(K.shape[0], np.arange(K.shape[1]) if centre_rows is None else centre_rows, signs)
        self.K = K

    def raw(self, candidates):
        return self.K[:, candidates]

    def between(self, candidates):
        return self.K[np.ix_(self.centre_rows[candidates], candidates)]

    def restricted(self, rows, candidates):
        return PrecomputedBasis(self.K[np.ix_(rows, candidates)], *self._restricted_frame(rows, candidates))


class FeatureBasis(Basis):
    """The features themselves as columns; no row owns one."""

    def __init__(self, X, signs=None):
        super().__init__(X.shape[0], np.full(X.shape[1], -1), signs)
        self.X = X

    def raw(self, candidates):
        values = self.X[:, candidates]
        return values.toarray() if sparse.issparse(values) else values

    def restricted(self, rows, candidates):
        return FeatureBasis(self.X[rows][:, candidates], self._restricted_frame(rows, candidates)[1])
