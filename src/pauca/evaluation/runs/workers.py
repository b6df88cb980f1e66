"""Workers that do jobs: this process, several processes of this machine, or a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from threading import Thread
from time import sleep
from types import ModuleType
from typing import Any

from .jobs import Job, Outcome, failure

Work = Callable[[Job], Outcome]

# Address that stands for a new Dask cluster on this machine.
_LOCAL = "local"
# Seconds between two checks of a worker process that its parent still lives; set by hand, not tuned.
_PARENT_CHECK_SECONDS = 1.0


@dataclass(frozen=True)
class Workers:
    """Processes or Dask cluster that work through the jobs of a run.

    Attributes
    ----------
    n_jobs : int, default=1
        Number of processes on this machine; 1 works in this process, -1 uses every core.
    dask : str, optional
        Address of a Dask scheduler ("tcp://..."), or "local" for a new cluster of ``n_jobs`` processes on
        this machine; needs the extra ``dask``.
    """

    n_jobs: int = 1
    dask: str | None = None

    def __post_init__(self) -> None:
        if self.n_jobs < 1 and self.n_jobs != -1:
            raise ValueError(f"n_jobs must be a number of processes, or -1 for all cores; got {self.n_jobs}.")


def outcomes(work: Work, jobs: Sequence[Job], workers: Workers) -> Iterator[tuple[Job, Outcome]]:
    """Pairs of job and outcome, in the order in which the jobs finish."""
    if workers.dask:
        return _cluster_outcomes(work, jobs, workers)
    if workers.n_jobs == 1 or len(jobs) < 2:
        return ((job, work(job)) for job in jobs)
    return _process_outcomes(work, jobs, workers.n_jobs)


def _process_outcomes(work: Work, jobs: Sequence[Job], n_jobs: int) -> Iterator[tuple[Job, Outcome]]:
    """Pairs of job and outcome from processes of this machine."""
    from joblib import Parallel, delayed

    parallel = Parallel(
        n_jobs=n_jobs,
        backend="loky",
        return_as="generator_unordered",
        batch_size=1,
        initializer=_exit_with_parent,
        initargs=(os.getpid(),),
    )
    return parallel(delayed(_with_job)(work, job) for job in jobs)


def _with_job(work: Work, job: Job) -> tuple[Job, Outcome]:
    return job, work(job)


def _exit_with_parent(parent: int) -> None:
    """Make this process exit as soon as its parent process is gone, even if that was killed."""
    Thread(target=_exit_when_orphaned, args=(parent,), daemon=True).start()


def _exit_when_orphaned(parent: int) -> None:
    while os.getppid() == parent:
        sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)


def _cluster_outcomes(work: Work, jobs: Sequence[Job], workers: Workers) -> Iterator[tuple[Job, Outcome]]:
    """Pairs of job and outcome from a Dask cluster; the job of a worker that dies goes to another one."""
    distributed = _import_distributed()
    with cluster_client(workers) as client:
        # The work may hold data: it is sent once, and the scheduler can send it again.
        shared = client.submit(_identity, work, pure=False)
        jobs_of = {client.submit(_apply, shared, job, pure=False): job for job in jobs}
        for future in distributed.as_completed(list(jobs_of)):
            job = jobs_of.pop(future)
            yield job, _result(future, job, distributed)


def _identity(work: Work) -> Work:
    return work


def _apply(work: Work, job: Job) -> Outcome:
    return work(job)


def _result(future: Any, job: Job, distributed: ModuleType) -> Outcome:
    """Outcome of a finished job; a failure if the job killed several workers."""
    try:
        return future.result()
    except distributed.KilledWorker as error:
        return failure(job, error)


def cluster_client(workers: Workers) -> Any:
    """Client of the scheduler at the given address, or of a new cluster on this machine."""
    distributed = _import_distributed()
    if workers.dask != _LOCAL:
        return distributed.Client(workers.dask)
    n_workers = workers.n_jobs if workers.n_jobs > 0 else None
    return distributed.Client(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0"
    )


def _import_distributed() -> ModuleType:
    """Import Dask's scheduler, or raise an error that names the extra."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise ImportError('Work on a cluster needs Dask: pip install "pauca[dask]"') from error
