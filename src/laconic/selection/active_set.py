"""A small active set of rows that carries the posterior of all: low-rank factor, greedy choice, exchanges.

Sparse Bayes machines of Hernández-Lobato's thesis (2009), section 6.3, in real arithmetic whatever the signs of
the site precisions: C_II + Λ has the symmetric inverse W, which replaces the complex Cholesky factor.
"""

from dataclasses import dataclass, replace

import numpy as np

# Scores are rounded to this before the first of the largest is taken.
_DECIMALS = 12


class ActiveFactor:
    """Posterior mean and variance of u for all n rows, given sites on m active ones.

    A = C − C_:I W C_I:, with adding, removing and columns of A in O(n m). ``gram`` gives columns of C
    (``columns(rows)``) and its ``diagonal``.
    """

    def __init__(self, gram, capacity):
        self.gram = gram
        self.rows: list[int] = []
        self.mean, self.var = np.zeros(len(gram.diagonal)), gram.diagonal.copy()
        self._columns = np.empty((len(self.mean), capacity + 1), order="F")
        self._inverse = np.empty((capacity + 1, capacity + 1))

    @property
    def columns(self):
        """C_:I."""
        return self._columns[:, : len(self.rows)]

    @property
    def inverse(self):
        """W = (C_II + Λ)⁻¹."""
        return self._inverse[: len(self.rows), : len(self.rows)]

    def _column(self, column, row):
        """A_:j from C_:j, and x = W C_Ij."""
        weights = self.inverse @ column[self.rows]
        return column - self.columns @ weights, weights

    def add(self, row, curvature, slope):
        """Give ``row`` a site: its variance v becomes v − v² ``curvature``, its mean moves by v ``slope``."""
        column = self.gram.columns([row])[:, 0]
        change, weights = self._column(column, row)
        self.var -= curvature * np.square(change)
        self.mean += slope * change
        m = len(self.rows)
        self._columns[:, m] = column
        self._inverse[:m, :m] += curvature * np.outer(weights, weights)
        self._inverse[:m, m] = self._inverse[m, :m] = -curvature * weights
        self._inverse[m, m] = curvature
        self.rows.append(row)

    def remove(self, place, precision, shift):
        """Take the site of an active row away; its cavity must be proper."""
        row, m = self.rows[place], len(self.rows)
        change, _ = self._column(self._columns[:, place], row)
        slack = 1 - precision * change[row]
        self.var += np.square(change) * (precision / slack)
        self.mean += change * ((precision * self.mean[row] - shift) / slack)
        others = np.delete(np.arange(m), place)
        link, pivot = self._inverse[others, place], self._inverse[place, place]
        inverse = self._inverse[np.ix_(others, others)]
        self._inverse[: m - 1, : m - 1] = inverse - np.outer(link, link / pivot) if pivot else inverse
        self._columns[:, place : m - 1] = self._columns[:, place + 1 : m]
        del self.rows[place]

    def rebuild(self, precision, shift):
        """Compute everything anew from the sites, to remove drift."""
        inner = np.eye(len(self.rows)) + precision[:, None] * self.columns[self.rows]
        inverse = np.linalg.solve(inner, np.diag(precision))
        self.inverse[:] = (inverse + inverse.T) / 2
        self.var = self.gram.diagonal - ((self.columns @ self.inverse) * self.columns).sum(axis=1)
        self.mean = self.columns @ np.linalg.solve(inner, shift)


@dataclass(frozen=True)
class ActiveSet:
    """Active ``rows`` with their ``sites`` (precision, shift, wrong, right), and what all rows make of them.

    ``mean``, ``var`` are the posterior of u for all rows, ``noise`` that of ε. ``path`` has the log evidence after each
    addition: of the active rows, plus what they predict about each other row. ``settled`` says that the last
    pass changed no member, skipped none and moved little.
    """

    rows: np.ndarray
    sites: np.ndarray
    mean: np.ndarray
    var: np.ndarray
    noise: object
    path: np.ndarray
    n_passes: int
    settled: bool


def select_active_set(gram, noise, weights, size, *, max_passes=30, tol=1e-4, growth=None):
    """Choose active rows by how far they move the posterior (6.110), then exchange them.

    Parameters
    ----------
    gram : object
        ``columns(rows)`` and ``diagonal`` of the prior covariance of u.
    noise : LabelNoise
        Likelihood with the prior of ε.
    weights : ndarray of shape (n,)
        How many times each row counts.
    size : int
        Number of active rows.
    max_passes : int
        Limit on refining passes; 0 is the informative vector machine.
    tol : float
        Largest change in a pass, in posterior standard deviations, at which refining ends.
    growth : float, optional
        Stop adding when a row brings less log evidence than this, on average over the last tenth of them.

    Returns
    -------
    active : ActiveSet
    """
    search = _Search(gram, noise, weights, size)
    search.grow(size, growth)
    n_passes, settled = 0, max_passes == 0
    while n_passes < max_passes and not settled:
        settled = search.refine() < tol
        n_passes += 1
    return search.result(n_passes, settled)


class _Search:
    """The state of the greedy search."""

    def __init__(self, gram, noise, weights, size):
        self.factor = ActiveFactor(gram, size)
        self.noise, self.weights = noise, weights
        self.sites = np.zeros((0, 4))
        self.inactive = np.ones(len(weights), dtype=bool)
        self.path: list[float] = []

    def grow(self, size, growth):
        """Add rows until there are enough."""
        evidence = 0.0
        while len(self.sites) < size and not self._enough(growth):
            row, log_z = self._best()
            evidence += log_z[row]
            self._add(row)
            self.path.append(evidence + log_z[self.inactive].sum())

    def _enough(self, growth):
        recent = max(10, len(self.path) // 10)
        if growth is None or len(self.path) <= recent:
            return False
        return self.path[-1] - self.path[-1 - recent] < growth * recent

    def _best(self):
        """The inactive row that moves the posterior most, and the log Z of all rows."""
        gains, log_z = self.noise.gains(self.factor.mean, self.factor.var, self.weights)
        gains = np.where(self.inactive, np.round(gains, _DECIMALS), -np.inf)
        return int(np.argmax(gains)), log_z

    def _add(self, row):
        """Give a row its site, thesis (6.74)-(6.77)."""
        mean, var = self.factor.mean[row], self.factor.var[row]
        weight = self.weights[row]
        _, flip, slope, spread = self.noise.tilt(mean, var, weights=weight)[:, 0]
        after = self.noise.matched(weight, flip)
        precision = (1 - spread) / (spread * var)
        shift = slope / np.sqrt(var) + precision * (mean + np.sqrt(var) * slope)
        site = precision, shift, after.a - self.noise.a, after.b - self.noise.b
        self.factor.add(row, (1 - spread) / var, slope / np.sqrt(var))
        self.sites = np.vstack([self.sites, site])
        self.noise = after
        self.inactive[row] = False

    def _remove(self, place):
        precision, shift, wrong, right = self.sites[place]
        self.inactive[self.factor.rows[place]] = True
        self.factor.remove(place, precision, shift)
        self.sites = np.delete(self.sites, place, axis=0)
        self.noise = replace(self.noise, a=self.noise.a - wrong, b=self.noise.b - right)

    def refine(self):
        """Exchange every member for the best row, itself included; how much that changed."""
        members, mean, noise = set(self.factor.rows), self.factor.mean.copy(), self.noise
        n_skipped = 0
        for row in list(self.factor.rows):
            place = self.factor.rows.index(row)
            if self._has_cavity(place):
                self._remove(place)
                self._add(self._best()[0])
            else:
                n_skipped += 1
        self.factor.rebuild(*self.sites[:, :2].T)
        if n_skipped or members != set(self.factor.rows):
            return np.inf
        moved = np.abs(self.factor.mean - mean) / np.sqrt(self.factor.var)
        return max(moved.max(), abs(self.noise.a - noise.a), abs(self.noise.b - noise.b))

    def _has_cavity(self, place):
        precision, _, wrong, right = self.sites[place]
        proper = precision * self.factor.var[self.factor.rows[place]] < 1
        return proper and (self.noise.known or (self.noise.a > wrong and self.noise.b > right))

    def result(self, n_passes, settled):
        """What was found."""
        factor = self.factor
        return ActiveSet(
            np.array(factor.rows),
            self.sites,
            factor.mean,
            factor.var,
            self.noise,
            np.array(self.path),
            n_passes,
            settled,
        )
