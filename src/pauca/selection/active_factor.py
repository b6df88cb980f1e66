"""Low-rank factor of the posterior of an active set of rows.

All arithmetic is real whatever the signs of the site precisions: C_II + Λ has the symmetric inverse W, which
replaces the complex Cholesky factor of Hernández-Lobato's thesis (2009), section 6.3.
"""

import numpy as np
from numpy.typing import NDArray

from .protocols import CovarianceMatrix

# Smallest posterior variance as a share of the prior variance; numerical guard.
_LEAST_SHARE = 1e-10


class ActiveFactor:
    """Posterior mean and variance of u for all n rows, given sites on m active ones.

    A = C − C_:I W C_I:, with adding, removing and columns of A in O(n m).

    Parameters
    ----------
    gram : Gram
        Prior covariance C of u: its ``diagonal``, and ``columns(rows)``.
    capacity : int
        Number of rows for which memory is reserved at first.
    """

    def __init__(self, gram: CovarianceMatrix, capacity: int) -> None:
        self.gram = gram
        self.rows: list[int] = []
        self.mean, self.var = np.zeros(len(gram.diagonal)), gram.diagonal.copy()
        self._columns = np.empty((len(self.mean), capacity), order="F")
        self._inverse = np.empty((capacity, capacity))
        self._cached: dict[int, np.ndarray] = {}

    @property
    def columns(self) -> NDArray:
        """Columns C_:I of the prior covariance, one for each active row."""
        return self._columns[:, : len(self.rows)]

    @property
    def inverse(self) -> NDArray:
        """Inverse W = (C_II + Λ)⁻¹, where Λ holds the variances of the sites."""
        return self._inverse[: len(self.rows), : len(self.rows)]

    def _kernel_column(self, row: int) -> NDArray:
        """Column C_:j of the prior covariance, cached for rows that are added and removed in turn."""
        if row not in self._cached:
            if len(self._cached) >= len(self._inverse):
                self._cached.clear()
            self._cached[row] = self.gram.columns([row])[:, 0]
        return self._cached[row]

    def _floored(self, var: NDArray) -> NDArray:
        return np.maximum(var, _LEAST_SHARE * self.gram.diagonal)

    def _column(self, column: NDArray) -> tuple[NDArray, NDArray]:
        """Column A_:j of the posterior covariance from C_:j, and W C_Ij."""
        weights = self.inverse @ column[self.rows]
        return column - self.columns @ weights, weights

    def add(self, row: int, curvature: float, gradient: float) -> None:
        """Add the site of a row: variance v becomes v − v² ``curvature``, the mean moves by v ``gradient``.

        Parameters
        ----------
        row : int
            Index of a row that is not active.
        curvature : float
            Minus the second derivative of log Z of the row in the mean of its latent value.
        gradient : float
            First derivative of log Z.
        """
        column = self._kernel_column(row)
        change, weights = self._column(column)
        self.var = self._floored(self.var - curvature * np.square(change))
        self.mean += gradient * change
        m = len(self.rows)
        if m == len(self._inverse):
            self._enlarge()
        self._columns[:, m] = column
        self._inverse[:m, :m] += curvature * np.outer(weights, weights)
        self._inverse[:m, m] = self._inverse[m, :m] = -curvature * weights
        self._inverse[m, m] = curvature
        self.rows.append(row)

    def _enlarge(self) -> None:
        """Reserve memory for twice as many rows."""
        self._columns = np.concatenate([self._columns.T, np.empty_like(self._columns.T)]).T
        self._inverse = np.pad(self._inverse, (0, len(self._inverse)))

    def remove(self, place: int, precision: float, shift: float) -> None:
        """Remove the site of an active row, whose cavity must be proper; the last row takes its place.

        Parameters
        ----------
        place : int
            Place of the row among the active ones.
        precision, shift : float
            Precision of its site, and precision times mean.
        """
        row, m = self.rows[place], len(self.rows)
        column = self._columns[:, place].copy()
        change, _ = self._column(column)
        slack = 1 - precision * change[row]
        self.var = self._floored(self.var + np.square(change) * (precision / slack))
        self.mean += change * ((precision * self.mean[row] - shift) / slack)
        inverse, last = self.inverse, m - 1
        link, pivot = inverse[:, place].copy(), inverse[place, place]
        if pivot:
            inverse -= np.outer(link, link / pivot)
        inverse[place], inverse[:, place] = inverse[last], inverse[:, last]
        inverse[place, place] = inverse[last, last]
        self._columns[:, place] = self._columns[:, last]
        self._cached[row] = column
        self.rows[place] = self.rows[last]
        self.rows.pop()

    def rebuild(self, precision: NDArray, shift: NDArray) -> None:
        """Recompute the inverse, the means and the variances from the sites, to remove rounding errors.

        Parameters
        ----------
        precision, shift : ndarray of shape (n_active,)
            Precisions of the sites, and precisions times means.
        """
        inner = np.eye(len(self.rows)) + precision[:, None] * self.columns[self.rows]
        inverse = np.linalg.solve(inner, np.diag(precision))
        self.inverse[:] = (inverse + inverse.T) / 2
        explained = ((self.columns @ self.inverse) * self.columns).sum(axis=1)
        self.var = self._floored(self.gram.diagonal - explained)
        self.mean = self.columns @ np.linalg.solve(inner, shift)
