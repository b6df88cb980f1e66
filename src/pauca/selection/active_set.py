"""Greedy selection, with exchanges, of a small active set of rows from which all others are predicted.

Sparse Bayes machines of Hernández-Lobato's thesis (2009), section 6.3. The score that averages over
the label of a row, and exchanges that must predict all labels better, are not in the thesis.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numerics import votes
from .active_factor import ActiveFactor
from .protocols import CovarianceMatrix, NoisyLabels

# Decimals to which scores are rounded before the first of the largest is taken; numerical guard.
_DECIMALS = 12
# Rows for which memory is reserved at first; memory doubles when they are more. Set by hand, not tuned.
_FIRST_CAPACITY = 512
# Least share of a group among the active rows, as a part of its share among all rows; set by hand.
_LEAST_SHARE = 0.5
# Exchanges after which the factor is rebuilt from the sites, to remove rounding errors; numerical guard.
REFRESH = 50
# Rise of the leave-one-out log probability of all labels, in nats, that an exchange needs; set by hand, not
# tuned.
_MIN_RISE = 0.1


@dataclass(frozen=True)
class ActiveSet:
    """Active rows with their sites, and the posterior of all rows.

    Parameters
    ----------
    rows : ndarray of shape (n_active,)
        Indices of the active rows.
    sites : ndarray of shape (n_active, 4)
        Site of each active row: precision, precision times mean, and the increments of a and b of ε.
    mean, var : ndarray of shape (n_rows,)
        Posterior mean and variance of u.
    noise : LabelNoise
        Likelihood with the posterior of ε.
    path : ndarray of shape (n_additions,)
        Log evidence in nats after each addition: of the active rows, plus the log predictive probability of
        each other row.
    n_passes : int
        Number of passes of exchanges.
    settled : bool
        Whether the last pass exchanged no active row and skipped none.
    """

    rows: NDArray
    sites: NDArray
    mean: NDArray
    var: NDArray
    noise: Any
    path: NDArray
    n_passes: int
    settled: bool


def select_active_set(
    gram: CovarianceMatrix,
    noise: NoisyLabels,
    weights: NDArray,
    size: int,
    *,
    expected: bool = True,
    max_passes: int = 30,
    growth: float | None = None,
    strata: NDArray | None = None,
    unconditional: bool = False,
) -> ActiveSet:
    """Choose active rows by their information gain about the posterior (6.110), then exchange them.

    Parameters
    ----------
    gram : Gram
        Prior covariance of u: its ``diagonal``, and ``columns(rows)``.
    noise : LabelNoise
        Likelihood with the prior of ε.
    weights : ndarray of shape (n_rows,) or (n_rows, 2)
        Weights of the labels of each row: of the label +1 of u, or of both labels.
    size : int
        Number of active rows.
    expected : bool, default=True
        Whether the information gain of a row is averaged over both labels, so that its own is not used before
        it is active. False uses its own label, as in the thesis, which prefers rows with wrong labels.
    max_passes : int, default=30
        Limit on passes of exchanges; 0 is the informative vector machine.
    growth : float, optional
        Stop adding when the mean rise of the log evidence over the last tenth of the rows is below this, in
        nats per row.
    strata : ndarray of shape (n_rows,), optional
        Group of each row, such as its label. A group whose share of the active rows is below half its share
        of all rows is served first: where one class surrounds the other, the most informative rows by
        themselves are all of the outer class.
    unconditional : bool, default=False
        Whether every exchange for a more informative row is made, as in the thesis; by default it must
        predict all labels better.

    Returns
    -------
    active : ActiveSet
    """
    search = _Search(gram, noise, weights, size, expected, strata)
    search.grow(size, growth)
    n_passes, settled = 0, max_passes == 0
    while n_passes < max_passes and not settled:
        settled = search.refine(unconditional)
        n_passes += 1
    return search.result(n_passes, settled)


class _Search:
    """State of the greedy search."""

    def __init__(
        self,
        gram: CovarianceMatrix,
        noise: NoisyLabels,
        weights: NDArray,
        size: int,
        expected: bool,
        strata: NDArray | None = None,
    ) -> None:
        names = np.zeros(len(weights)) if strata is None else strata
        self._strata = [names == name for name in np.unique(names)]
        self.factor = ActiveFactor(gram, min(size, _FIRST_CAPACITY))
        self.noise: Any = noise
        self.weights, self.expected = votes(weights), expected
        self.sites = np.zeros((0, 4))
        self.inactive = np.ones(len(weights), dtype=bool)
        self.path: list[float] = []

    def grow(self, size: int, growth: float | None) -> None:
        """Add rows until there are ``size`` or the log evidence rises by less than ``growth`` nats a row."""
        evidence = 0.0
        while len(self.sites) < size and not self._enough(growth):
            row, log_z = self._best()
            evidence += log_z[row]
            self._add(row)
            self.path.append(evidence + log_z[self.inactive].sum())

    def _enough(self, growth: float | None) -> bool:
        """Whether the mean rise over the last rows is below ``growth`` nats per row."""
        recent = max(10, len(self.path) // 10)
        if growth is None or len(self.path) <= recent:
            return False
        return self.path[-1] - self.path[-1 - recent] < growth * recent

    def _best(self, refused: NDArray | bool = False) -> tuple[int, NDArray]:
        """Inactive row with the largest information gain, and the log Z of all rows."""
        gains, log_z = self.noise.gains(self.factor.mean, self.factor.var, self.weights, self.expected)
        open_rows = self.inactive & ~np.asarray(refused)
        first = open_rows & self._neglected()
        gains = np.where(first if first.any() else open_rows, np.round(gains, _DECIMALS), -np.inf)
        return int(np.argmax(gains)), log_z

    def _neglected(self) -> NDArray:
        """Boolean mask of the rows of a group with too few active ones, or else of all rows."""
        for members in self._strata:
            n_active = np.count_nonzero(members & ~self.inactive)
            if n_active < _LEAST_SHARE * members.mean() * len(self.sites):
                return members
        return np.ones(len(self.inactive), dtype=bool)

    def _add(self, row: int) -> None:
        """Add the site of a row, thesis (6.74)-(6.77)."""
        mean, var = self.factor.mean[row], self.factor.var[row]
        weight = self.weights[[row]]
        _, flip, gradient, ratio = self.noise.tilt(mean, var, weights=weight)[:, 0]
        after = self.noise.matched(weight, flip)
        precision = (1 - ratio) / (ratio * var)
        shift = gradient / np.sqrt(var) + precision * (mean + np.sqrt(var) * gradient)
        site = precision, shift, after.a - self.noise.a, after.b - self.noise.b
        self.factor.add(row, (1 - ratio) / var, gradient / np.sqrt(var))
        self.sites = np.vstack([self.sites, site])
        self.noise = after
        self.inactive[row] = False

    def _remove(self, place: int) -> None:
        """Remove the site of the active row at some place."""
        precision, shift, wrong, right = self.sites[place]
        self.inactive[self.factor.rows[place]] = True
        self.factor.remove(place, precision, shift)
        self.sites[place] = self.sites[-1]
        self.sites = self.sites[:-1]
        self.noise = replace(self.noise, a=self.noise.a - wrong, b=self.noise.b - right)

    def refine(self, unconditional: bool = False) -> bool:
        """Try to exchange every active row; return whether all of them stay."""
        refused = np.zeros(len(self.inactive), dtype=bool)
        n_changes = 0
        for count, row in enumerate(list(self.factor.rows)):
            place = self.factor.rows.index(row)
            n_changes += not self._has_cavity(place) or self._exchange(place, refused, unconditional)
            if count % REFRESH == REFRESH - 1:
                self.factor.rebuild(*self.sites[:, :2].T)
        self.factor.rebuild(*self.sites[:, :2].T)
        return n_changes == 0

    def _exchange(self, place: int, refused: NDArray, unconditional: bool) -> bool:
        """Replace an active row by the best row if that predicts all labels better, and say whether."""
        row, before = self.factor.rows[place], -np.inf if unconditional else self.log_predictive()
        self._remove(place)
        best, _ = self._best(refused)
        if best != row:
            self._add(best)
            if unconditional or self.log_predictive() > before + _MIN_RISE:
                return True
            refused[best] = True
            self._remove(len(self.sites) - 1)
        self._add(row)
        return False

    def log_predictive(self) -> float:
        """Leave-one-out log probability of all labels in nats, each row without its own site."""
        precision, shift, _, _ = self.sites.T
        mean, var, rows = self.factor.mean.copy(), self.factor.var.copy(), self.factor.rows
        slack = 1 - precision * var[rows]
        if not (slack > 0).all():
            return -np.inf
        mean[rows] = (mean[rows] - var[rows] * shift) / slack
        var[rows] /= slack
        return float(self.noise.tilt(mean, var, weights=self.weights)[0].sum())

    def _has_cavity(self, place: int) -> bool:
        """Whether the posterior without the site of an active row is proper."""
        precision, _, wrong, right = self.sites[place]
        proper = precision * self.factor.var[self.factor.rows[place]] < 1
        return proper and (self.noise.known or (self.noise.a > wrong and self.noise.b > right))

    def result(self, n_passes: int, settled: bool) -> ActiveSet:
        """Active set and posterior at the end of the search."""
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
