"""A problem of few of the groups of features, and its processes among all of them."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....basis import multiplied
from ..problem import ProcessProblem, ProcessTrial
from ..process import Process


@dataclass(frozen=True)
class Narrow:
    """Problem that sees some groups of features of another.

    Parameters
    ----------
    problem : ProcessProblem
        Problem of the features that are seen.
    kept : ndarray of int
        Groups that are seen.
    columns : ndarray of int
        Features that are seen.
    groups : ndarray of int or None
        Group of each feature of the wide problem.
    n_groups : int
        Number of groups of the wide problem.
    spread : ndarray
        Standard deviation of the features of each group that is seen, which have deviation one here.
    """

    problem: ProcessProblem
    kept: NDArray
    columns: NDArray
    groups: NDArray | None
    n_groups: int
    spread: NDArray

    @classmethod
    def of(cls, wide: ProcessProblem, kept: NDArray, scales: NDArray | None = None) -> Self:
        """Problem of the kept groups, with scales to start from; copies of rows are those in all features."""
        groups = np.arange(wide.n_scales) if wide.groups is None else wide.groups
        columns = np.flatnonzero(np.isin(groups, kept))
        places, X = np.searchsorted(kept, groups[columns]), wide.data.X[:, columns]
        variances = np.bincount(places, column_variances(X)) / np.bincount(places)
        spread = np.sqrt(np.where(variances > 0, variances, 1.0))
        problem = replace(
            wide,
            data=replace(wide.data, X=multiplied(X, 1 / spread[places])),
            groups=None if wide.groups is None else places,
            measures=(),
            trends=(False,),
            fixed_counts=wide.counts,
            start_scales=scales,
        )
        return cls(problem, kept, columns, wide.groups, wide.n_scales, spread)

    def widened(self, trial: ProcessTrial) -> ProcessTrial:
        """Trial among all features, those that are not seen with scale zero."""
        process = trial.process
        scales = np.zeros(self.n_groups)
        scales[self.kept] = (1.0 if process.scales is None else process.scales) / self.spread
        return replace(trial, process=replace(process, scales=scales, groups=self.groups))

    def narrowed(self, trial: ProcessTrial) -> ProcessTrial:
        """Trial of `widened` among the features that are seen."""
        process: Process = trial.process
        scales = None if process.scales is None else process.scales[self.kept] * self.spread
        return replace(trial, process=replace(process, scales=scales, groups=self.problem.groups))

    def rows(self, X: Any) -> Any:
        """Features of some rows that are seen, with standard deviation one."""
        factors = 1 / self.spread if self.problem.groups is None else 1 / self.spread[self.problem.groups]
        return multiplied(X[:, self.columns], factors)


def column_variances(X: Any) -> NDArray:
    """Variance of every column."""
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        return np.asarray(X.multiply(X).mean(axis=0)).ravel() - np.square(mean)
    return np.var(X, axis=0)
