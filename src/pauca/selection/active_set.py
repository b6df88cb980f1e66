"""A small active set of rows that carries the posterior of all: greedy choice and exchanges.

Sparse Bayes machines of Hernández-Lobato's thesis (2009), section 6.3. The score that averages over
the label of a row, and exchanges that must predict all labels better, are not in the thesis.
"""

from dataclasses import dataclass, replace

import numpy as np

from .active_factor import ActiveFactor

# Decimals to which scores are rounded before the first of the largest is taken; numerical guard.
_DECIMALS = 12
# Rows for which memory is reserved at first; memory doubles when they are more.
_FIRST_CAPACITY = 512
# Exchanges after which the factor is rebuilt from the sites, to remove drift; numerical guard.
REFRESH = 50
# Rise of the leave-one-out log probability of all labels, in nats, that an exchange needs; set by hand, not
# tuned.
_MIN_RISE = 0.1


@dataclass(frozen=True)
class ActiveSet:
    """Active ``rows`` with their ``sites`` (precision, shift, wrong, right), and the posterior of all rows.

    ``mean``, ``var`` are the posterior of u for all rows, ``noise`` that of ε. ``path`` has the log evidence
    after each addition: of the active rows, plus what they predict about each other row. ``settled`` says
    that the last pass exchanged no member and skipped none.
    """

    rows: np.ndarray
    sites: np.ndarray
    mean: np.ndarray
    var: np.ndarray
    noise: object
    path: np.ndarray
    n_passes: int
    settled: bool


def select_active_set(gram, noise, weights, size, *, expected=True, max_passes=30, growth=None):
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
    expected : bool
        Average over both labels of a row, which are not looked at before it is active; False: take its own
        label, as in the thesis, which prefers wrong ones.
    max_passes : int
        Limit on refining passes; 0 is the informative vector machine.
    growth : float, optional
        Stop adding when a row brings less log evidence than this, on average over the last tenth of them.

    Returns
    -------
    active : ActiveSet
    """
    search = _Search(gram, noise, weights, size, expected)
    search.grow(size, growth)
    n_passes, settled = 0, max_passes == 0
    while n_passes < max_passes and not settled:
        settled = search.refine()
        n_passes += 1
    return search.result(n_passes, settled)


class _Search:
    """The state of the greedy search."""

    def __init__(self, gram, noise, weights, size, expected):
        self.factor = ActiveFactor(gram, min(size, _FIRST_CAPACITY))
        self.noise, self.weights, self.expected = noise, weights, expected
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

    def _best(self, refused=False):
        """The inactive row that moves the posterior most, and the log Z of all rows."""
        gains, log_z = self.noise.gains(self.factor.mean, self.factor.var, self.weights, self.expected)
        gains = np.where(self.inactive & ~np.asarray(refused), np.round(gains, _DECIMALS), -np.inf)
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
        """Try to exchange every member; whether all of them stay."""
        refused = np.zeros(len(self.inactive), dtype=bool)
        n_changes = 0
        for count, row in enumerate(list(self.factor.rows)):
            place = self.factor.rows.index(row)
            n_changes += not self._has_cavity(place) or self._exchange(place, refused)
            if count % REFRESH == REFRESH - 1:
                self.factor.rebuild(*self.sites[:, :2].T)
        self.factor.rebuild(*self.sites[:, :2].T)
        return n_changes == 0

    def _exchange(self, place, refused):
        """Replace a member by the best row, if all labels are then predicted better; whether they are."""
        row, before = self.factor.rows[place], self.predicted()
        self._remove(place)
        best, _ = self._best(refused)
        if best != row:
            self._add(best)
            if self.predicted() > before + _MIN_RISE:
                return True
            refused[best] = True
            self._remove(len(self.sites) - 1)
        self._add(row)
        return False

    def predicted(self):
        """Log probability of all labels, each row without its own site."""
        precision, shift, _, _ = self.sites.T
        mean, var, rows = self.factor.mean.copy(), self.factor.var.copy(), self.factor.rows
        slack = 1 - precision * var[rows]
        if not (slack > 0).all():
            return -np.inf
        mean[rows] = (mean[rows] - var[rows] * shift) / slack
        var[rows] /= slack
        return self.noise.tilt(mean, var, weights=self.weights)[0].sum()

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
