"""Results on disk as soon as they are known, so that a killed run continues where it stopped."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple

from .jobs import Record
from .provenance import environment

# Application id and table version in SQLite's header, by which a file is recognised as a run store.
_APPLICATION, _VERSION = 0x6C61636E, 1
_TABLE = """
CREATE TABLE IF NOT EXISTS results (
    study TEXT NOT NULL, dataset TEXT NOT NULL, split INTEGER NOT NULL, method TEXT NOT NULL,
    record TEXT NOT NULL, machine TEXT NOT NULL, written TEXT NOT NULL,
    PRIMARY KEY (study, dataset, split, method)
) WITHOUT ROWID"""
# Seconds to wait for a file that another process has locked; set by hand, not tuned.
_LOCK_TIMEOUT_SECONDS = 60.0
# Seconds between two attempts to switch the journal mode; set by hand, not tuned.
_RETRY_SECONDS = 0.05


class Unit(NamedTuple):
    """Key of a stored result: a method on a split of a dataset, in a study.

    Attributes
    ----------
    study : str
        Name of the study.
    dataset : str
        Name of the dataset.
    split : int
        Number of the split.
    method : str
        Name of the method.
    """

    study: str
    dataset: str
    split: int
    method: str


class RunStore:
    """Store of result records by `Unit`, in an SQLite file or, without a path, in memory.

    When `put` returns, the record is on disk; a killed process loses nothing but the unit it was working on.
    Records are never changed: the first one for a unit stays. Several processes may use one file at once.
    A record with the key ``"failed"`` is kept in memory only, so that the next run tries again.

    Parameters
    ----------
    path : str or path, optional
        Path of the file, which is created if it does not exist; its folder must exist and be on a local disk.

    Examples
    --------
    >>> store = RunStore()
    >>> unit = Unit("trial", "iris", 0, "rvm")
    >>> store.put(unit, {"error": 0.04})
    >>> unit in store, store[unit]
    (True, {'error': 0.04})
    """

    def __init__(self, path: str | os.PathLike | None = None) -> None:
        self.path = Path(path) if path else None
        self._failed: dict[Unit, Record] = {}
        self._connection: sqlite3.Connection | None = None
        self._process: int | None = None
        self._connect()

    def __contains__(self, unit: Unit) -> bool:
        return unit in self._failed or self._row(unit) is not None

    def __getitem__(self, unit: Unit) -> Record:
        record = self.get(unit)
        if record is None:
            raise KeyError(unit)
        return record

    def __len__(self) -> int:
        return self._connect().execute("SELECT count(*) FROM results").fetchone()[0]

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        # From Python 3.13 on, a connection that is not closed warns. Another thread must not close it.
        with suppress(sqlite3.ProgrammingError, AttributeError):
            self.close()

    def get(self, unit: Unit, default: Any = None) -> Any:
        """Return the record of a unit.

        Parameters
        ----------
        unit : Unit
            Key of the result.
        default : object, default=None
            Value that is returned if there is no record.

        Returns
        -------
        mapping or the default
        """
        if unit in self._failed:
            return self._failed[unit]
        row = self._row(unit)
        return default if row is None else json.loads(row[0])

    def put(self, unit: Unit, record: Record) -> None:
        """Store one record.

        Parameters
        ----------
        unit : Unit
            Key of the result.
        record : mapping
            Numbers, text and lists by name.
        """
        self.put_all({unit: record})

    def put_all(self, records: Mapping[Unit, Record], machine: Mapping[str, Any] | None = None) -> None:
        """Store several records in one transaction: all of them or, if the process is killed, none.

        Parameters
        ----------
        records : mapping of Unit to mapping
            Records by unit.
        machine : mapping, optional
            Description of the machine that computed them, as `environment` returns it; this machine by
            default.
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

    def rows(self, study: str) -> Iterator[dict[str, Any]]:
        """Iterate over the stored results of a study.

        Parameters
        ----------
        study : str
            Name of the study.

        Yields
        ------
        dict
            ``unit``, ``record``, ``machine``, and ``written``, the time in ISO format.
        """
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

    def close(self) -> None:
        """Close the file; SQLite removes its side files."""
        if self._connection is not None and self._process == os.getpid():
            self._connection.close()
        self._connection = None

    def _row(self, unit: Unit) -> tuple[str] | None:
        query = "SELECT record FROM results WHERE study = ? AND dataset = ? AND split = ? AND method = ?"
        return self._connect().execute(query, _key(unit)).fetchone()

    def _connect(self) -> sqlite3.Connection:
        """Connection of this process, opened anew after a fork."""
        if self._connection is None or (self.path and self._process != os.getpid()):
            self._connection, self._process = _open(self.path), os.getpid()
        return self._connection


def _key(unit: Unit) -> tuple[str, str, int, str]:
    """Primary key of a unit; SQLite would store an integer of numpy as bytes."""
    return unit.study, unit.dataset, int(unit.split), unit.method


def _plain(value: Any) -> Any:
    """Convert arrays and numbers of numpy to lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a record cannot hold {type(value).__name__}: numbers, text and lists only.")


def _open(path: Path | None) -> sqlite3.Connection:
    """Open a run store, or create it; files of other programs are refused."""
    if path and not path.parent.is_dir():
        raise ValueError(f"the folder of the store {path} does not exist; make it first.")
    connection = sqlite3.connect(path or ":memory:", timeout=_LOCK_TIMEOUT_SECONDS)
    try:
        _prepare(connection)
    except (sqlite3.DatabaseError, ValueError) as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):
            raise
        raise ValueError(f"{path} is not a store of pauca ({error}); name another file.") from error
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Set the write-ahead log and synchronous commits, and create the table in a new file."""
    with closing(connection.cursor()) as cursor:
        # Tables are counted first: another process that creates them marks the file in one transaction.
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


def _use_write_ahead_log(cursor: sqlite3.Cursor) -> None:
    """Switch the journal mode, retrying while another process holds the lock: SQLite does not wait here."""
    deadline = monotonic() + _LOCK_TIMEOUT_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if monotonic() > deadline:
                raise
            sleep(_RETRY_SECONDS)
