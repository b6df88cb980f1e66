"""Stored records survive the death of the process that wrote them."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from multiprocessing import get_context

import numpy as np
import pytest

from pauca.evaluation import RunStore, Unit, environment

UNIT = Unit("study", "iris", 0, "rvm")
# Writes one unit after another until it is killed, and says so as soon as a unit is stored.
ENDLESS = """
import itertools, sys
from pauca.evaluation import RunStore, Unit
store = RunStore(sys.argv[1])
for k in itertools.count():
    store.put_all({Unit("study", "iris", k, method): {"value": k, "text": "x" * 5000} for method in "ab"})
    print(k, flush=True)
"""


def test_what_is_put_is_there_and_stays(tmp_path):
    path = tmp_path / "store.sqlite"
    with RunStore(path) as store:
        assert UNIT not in store
        store.put(UNIT, {"error": 0.1, "noise": None, "grid": [1, 2.5], "nan": float("nan")})
    with RunStore(path) as again:
        assert UNIT in again
        assert again[UNIT]["grid"] == [1, 2.5]
        assert again[UNIT]["nan"] != again[UNIT]["nan"]
        (row,) = again.rows("study")
        assert row["unit"] == UNIT
        assert row["machine"] == environment()
        assert len(again) == 1


def test_the_first_record_of_a_unit_stays():
    store = RunStore()
    store.put(UNIT, {"error": 0.1})
    store.put(UNIT, {"error": 0.2})
    assert store[UNIT] == {"error": 0.1}


def test_records_may_hold_numbers_and_arrays_of_numpy():
    store = RunStore()
    store.put(UNIT, {"n": np.int64(3), "ok": np.bool_(True), "curve": np.array([0.5, 1.0])})
    assert store[UNIT] == {"n": 3, "ok": True, "curve": [0.5, 1.0]}
    with pytest.raises(TypeError, match="cannot hold complex"):
        store.put(UNIT._replace(split=1), {"x": 1j})


def test_splits_may_be_integers_of_numpy():
    store = RunStore()
    store.put(Unit("s", "d", np.int64(3), "m"), {"error": 1.0})
    assert Unit("s", "d", 3, "m") in store
    assert Unit("s", "d", np.int32(3), "m") in store
    assert [row["unit"].split for row in store.rows("s")] == [3]


def test_unknown_units_raise_key_errors():
    with pytest.raises(KeyError, match="iris"):
        RunStore()[UNIT]


def test_failures_are_tried_again_by_the_next_run(tmp_path):
    path = tmp_path / "store.sqlite"
    with RunStore(path) as store:
        store.put(UNIT, {"failed": "no compiler"})
        assert store[UNIT] == {"failed": "no compiler"}
    with RunStore(path) as again:
        assert UNIT not in again


def test_without_a_file_nothing_outlives_the_store():
    RunStore().put(UNIT, {"error": 0.1})
    assert UNIT not in RunStore()


def test_other_files_are_refused_and_left_alone(tmp_path):
    text, foreign = tmp_path / "notes.txt", tmp_path / "other.sqlite"
    text.write_text("not a database, and long enough to be read as a header of one" * 20)
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = text.read_bytes(), foreign.read_bytes()
    for path in (text, foreign):
        with pytest.raises(ValueError, match=f"{path.name} is not a store of pauca"):
            RunStore(path)
    assert (text.read_bytes(), foreign.read_bytes()) == before


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match="folder of the store"):
        RunStore(tmp_path / "nowhere" / "store.sqlite")


@pytest.mark.parametrize("delay", [0.0, 0.013, 0.041])
def test_a_killed_writer_loses_nothing_that_it_had_stored(tmp_path, delay):
    path = tmp_path / "store.sqlite"
    with subprocess.Popen([sys.executable, "-c", ENDLESS, path], stdout=subprocess.PIPE, text=True) as writer:
        for _ in range(5):
            writer.stdout.readline()
        time.sleep(delay)
        writer.send_signal(signal.SIGKILL)
        said = [int(line) for line in writer.stdout]
    last = said[-1] if said else 4
    with RunStore(path) as store:
        written = [row["unit"].split for row in store.rows("study")]
        assert set(range(last + 1)) <= set(written) <= set(range(last + 2))
        assert all(written.count(k) == 2 for k in written)
        store.put(UNIT._replace(split=-1), {"value": 1})
        assert len(store) == len(written) + 1


def _write(path, me, n):
    with RunStore(path) as store:
        for k in range(n):
            store.put(Unit("study", "shared", k, "rvm"), {"writer": me})
            store.put(Unit("study", f"writer {me}", k, "rvm"), {"writer": me, "k": k})


def test_several_processes_write_to_one_new_file(tmp_path):
    path, n_writers, n = tmp_path / "store.sqlite", 4, 40
    context = get_context("spawn")
    writers = [context.Process(target=_write, args=(path, me, n)) for me in range(n_writers)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * n_writers
    with RunStore(path) as store:
        assert len(store) == (n_writers + 1) * n
        for me in range(n_writers):
            assert store[Unit("study", f"writer {me}", n - 1, "rvm")] == {"writer": me, "k": n - 1}
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_child_opens_the_file_anew(tmp_path):
    with RunStore(tmp_path / "store.sqlite") as store:
        store.put(UNIT, {"error": 0.1})
        code = (
            "import os, sys; from pauca.evaluation import RunStore, Unit\n"
            "store = RunStore(sys.argv[1]); mine = store._connect(); pid = os.fork()\n"
            "if pid == 0:\n"
            "    store.put(Unit('study', 'child', 0, 'rvm'), {}); os._exit(store._connect() is mine)\n"
            "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
        )
        assert subprocess.run([sys.executable, "-c", code, store.path], check=False).returncode == 0
        assert Unit("study", "child", 0, "rvm") in store


def flipped(path, needle, bit=1):
    """Flip a bit of the first character of every place of a text in a file."""
    content = bytearray(path.read_bytes())
    places = [k for k in range(len(content)) if content.startswith(needle, k)]
    assert places
    for place in places:
        content[place] ^= bit
    path.write_bytes(content)


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "store.sqlite"
    with RunStore(path) as store:
        store.put(UNIT, {"error": 0.125})
        store.put(UNIT._replace(split=1), {"error": 0.25})
    return path


@pytest.mark.parametrize("needle", [b"0.125", b'error": 0.125', b"125}"])
def test_a_damaged_record_is_named_and_computed_again(stored, needle):
    flipped(stored, needle)
    with RunStore(stored) as store:
        with pytest.warns(UserWarning, match="study, iris, 0, rvm was damaged"):
            assert UNIT not in store
        store.put(UNIT, {"error": 0.5})
        assert store[UNIT] == {"error": 0.5}
        assert store[UNIT._replace(split=1)] == {"error": 0.25}


def read(path):
    """Records of both units by either way of reading; a damaged file names itself."""
    try:
        with RunStore(path) as store:
            records = {split: store.get(UNIT._replace(split=split)) for split in (0, 1)}
            listed = {row["unit"].split: row["record"] for row in store.rows("study")}
    except ValueError as error:
        return {"error": str(error)}, {}
    return {split: record for split, record in records.items() if record is not None}, listed


@pytest.mark.filterwarnings("ignore:.*was damaged")
def test_no_flipped_bit_changes_a_result_silently(stored):
    content, true = stored.read_bytes(), {0: {"error": 0.125}, 1: {"error": 0.25}}
    start, rng = content.index(b"iris"), np.random.default_rng(0)
    for place in start + rng.integers(-20, 250, 40):
        damaged = bytearray(content)
        damaged[place] ^= 1 << rng.integers(8)
        stored.write_bytes(damaged)
        for side in stored.parent.glob("*-*"):
            side.unlink()
        records, listed = read(stored)
        assert str(stored) in records.get("error", "") or records.items() <= true.items()
        assert listed.items() <= true.items()


def test_a_damaged_record_is_left_out_of_the_rows(stored):
    flipped(stored, b"0.125")
    with RunStore(stored) as store, pytest.warns(UserWarning, match="was damaged"):
        assert [row["unit"].split for row in store.rows("study")] == [1]


def test_a_store_of_the_first_version_is_taken_over(stored):
    with closing(sqlite3.connect(stored)) as connection:
        connection.execute("ALTER TABLE results DROP COLUMN digest")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    for _ in range(2):
        with RunStore(stored) as store:
            assert store[UNIT] == {"error": 0.125}
            assert len(list(store.rows("study"))) == 2
