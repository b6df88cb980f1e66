"""Factors of posteriors whose inverses have half precision, which makes model files small."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...numerics import solve_lower


@dataclass(frozen=True, eq=False)
class HalfInverse:
    """Inverse of the lower Cholesky factor of a precision, its entries below the diagonal in half precision.

    Of a posterior (L Lᵀ)⁻¹ of weights of variance one, W = L⁻¹ is a contraction, so that relative errors of
    its entries change the standard deviation of φᵀ w by some 1e-4 of |φ|: nothing beside the unit noise of
    the latent values of labels.

    Parameters
    ----------
    diagonal : ndarray of shape (n,)
        Diagonal of W.
    sizes : ndarray of shape (n,)
        Largest absolute value below the diagonal in each row.
    entries : ndarray of half precision, shape (n (n - 1) / 2,)
        Entries below the diagonal, row by row, divided by the size of their row.
    """

    diagonal: NDArray
    sizes: NDArray
    entries: NDArray

    @classmethod
    def of(cls, factor: NDArray) -> "HalfInverse":
        """Inverse of a factor L with L Lᵀ ≥ 1, rounded to a contraction."""
        n = len(factor)
        inverse = solve_lower(factor, np.eye(n))
        below = np.tril_indices(n, -1)
        sizes = np.abs(np.tril(inverse, -1)).max(axis=1, initial=0.0)
        scaled = inverse[below] / np.where(sizes > 0, sizes, 1.0)[below[0]]
        found = cls(np.diag(inverse).copy(), sizes, scaled.astype(np.float16))
        largest = np.linalg.norm(found.matrix, 2) if n else 1.0
        shrink = 1 / max(float(largest), 1.0)
        return cls(shrink * found.diagonal, shrink * sizes, found.entries)

    @property
    def matrix(self) -> NDArray:
        """W, lower triangular."""
        n = len(self.diagonal)
        matrix, below = np.diag(self.diagonal), np.tril_indices(n, -1)
        matrix[below] = self.entries * self.sizes[below[0]]
        return matrix

    @property
    def factor(self) -> NDArray:
        """Factor L whose inverse W is."""
        return np.tril(solve_lower(self.matrix, np.eye(len(self.diagonal))))
