"""The low-rank factor behind an active set of rows.

In real arithmetic whatever the signs of the site precisions: C_II + Λ has the symmetric inverse W, which
replaces the complex Cholesky factor of Hernández-Lobato's thesis (2009), section 6.3.
"""

import numpy as np

# Smallest posterior variance as a share of the prior variance; numerical guard.
_LEAST_SHARE = 1e-10


class ActiveFactor:
    """Posterior mean and variance of u for all n rows, given sites on m active ones.

    A = C − C_:I W C_I:, with adding, removing and columns of A in O(n m). ``gram`` gives columns of C
    (``columns(rows)``) and its ``diagonal``.
    """

    def __init__(self, gram, capacity):
        self.gram = gram
        self.rows: list[int] = []
        self.mean, self.var = np.zeros(len(gram.diagonal)), gram.diagonal.copy()
        self._columns = np.empty((len(self.mean), capacity), order="F")
        self._inverse = np.empty((capacity, capacity))
        self._remembered: dict[int, np.ndarray] = {}

    @property
    def columns(self):
        """C_:I."""
        return self._columns[:, : len(self.rows)]

    @property
    def inverse(self):
        """W = (C_II + Λ)⁻¹."""
        return self._inverse[: len(self.rows), : len(self.rows)]

    def _kernel_column(self, row):
        """C_:j; rows that come and go are remembered."""
        if row not in self._remembered:
            if len(self._remembered) >= len(self._inverse):
                self._remembered.clear()
            self._remembered[row] = self.gram.columns([row])[:, 0]
        return self._remembered[row]

    def _floored(self, var):
        return np.maximum(var, _LEAST_SHARE * self.gram.diagonal)

    def _column(self, column):
        """A_:j from C_:j, and x = W C_Ij."""
        weights = self.inverse @ column[self.rows]
        return column - self.columns @ weights, weights

    def add(self, row, curvature, slope):
        """Give ``row`` a site: its variance v becomes v − v² ``curvature``, its mean moves by v ``slope``."""
        column = self._kernel_column(row)
        change, weights = self._column(column)
        self.var = self._floored(self.var - curvature * np.square(change))
        self.mean += slope * change
        m = len(self.rows)
        if m == len(self._inverse):
            self._enlarge()
        self._columns[:, m] = column
        self._inverse[:m, :m] += curvature * np.outer(weights, weights)
        self._inverse[:m, m] = self._inverse[m, :m] = -curvature * weights
        self._inverse[m, m] = curvature
        self.rows.append(row)

    def _enlarge(self):
        """Room for twice as many rows."""
        self._columns = np.concatenate([self._columns.T, np.empty_like(self._columns.T)]).T
        self._inverse = np.pad(self._inverse, (0, len(self._inverse)))

    def remove(self, place, precision, shift):
        """Take the site of an active row away; its cavity must be proper."""
        row, m = self.rows[place], len(self.rows)
        column = self._columns[:, place].copy()
        change, _ = self._column(column)
        slack = 1 - precision * change[row]
        self.var = self._floored(self.var + np.square(change) * (precision / slack))
        self.mean += change * ((precision * self.mean[row] - shift) / slack)
        others = np.delete(np.arange(m), place)
        link, pivot = self._inverse[others, place], self._inverse[place, place]
        inverse = self._inverse[np.ix_(others, others)]
        self._inverse[: m - 1, : m - 1] = inverse - np.outer(link, link / pivot) if pivot else inverse
        self._columns[:, place : m - 1] = self._columns[:, place + 1 : m]
        self._remembered[row] = column
        del self.rows[place]

    def rebuild(self, precision, shift):
        """Compute everything anew from the sites, to remove drift."""
        inner = np.eye(len(self.rows)) + precision[:, None] * self.columns[self.rows]
        inverse = np.linalg.solve(inner, np.diag(precision))
        self.inverse[:] = (inverse + inverse.T) / 2
        explained = ((self.columns @ self.inverse) * self.columns).sum(axis=1)
        self.var = self._floored(self.gram.diagonal - explained)
        self.mean = self.columns @ np.linalg.solve(inner, shift)
