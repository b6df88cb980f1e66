"""Experiments that evaluate several estimators on several datasets over the same splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import joblib
from numpy.typing import ArrayLike

from ...reporting import job_bar
from ..protocols import Indices
from ..runs.execution import Watch, run
from ..runs.jobs import Job
from ..runs.store import RunStore, Unit
from ..runs.workers import Workers
from ..tables import frame
from ..trials import CLASSIFICATION, evaluate

if TYPE_CHECKING:
    from pandas import DataFrame

#: Measures of which larger values are better. Of measures in neither set smaller values are better.
HIGHER_IS_BETTER = frozenset({"auc", "r2", "log_evidence"})
#: Measures with a nominal value, of which neither larger nor smaller values are better.
NEITHER_IS_BETTER = frozenset({"coverage"})
# Name under which results of comparisons are stored.
_STUDY = "compare"


@dataclass(frozen=True)
class Benchmark:
    """Benchmark task: a dataset, its splits, and the estimators that are evaluated on them.

    Attributes
    ----------
    X : array, sparse matrix or data frame of shape (n, n_features)
        Features.
    y : array-like of shape (n,)
        Targets.
    splits : sequence of (train, test)
        Row indices, for example from `repeated_splits` or `five_by_two`.
    estimators : mapping of str to estimator
        Estimators by the name of the method.
    task : {"classification", "regression"}, default="classification"
        Kind of prediction.
    """

    X: Any
    y: ArrayLike
    splits: Sequence[tuple[Indices, Indices]]
    estimators: Mapping[str, Any]
    task: str = CLASSIFICATION

    def jobs(self, name: str) -> list[Job]:
        """List one job for each split and method, with names that depend on data, split and estimator.

        Parameters
        ----------
        name : str
            Name of the dataset.

        Returns
        -------
        list of Job
        """
        methods = [f"{method}#{_digest(estimator)}" for method, estimator in self.estimators.items()]
        data = _digest((self.X, self.y))
        return [
            Job(f"{name}#{_digest((data, *split))}", k, (method,))
            for k, split in enumerate(self.splits)
            for method in methods
        ]


@dataclass(frozen=True)
class Comparison:
    """Results of `compare`.

    Attributes
    ----------
    results : pandas.DataFrame
        One row for each dataset, split and method: scores, ``vectors``, seconds, and the two curves.
    failures : list of str
        Method, dataset and reason of each failed fit.
    """

    results: DataFrame
    failures: list[str] = field(default_factory=list)

    @property
    def datasets(self) -> list[str]:
        """Names of the datasets, in the order in which they were given."""
        return list(self.results["dataset"].unique())

    def scores(self, measure: str) -> DataFrame:
        """Average a measure over splits.

        Parameters
        ----------
        measure : str
            Column of the results.

        Returns
        -------
        pandas.DataFrame of shape (n_datasets, n_methods)
            NaN where there is no result.
        """
        means = self._numbers(measure).groupby(["dataset", "method"])[measure].mean().unstack()
        ordered = means.reindex(index=self.datasets, columns=list(self.results["method"].unique()))
        return ordered.rename_axis(index=None, columns=None)

    def split_scores(self, dataset: str, measure: str) -> DataFrame:
        """Tabulate a measure on the splits of one dataset.

        Parameters
        ----------
        dataset : str
            Name of the dataset.
        measure : str
            Column of the results.

        Returns
        -------
        pandas.DataFrame of shape (n_splits, n_methods)
        """
        results = self._numbers(measure)
        return results[results["dataset"] == dataset].pivot(index="split", columns="method", values=measure)

    def _numbers(self, measure: str) -> DataFrame:
        """Results with a measure as floats, NaN for methods that lack it."""
        if self.results.empty:
            raise ValueError(f"nothing could be measured: {'; '.join(self.failures[:3])}")
        if measure not in self.results.columns:
            raise ValueError(f"measure must be a column of the results; got {measure!r}.")
        return self.results.astype({measure: float})


def compare(
    benchmarks: Mapping[str, Benchmark],
    store: RunStore | None = None,
    *,
    workers: Workers | None = None,
    watch: Watch | None = None,
    verbose: int = 0,
) -> Comparison:
    """Evaluate estimators on datasets; results that the store has are not computed again.

    Parameters
    ----------
    benchmarks : mapping of str to Benchmark
        Benchmark tasks by the name of the dataset.
    store : RunStore, optional
        Store of earlier and new results; one in memory by default.
    workers : Workers, optional
        Processes or cluster that compute; this process by default.
    watch : callable, optional
        ``watch(job, done, total)`` is called at the start, with None for the job and the number of jobs that
        the store has, and whenever a job is done.
    verbose : int, default=0
        1 shows a bar in terminals and notebooks (with rich), unless there is a function that watches.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pauca.evaluation import repeated_splits
    >>> X, y = load_iris(return_X_y=True)
    >>> benchmark = Benchmark(X, y, repeated_splits(y, 3), {"naive Bayes": GaussianNB()})
    >>> bool(compare({"iris": benchmark}).scores("error").loc["iris", "naive Bayes"] < 0.1)
    True
    """
    store = RunStore() if store is None else store
    jobs = [job for name, benchmark in benchmarks.items() for job in benchmark.jobs(name)]
    with job_bar("compare", shown=bool(verbose) and watch is None) as bar:
        run(_STUDY, jobs, partial(_measure, dict(benchmarks)), store, workers, watch or bar)
    rows, failures = [], []
    for job in jobs:
        (method,) = job.methods
        record = store[Unit(_STUDY, job.dataset, job.split, method)]
        if "failed" in record:
            failures.append(f"{plain_name(method)} on {plain_name(job.dataset)}: {record['failed']}")
        else:
            place = {"dataset": plain_name(job.dataset), "split": job.split, "method": plain_name(method)}
            rows.append({**place, **record})
    return Comparison(frame(rows), list(dict.fromkeys(failures)))


def plain_name(name: str) -> str:
    """Name of a dataset or method without its digest."""
    return name.rpartition("#")[0]


def _measure(benchmarks: Mapping[str, Benchmark], job: Job) -> dict[str, dict[str, Any]]:
    """Record of the one method of a job."""
    (method,) = job.methods
    benchmark = benchmarks[plain_name(job.dataset)]
    estimator, (train, test) = benchmark.estimators[plain_name(method)], benchmark.splits[job.split]
    return {method: evaluate(estimator, benchmark.X, benchmark.y, train, test, benchmark.task)}


def _digest(value: Any) -> str:
    """Short hash that changes with data, splits and parameters of estimators."""
    return joblib.hash(value)[:12]
