"""Columns of the design matrix, made when they are needed."""

import numpy as np

__all__ = ["KernelBasis", "PrecomputedBasis", "with_bias"]

_BLOCK_BYTES = 64 * 2**20


def with_bias(columns):
    """Columns with a leading column of ones."""
    return np.hstack([np.ones((columns.shape[0], 1)), columns])


class Basis:
    """One candidate column a centre, standardised over the training rows.

    Neither the shift (absorbed by the bias) nor the scale of a column (absorbed by its prior precision)
    changes the evidence; mean zero and variance one keep the arithmetic sound for very wide kernels and
    whatever the units of the data. ``signs`` multiplies each column by the label of its centre.
    """

    def __init__(self, n_rows, centres, signs=None):
        self.n_rows = n_rows
        self.centres = np.asarray(centres)
        self.signs = signs

    @property
    def n_candidates(self):
        """Number of candidate columns."""
        return len(self.centres)

    def raw(self, candidates):
        """Columns as the kernel gives them."""
        raise NotImplementedError

    def columns(self, candidates):
        """Standardised columns of the given candidates, with their shifts and scales."""
        if len(candidates) == 0:
            return np.empty((self.n_rows, 0)), np.empty(0), np.empty(0)
        columns = np.array(self.raw(candidates), dtype=float)
        if self.signs is not None:
            columns *= self.signs[candidates]
        shift = columns.mean(axis=0)
        peak = np.abs(columns).max(axis=0)
        columns -= shift
        spread = np.sqrt(np.square(columns).mean(axis=0))
        scale = np.where(spread > 1e-12 * peak, spread, np.inf)
        columns /= scale
        return columns, shift, scale

    def blocks(self, candidates):
        """Yield standardised columns in blocks of bounded memory."""
        size = max(1, _BLOCK_BYTES // (8 * self.n_rows))
        for first in range(0, len(candidates), size):
            yield self.columns(candidates[first : first + size])[0]


class KernelBasis(Basis):
    """Columns k(x, x_j) for the training rows x_j named by ``centres``."""

    def __init__(self, X, kernel, centres=None, signs=None):
        super().__init__(X.shape[0], np.arange(X.shape[0]) if centres is None else centres, signs)
        self.X, self.kernel = X, kernel

    def raw(self, candidates):
        return self.kernel(self.X, self.X[self.centres[candidates]])

    def with_gamma(self, gamma):
        """The same centres under another kernel parameter."""
        return KernelBasis(self.X, self.kernel.with_gamma(gamma), self.centres, self.signs)


class PrecomputedBasis(Basis):
    """Columns of a matrix given by the user."""

    def __init__(self, K, centres=None, signs=None):
        super().__init__(K.shape[0], np.arange(K.shape[1]) if centres is None else centres, signs)
        self.K = K

    def raw(self, candidates):
        return self.K[:, self.centres[candidates]]
