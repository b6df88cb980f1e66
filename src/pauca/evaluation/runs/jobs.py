"""One job of a run, and its outcome: a record for each method, or the reason of a failure."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from .provenance import environment

#: Key under which every record holds the seconds that its job took.
UNIT_SECONDS = "unit_seconds"

Record = Mapping[str, Any]


class Job(NamedTuple):
    """Methods that are measured together on one split of a dataset.

    Attributes
    ----------
    dataset : str
        Name of the dataset.
    split : int
        Number of the split.
    methods : tuple of str
        Names of the methods.
    """

    dataset: str
    split: int
    methods: tuple[str, ...]


class Outcome(NamedTuple):
    """Records of the methods of one job, and the machine on which they were computed.

    Attributes
    ----------
    records : dict of str to mapping
        Record of each method.
    machine : dict
        Description of the machine, as `environment` returns it.
    """

    records: dict[str, Record]
    machine: dict[str, Any]


def attempt(measure: Callable[[Job], Mapping[str, Record]], job: Job) -> Outcome:
    """Do one job with a single BLAS thread and without warnings; an exception becomes a failure."""
    start = perf_counter()
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            records = measure(job)
        seconds = perf_counter() - start
        timed: dict[str, Record] = {
            method: {**records[method], UNIT_SECONDS: seconds} for method in job.methods
        }
    except Exception as error:
        return failure(job, error)
    return Outcome(timed, environment())


def failure(job: Job, error: Exception) -> Outcome:
    """Outcome of a job that raised: the reason, for each of its methods."""
    reason = f"{type(error).__name__}: {error}"
    return Outcome({method: {"failed": reason} for method in job.methods}, environment())
