"""Kernel matrix of the training rows times their labels, whole or column by column."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .kernels import Kernel


@dataclass(frozen=True)
class Gram:
    """Kernel matrix of signed rows, C_ij = y_i y_j (k(x_i, x_j) + jitter [i = j]).

    Parameters
    ----------
    kernel : Kernel
        Kernel k.
    X : rows of shape (n_rows, n_features)
        Training rows; for a precomputed kernel the square matrix of k.
    diagonal : ndarray of shape (n_rows,)
        Diagonal of C.
    jitter : float
        Constant that is added to the diagonal of the kernel matrix.
    y : ndarray of shape (n_rows,)
        Labels -1 and +1, or ones.
    """

    kernel: Kernel
    X: Any
    diagonal: NDArray
    jitter: float
    y: NDArray

    @classmethod
    def of(cls, kernel: Kernel, X: Any, share: float) -> "Gram":
        """Kernel matrix without labels, with a jitter that is a ``share`` of the mean of k(x, x)."""
        diagonal = kernel.diagonal(X)
        jitter = share * float(diagonal.mean())
        if not (np.isfinite(jitter) and jitter > 0 and (diagonal >= 0).all()):
            raise ValueError("kernel must give each row a similarity k(x, x) of at least zero with itself.")
        return cls(kernel, X, diagonal + jitter, jitter, np.ones(X.shape[0]))

    def signed(self, y: NDArray) -> "Gram":
        """Kernel matrix times other labels."""
        return replace(self, y=y)

    def part(self, rows: NDArray) -> "Gram":
        """Kernel matrix of some of the rows."""
        X = self.X[np.ix_(rows, rows)] if self.kernel.is_precomputed else self.X[rows]
        return replace(self, X=X, y=self.y[rows], diagonal=self.diagonal[rows])

    def columns(self, rows: NDArray) -> NDArray:
        """Columns of C that belong to some rows."""
        if self.kernel.is_precomputed:
            values = np.array(self.X[:, rows], dtype=float)
        else:
            values = np.array(self.kernel(self.X, self.X[rows]))
        values[rows, np.arange(len(rows))] += self.jitter
        values *= self.y[:, None]
        values *= self.y[rows]
        return values

    def block(self, rows: NDArray) -> NDArray:
        """C between some rows, exactly symmetric."""
        values = self.part(rows).columns(np.arange(len(rows)))
        return (values + values.T) / 2


def symmetric(K: NDArray) -> bool:
    """Whether a matrix is symmetric up to rounding.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Square matrix.

    Returns
    -------
    bool
    """
    return np.allclose(K, K.T, rtol=1e-6, atol=1e-8 * np.abs(K).max(initial=0.0))
