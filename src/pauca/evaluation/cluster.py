"""The same work on a Dask cluster."""

from importlib import import_module

from .runs import Outcome, failure

_LOCAL = "local"


def cluster_outcomes(work, jobs, workers):
    """Pairs of job and outcome as the workers finish them; the job of a worker that dies goes to another."""
    distributed = _distributed()
    with _client(distributed, workers) as client:
        # The work may hold data: it travels once, and the scheduler can send it again.
        shared = client.submit(_itself, work, pure=False)
        jobs_of = {client.submit(_do, shared, job, pure=False): job for job in jobs}
        for future in distributed.as_completed(list(jobs_of)):
            job = jobs_of.pop(future)
            yield job, _result(future, job, distributed)


def _itself(work):
    return work


def _do(work, job):
    return work(job)


def _result(future, job, distributed) -> Outcome:
    """The outcome, or that the job took several workers down with it."""
    try:
        return future.result()
    except distributed.KilledWorker as error:
        return failure(job, error)


def _client(distributed, workers):
    """A client of the scheduler at an address, or of new processes on this machine."""
    if workers.dask != _LOCAL:
        return distributed.Client(workers.dask)
    n_workers = workers.n_jobs if workers.n_jobs > 0 else None
    return distributed.Client(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
    )


def _distributed():
    try:
        return import_module("distributed")
    except ImportError as error:
        raise ImportError('Work on a cluster needs Dask: pip install "pauca[dask]"') from error
