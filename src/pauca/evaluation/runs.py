"""Work through units: one after another, in several processes, or on a Dask cluster; store each at once."""

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Thread
from time import perf_counter, sleep
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from .environment import environment
from .store import Unit

# Under this name a record says how long its job took.
UNIT_SECONDS = "unit_seconds"
_WATCH_SECONDS = 1.0


class Job(NamedTuple):
    """Units that are computed together: the methods of one split of a dataset."""

    dataset: str
    split: int
    methods: tuple[str, ...]


@dataclass(frozen=True)
class Workers:
    """Who does the work.

    Attributes
    ----------
    n_jobs : int
        Processes on this machine; 1 works in this process, -1 uses every core.
    dask : str, optional
        Address of a Dask scheduler ("tcp://..."), or "local" for a cluster of ``n_jobs`` processes on this
        machine; needs the extra ``dask``.
    """

    n_jobs: int = 1
    dask: str | None = None

    def __post_init__(self):
        if self.n_jobs < 1 and self.n_jobs != -1:
            raise ValueError(f"n_jobs must be a number of processes, or -1 for all cores; got {self.n_jobs}.")


def run(study, jobs, measure, store, workers=None, watch=None):
    """Compute what the store does not have yet.

    Results do not depend on who computes them: each job runs with one BLAS thread and without warnings. A job
    that raises leaves ``{"failed": reason}`` for its units, which the next run tries again.

    Parameters
    ----------
    study : str
        Name under which results are stored.
    jobs : sequence of Job
    measure : callable
        ``measure(job)`` gives a record (a dictionary that JSON can hold) for each method of the job. For more
        than one process it must be importable, a function of a module rather than a closure.
    store : RunStore
    workers : Workers, optional
        This process by default.
    watch : callable, optional
        ``watch(job, done, total)`` is called at the start, with None for the job and the number of jobs that
        the store has, and whenever a job is done.
    """
    workers, watch = workers or Workers(), watch or (lambda job, done, total: None)
    missing = [job for job in jobs if not _is_stored(study, job, store)]
    n_stored = len(jobs) - len(missing)
    watch(None, n_stored, len(jobs))
    outcomes = _outcomes(partial(attempt, measure), missing, workers)
    for done, (job, outcome) in enumerate(outcomes, start=n_stored + 1):
        records = {_unit(study, job, method): record for method, record in outcome.records.items()}
        store.put_all(records, outcome.machine)
        watch(job, done, len(jobs))


class Outcome(NamedTuple):
    """The record of each method, and where they were computed."""

    records: dict[str, dict]
    machine: dict[str, Any]


def attempt(measure, job):
    """The records of one job, or why there are none."""
    start = perf_counter()
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            records = measure(job)
        seconds = perf_counter() - start
        timed = {method: {**records[method], UNIT_SECONDS: seconds} for method in job.methods}
    except Exception as error:
        return failure(job, error)
    return Outcome(timed, environment())


def failure(job, error):
    """The outcome of a job that could not be done."""
    reason = f"{type(error).__name__}: {error}"
    return Outcome({method: {"failed": reason} for method in job.methods}, environment())


def _is_stored(study, job, store):
    return all(_unit(study, job, method) in store for method in job.methods)


def _unit(study, job, method):
    return Unit(study, job.dataset, job.split, method)


def _outcomes(work: Callable, jobs: Sequence[Job], workers: Workers):
    """Pairs of job and outcome in the order in which they come."""
    if workers.dask:
        from .cluster import cluster_outcomes

        return cluster_outcomes(work, jobs, workers)
    if workers.n_jobs == 1 or len(jobs) < 2:
        return ((job, work(job)) for job in jobs)
    return _process_outcomes(work, jobs, workers.n_jobs)


def _process_outcomes(work, jobs, n_jobs):
    from joblib import Parallel, delayed

    parallel = Parallel(
        n_jobs=n_jobs,
        backend="loky",
        return_as="generator_unordered",
        batch_size=1,
        initializer=_end_with_parent,
        initargs=(os.getpid(),),
    )
    return parallel(delayed(_with_job)(work, job) for job in jobs)


def _with_job(work, job):
    return job, work(job)


def _end_with_parent(parent):
    """Let this process end as soon as the run that started it is gone, even if that was killed."""
    Thread(target=_wait_for_orphanhood, args=(parent,), daemon=True).start()


def _wait_for_orphanhood(parent):
    while os.getppid() == parent:
        sleep(_WATCH_SECONDS)
    os._exit(1)
