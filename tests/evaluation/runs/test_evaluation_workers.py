"""A Dask cluster returns the results of a serial run, even if a worker is killed."""

import os
import signal
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from pauca.evaluation import Job, RunStore, Workers, run

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")

JOBS = [Job("iris", k, ("a", "b")) for k in range(10)]
# Dask's own threads and sockets are closed late when one of its processes is killed.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def spectrum(folder, job):
    """Slow computation that depends on the job alone and leaves a file named after its process."""
    (Path(folder) / f"{job.split}.{os.getpid()}").touch()
    time.sleep(0.4)
    A = np.random.default_rng(job.split).normal(size=(60, 40))
    return {method: {"value": float(np.linalg.svd(A)[1].sum())} for method in job.methods}


def records(store):
    return {row["unit"]: row["record"]["value"] for row in store.rows("study")}


def processes(folder):
    return {int(mark.suffix[1:]) for mark in Path(folder).iterdir()}


@pytest.fixture
def serial(tmp_path):
    store, folder = RunStore(), tmp_path / "serial"
    folder.mkdir()
    run("study", JOBS, partial(spectrum, str(folder)), store)
    return records(store)


def test_a_killed_worker_costs_nothing_but_time(tmp_path, serial):
    killed, marks, store = [], tmp_path / "marks", RunStore(tmp_path / "store.sqlite")
    marks.mkdir()

    def kill_once(job, done, total):
        if job is not None and not killed:
            killed.append(max(processes(marks)))
            os.kill(killed[0], signal.SIGKILL)

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        workers = Workers(dask=cluster.scheduler_address)
        run("study", JOBS, partial(spectrum, str(marks)), store, workers, kill_once)
    assert killed[0] != os.getpid()
    assert os.getpid() not in processes(marks)
    assert len(processes(marks)) > 2
    assert records(store) == serial
    store.close()


def test_a_cluster_of_its_own(tmp_path, serial):
    marks, store = tmp_path / "marks", RunStore()
    marks.mkdir()
    run("study", JOBS[:4], partial(spectrum, str(marks)), store, Workers(2, "local"))
    assert records(store) == {unit: value for unit, value in serial.items() if unit.split < 4}
