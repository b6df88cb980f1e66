"""Results on disk as soon as they are known, so that a killed run goes on where it stopped."""

import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from .environment import environment

# "lacn" in SQLite's header marks a file as ours; the version is that of the table below.
_APPLICATION, _VERSION = 0x6C61636E, 1
_TABLE = """
CREATE TABLE IF NOT EXISTS results (
    study TEXT NOT NULL, dataset TEXT NOT NULL, split INTEGER NOT NULL, method TEXT NOT NULL,
    record TEXT NOT NULL, machine TEXT NOT NULL, written TEXT NOT NULL,
    PRIMARY KEY (study, dataset, split, method)
) WITHOUT ROWID"""
_PATIENCE_SECONDS = 60.0


class Unit(NamedTuple):
    """What a result is about: a method on a split of a dataset, in a study."""

    study: str
    dataset: str
    split: int
    method: str


class RunStore:
    """Records by `Unit`, in an SQLite file (in memory without a path).

    When `put` returns, the record is on disk; a killed process loses nothing but the unit it was working on.
    Records are never changed: the first one for a unit stays. Several processes may use one file at once.
    A record with the key ``"failed"`` is kept in memory only, so that the next run tries again.

    Parameters
    ----------
    path : str or path, optional
        The file, which is made if it does not exist; its folder must exist and be on a local disk.

    Examples
    --------
    >>> store = RunStore()
    >>> unit = Unit("trial", "iris", 0, "rvm")
    >>> store.put(unit, {"error": 0.04})
    >>> unit in store, store[unit]
    (True, {'error': 0.04})
    """

    def __init__(self, path=None):
        self.path = Path(path) if path else None
        self._failed = {}
        self._connection, self._process = None, None
        self._connect()

    def __contains__(self, unit):
        return unit in self._failed or self._row(unit) is not None

    def __getitem__(self, unit):
        record = self.get(unit)
        if record is None:
            raise KeyError(unit)
        return record

    def __len__(self):
        return self._connect().execute("SELECT count(*) FROM results").fetchone()[0]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def get(self, unit, default=None):
        """The record of a unit, or the default."""
        if unit in self._failed:
            return self._failed[unit]
        row = self._row(unit)
        return default if row is None else json.loads(row[0])

    def put(self, unit, record):
        """Keep one record."""
        self.put_all({unit: record})

    def put_all(self, records, machine=None):
        """Keep records that were found together: all of them or, if the process is killed, none.

        ``machine`` says where they were computed (a dictionary like that of `environment`; this machine by
        default).
        """
        self._failed |= {unit: record for unit, record in records.items() if "failed" in record}
        described = json.dumps(machine or environment(), sort_keys=True)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [
            (*_key(unit), json.dumps(record, default=_plain), described, now)
            for unit, record in records.items()
            if "failed" not in record
        ]
        with self._connect() as transaction:
            transaction.executemany("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def rows(self, study):
        """Every stored result of a study as a dictionary: the unit, its record, machine and time."""
        columns = "dataset, split, method, record, machine, written"
        query = f"SELECT {columns} FROM results WHERE study = ? ORDER BY dataset, split, method"
        for dataset, split, method, record, machine, written in self._connect().execute(query, (study,)):
            unit = Unit(study, dataset, split, method)
            yield {
                "unit": unit,
                "record": json.loads(record),
                "machine": json.loads(machine),
                "written": written,
            }

    def close(self):
        """Close the file; SQLite tidies up its side files."""
        if self._connection is not None and self._process == os.getpid():
            self._connection.close()
        self._connection = None

    def _row(self, unit):
        query = "SELECT record FROM results WHERE study = ? AND dataset = ? AND split = ? AND method = ?"
        return self._connect().execute(query, _key(unit)).fetchone()

    def _connect(self):
        """The connection of this process: one must not be used across a fork."""
        if self._connection is None or (self.path and self._process != os.getpid()):
            self._connection, self._process = _open(self.path), os.getpid()
        return self._connection


def _key(unit):
    """The unit as SQLite takes it, which would store an integer of numpy as bytes."""
    return unit.study, unit.dataset, int(unit.split), unit.method


def _plain(value):
    """Arrays and numbers of numpy as lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a record cannot hold {type(value).__name__}: numbers, text and lists only.")


def _open(path):
    """A connection to a file that is ours or new; the table is made if need be."""
    if path and not path.parent.is_dir():
        raise ValueError(f"the folder of the store {path} does not exist; make it first.")
    connection = sqlite3.connect(path or ":memory:", timeout=_PATIENCE_SECONDS)
    try:
        _prepare(connection)
    except (sqlite3.DatabaseError, ValueError) as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):
            raise
        raise ValueError(f"{path} is not a store of pauca ({error}); name another file.") from error
    return connection


def _prepare(connection):
    """Write-ahead log, every commit on disk, the table."""
    with closing(connection.cursor()) as cursor:
        # The tables first: another process that makes them marks the file in the same transaction.
        (n_tables,) = cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = cursor.execute("PRAGMA application_id").fetchone()
        (version,) = cursor.execute("PRAGMA user_version").fetchone()
        if n_tables and (application, version) != (_APPLICATION, _VERSION):
            raise ValueError("it has other tables or another version")
        _use_write_ahead_log(cursor)
        cursor.execute("PRAGMA synchronous = FULL")
        if not n_tables:
            cursor.execute("BEGIN IMMEDIATE")
            cursor.execute(_TABLE)
            cursor.execute(f"PRAGMA application_id = {_APPLICATION}")
            cursor.execute(f"PRAGMA user_version = {_VERSION}")
            connection.commit()


def _use_write_ahead_log(cursor):
    """Switch the journal; SQLite does not wait by itself while another process is doing the same."""
    deadline = monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if monotonic() > deadline:
                raise
            sleep(0.05)
