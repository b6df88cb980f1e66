"""Runs compute every missing unit once, with the same results from all workers."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest

from pauca.evaluation import Job, RunStore, Unit, Workers, run

JOBS = [Job("iris", k, ("a", "b")) for k in range(6)]
# Works through units, each of which leaves a mark when it starts; those after the first few wait for a file.
SLOW = """
import sys, time
from pathlib import Path
from pauca.evaluation import Job, RunStore, Workers, run

def slow(folder, job):
    (Path(folder) / f"{job.split}.{time.time_ns()}").touch()
    while job.split > 3 and not (Path(folder).parent / "go").exists():
        time.sleep(0.02)
    return {"a": {"value": job.split}}

if __name__ == "__main__":
    import signal
    from functools import partial
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with RunStore(sys.argv[1]) as store:
        jobs = [Job("iris", k, ("a",)) for k in range(8)]
        run("study", jobs, partial(slow, sys.argv[2]), store, Workers(int(sys.argv[3])))
"""


def spectrum(job):
    """Singular values, whose last digits depend on the number of BLAS threads alone."""
    rng = np.random.default_rng(job.split)
    A = rng.normal(size=(120, 80))
    return {method: {"value": float(np.linalg.svd(A @ A.T)[1].sum())} for method in job.methods}


def counted(calls, job):
    calls.append(job.split)
    return {method: {"value": job.split} for method in job.methods}


def records(store):
    """Stored values by unit, without the seconds."""
    return {row["unit"]: row["record"]["value"] for row in store.rows("study")}


def test_every_unit_is_computed_once():
    store, calls, seen = RunStore(), [], []
    run("study", JOBS[:3], partial(counted, calls), store)
    run("study", JOBS, partial(counted, calls), store, watch=lambda *news: seen.append(news))
    assert calls == [0, 1, 2, 3, 4, 5]
    assert seen == [(None, 3, 6), (JOBS[3], 4, 6), (JOBS[4], 5, 6), (JOBS[5], 6, 6)]
    assert records(store) == {Unit("study", "iris", k, method): k for k in range(6) for method in "ab"}


def test_a_job_that_raises_stops_nobody_and_is_tried_again(tmp_path):
    def fragile(job):
        if job.split == 1:
            raise OSError("gone")
        return {method: {"value": 0} for method in job.methods}

    with RunStore(tmp_path / "store.sqlite") as store:
        run("study", JOBS[:3], fragile, store)
        assert store[Unit("study", "iris", 1, "a")] == {"failed": "OSError: gone"}
    with RunStore(tmp_path / "store.sqlite") as store:
        run("study", JOBS[:3], partial(counted, []), store)
        assert len(records(store)) == 6


def test_a_method_without_a_record_has_failed():
    store = RunStore()
    run("study", JOBS[:1], lambda job: {"a": {"value": 1}}, store)
    assert store[Unit("study", "iris", 0, "b")] == {"failed": "KeyError: 'b'"}


def test_an_interrupt_leaves_a_usable_store(tmp_path):
    def interrupted(job):
        if job.split == 2:
            raise KeyboardInterrupt
        return {method: {"value": 0} for method in job.methods}

    with RunStore(tmp_path / "store.sqlite") as store, pytest.raises(KeyboardInterrupt):
        run("study", JOBS, interrupted, store)
    with RunStore(tmp_path / "store.sqlite") as store:
        calls = []
        run("study", JOBS, partial(counted, calls), store)
        assert calls == [2, 3, 4, 5]


def test_processes_give_the_same_numbers():
    serial, parallel = RunStore(), RunStore()
    run("study", JOBS, spectrum, serial)
    run("study", JOBS, spectrum, parallel, Workers(2))
    assert records(parallel) == records(serial)


@pytest.mark.parametrize("n_jobs", [0, -2])
def test_impossible_numbers_of_processes_are_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be"):
        Workers(n_jobs)


def _start(folder, n_jobs):
    """Process that works through the jobs of `SLOW`, with its store and its marks of started jobs."""
    script, store, marks = (folder / name for name in ("slow.py", "store.sqlite", "marks"))
    script.write_text(SLOW)
    marks.mkdir(exist_ok=True)
    words = [sys.executable, script, store, marks, str(n_jobs)]
    return subprocess.Popen(words, start_new_session=True), store, marks


def _has_begun(path, marks):
    """Whether something is stored and the units that wait have been reached."""
    if len(list(marks.iterdir())) < 5:
        return False
    with RunStore(path) as store:
        return len(store) > 0


def _wait_until(condition, seconds=180):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_where_it_stopped(tmp_path, n_jobs):
    first, path, marks = _start(tmp_path, n_jobs)
    _wait_until(lambda: _has_begun(path, marks))
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    with RunStore(path) as store:
        done = len(records(store))
    assert 1 <= done < 8
    (tmp_path / "go").touch()
    _wait_until(lambda: not _is_alive(first.pid))
    started = len(list(marks.iterdir()))
    assert _start(tmp_path, n_jobs)[0].wait(300) == 0
    with RunStore(path) as store:
        assert records(store) == {Unit("study", "iris", k, "a"): k for k in range(8)}
    assert len(list(marks.iterdir())) - started == 8 - done


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_leaves_a_usable_store_and_no_process(tmp_path, n_jobs):
    first, path, marks = _start(tmp_path, n_jobs)
    _wait_until(lambda: _has_begun(path, marks))
    os.killpg(first.pid, signal.SIGINT)
    assert first.wait(300) != 0
    with RunStore(path) as store:
        assert 1 <= len(records(store)) < 8
    _wait_until(lambda: not _is_alive(first.pid))


@pytest.mark.slow
def test_workers_of_a_killed_run_end(tmp_path):
    first, path, marks = _start(tmp_path, 2)
    _wait_until(lambda: _has_begun(path, marks))
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    (tmp_path / "go").touch()
    _wait_until(lambda: not _is_alive(first.pid))


def _is_alive(group):
    """Whether any process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
