"""Work through the jobs of a study that the store does not have yet, and store each result at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from .jobs import Job, Record, attempt
from .store import RunStore, Unit
from .workers import Workers, outcomes

Measurement = Callable[[Job], Mapping[str, Record]]
Watch = Callable[[Job | None, int, int], object]


def run(
    study: str,
    jobs: Sequence[Job],
    measure: Measurement,
    store: RunStore,
    workers: Workers | None = None,
    watch: Watch | None = None,
) -> None:
    """Compute the results that the store does not have yet.

    Results do not depend on the workers: each job runs with one BLAS thread and without warnings. A job
    that raises leaves ``{"failed": reason}`` for its units, which the next run tries again.

    Parameters
    ----------
    study : str
        Name under which results are stored.
    jobs : sequence of Job
        Datasets, splits and methods to measure.
    measure : callable
        ``measure(job)`` returns a record (a dictionary that JSON can hold) for each method of the job. For
        more than one process it must be importable, a function of a module rather than a closure.
    store : RunStore
        Store that is asked for earlier results and receives the new ones.
    workers : Workers, optional
        Processes or cluster that compute; this process by default.
    watch : callable, optional
        ``watch(job, done, total)`` is called at the start, with None for the job and the number of jobs that
        the store has, and whenever a job is done.
    """
    workers, watch = workers or Workers(), watch or (lambda job, done, total: None)
    missing = [job for job in jobs if not _is_stored(study, job, store)]
    n_stored = len(jobs) - len(missing)
    watch(None, n_stored, len(jobs))
    finished = outcomes(partial(attempt, measure), missing, workers)
    for done, (job, outcome) in enumerate(finished, start=n_stored + 1):
        records = {_unit(study, job, method): record for method, record in outcome.records.items()}
        store.put_all(records, outcome.machine)
        watch(job, done, len(jobs))


def _is_stored(study: str, job: Job, store: RunStore) -> bool:
    return all(_unit(study, job, method) in store for method in job.methods)


def _unit(study: str, job: Job, method: str) -> Unit:
    return Unit(study, job.dataset, job.split, method)
