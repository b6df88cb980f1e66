"""Results on disk as soon as they are known, so that a killed run continues where it stopped."""

from __future__ import annotations

import json
import os
import sqlite3
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from .jobs import Record
from .provenance import environment
from .store_file import digest_of, open_store


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
    A record with the key ``"failed"`` is kept in memory only, so that the next run tries again. Every record
    has a checksum: one that was damaged on disk is left out with a warning that names it.

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
        return default if row is None else json.loads(row)

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
        signed = [(*row, digest_of(row)) for row in rows]
        with self._damage_named(), self._connect() as transaction:
            transaction.executemany("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)", signed)

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
        query = "SELECT * FROM results WHERE study = ? ORDER BY dataset, split, method"
        with self._damage_named():
            found = self._connect().execute(query, (study,)).fetchall()
        for *row, digest in found:
            unit, (record, machine, written) = Unit(*row[:4]), row[4:]
            if digest != digest_of(row):
                self._discard(unit)
                continue
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

    def _row(self, unit: Unit) -> str | None:
        """Record of a unit as JSON; None where there is none or it is damaged."""
        query = "SELECT * FROM results WHERE study = ? AND dataset = ? AND split = ? AND method = ?"
        with self._damage_named():
            found = self._connect().execute(query, _key(unit)).fetchone()
        if found is None:
            return None
        *row, digest = found
        if digest != digest_of(row):
            self._discard(unit)
            return None
        return row[4]

    def _discard(self, unit: Unit) -> None:
        """Delete a damaged record, so that it is computed again, and say so."""
        with self._damage_named(), self._connect() as transaction:
            where = "study = ? AND dataset = ? AND split = ? AND method = ?"
            transaction.execute(f"DELETE FROM results WHERE {where}", tuple(unit))
        name = ", ".join(map(str, unit))
        warnings.warn(f"{self.path}: the record of {name} was damaged and is left out.", stacklevel=4)

    @contextmanager
    def _damage_named(self) -> Iterator[None]:
        """Turn the errors of a file that SQLite cannot read into one that names it."""
        try:
            yield
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            raise ValueError(
                f"the store {self.path} is damaged ({error}): delete it or use a copy."
            ) from error

    def _connect(self) -> sqlite3.Connection:
        """Connection of this process, opened anew after a fork."""
        if self._connection is None or (self.path and self._process != os.getpid()):
            self._connection, self._process = open_store(self.path), os.getpid()
        return self._connection


def _key(unit: Unit) -> tuple[str, str, int, str]:
    """Primary key of a unit; SQLite would store an integer of numpy as bytes."""
    return unit.study, unit.dataset, int(unit.split), unit.method


def _plain(value: Any) -> Any:
    """Convert arrays and numbers of numpy to lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a record cannot hold {type(value).__name__}: numbers, text and lists only.")
