"""Several estimators on several datasets, over the same splits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import joblib

from .frames import frame
from .runs import Job, run
from .store import RunStore, Unit
from .trials import CLASSIFICATION, evaluate

#: Measures of which more is better; of all others, but those of `NEITHER_IS_BETTER`, less is.
HIGHER_IS_BETTER = frozenset({"auc", "r2", "log_evidence"})
#: Measures that should have a certain value.
NEITHER_IS_BETTER = frozenset({"coverage"})
_STUDY = "compare"


@dataclass(frozen=True)
class Contest:
    """A dataset, the splits, and the estimators that are tried on them.

    Attributes
    ----------
    X, y : data
    splits : sequence of (train, test)
        Row indices; see `repeated_splits` and `five_by_two`.
    estimators : mapping of str to estimator
    task : {"classification", "regression"}
    """

    X: Any
    y: Any
    splits: Sequence
    estimators: Mapping[str, Any]
    task: str = CLASSIFICATION

    def jobs(self, name):
        """One job for each split and method; digests in their names change with data, split and estimator."""
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
        Which estimators could not be fitted on what, and why.
    """

    results: Any
    failures: list[str] = field(default_factory=list)

    @property
    def datasets(self):
        """Names of the datasets, in the order of the contests."""
        return list(self.results["dataset"].unique())

    def scores(self, measure):
        """Means over splits: a row for each dataset, a column for each method; NaN where there is none."""
        means = self._numbers(measure).groupby(["dataset", "method"])[measure].mean().unstack()
        ordered = means.reindex(index=self.datasets, columns=list(self.results["method"].unique()))
        return ordered.rename_axis(index=None, columns=None)

    def split_scores(self, dataset, measure):
        """One row for each split of a dataset, one column for each method."""
        mine = self._numbers(measure)
        return mine[mine["dataset"] == dataset].pivot(index="split", columns="method", values=measure)

    def _numbers(self, measure):
        """The results with a measure as floats, whoever lacks it."""
        if self.results.empty:
            raise ValueError(f"nothing could be measured: {'; '.join(self.failures[:3])}")
        return self.results.astype({measure: float})


def compare(contests, store=None, *, workers=None, watch=None):
    """Evaluate estimators on datasets; what the store has is not computed again.

    Parameters
    ----------
    contests : mapping of str to Contest
    store : RunStore, optional
        Kept in memory by default.
    workers : Workers, optional
        Who computes; this process by default.
    watch : callable, optional
        As for `run`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pauca.evaluation import repeated_splits
    >>> X, y = load_iris(return_X_y=True)
    >>> contest = Contest(X, y, repeated_splits(y, 3), {"naive Bayes": GaussianNB()})
    >>> bool(compare({"iris": contest}).scores("error").loc["iris", "naive Bayes"] < 0.1)
    True
    """
    store = RunStore() if store is None else store
    jobs = [job for name, contest in contests.items() for job in contest.jobs(name)]
    run(_STUDY, jobs, partial(_measure, dict(contests)), store, workers, watch)
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


def plain_name(name):
    """The name without its digest."""
    return name.rpartition("#")[0]


def _measure(contests, job):
    (method,) = job.methods
    contest = contests[plain_name(job.dataset)]
    estimator, (train, test) = contest.estimators[plain_name(method)], contest.splits[job.split]
    return {method: evaluate(estimator, contest.X, contest.y, train, test, contest.task)}


def _digest(value):
    return joblib.hash(value)[:12]
