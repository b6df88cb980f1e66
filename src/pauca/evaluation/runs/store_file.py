"""The SQLite file of a run store: recognised, opened and prepared, and the checksums of its rows."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep
from typing import Any

# Application id and table version in SQLite's header, by which a file is recognised as a run store.
_APPLICATION, _VERSION = 0x6C61636E, 2
_TABLE = """
CREATE TABLE IF NOT EXISTS results (
    study TEXT NOT NULL, dataset TEXT NOT NULL, split INTEGER NOT NULL, method TEXT NOT NULL,
    record TEXT NOT NULL, machine TEXT NOT NULL, written TEXT NOT NULL, digest TEXT,
    PRIMARY KEY (study, dataset, split, method)
) WITHOUT ROWID"""
# Seconds to wait for a file that another process has locked; set by hand, not tuned.
_LOCK_TIMEOUT_SECONDS = 60.0
# Seconds between two attempts to switch the journal mode; set by hand, not tuned.
_RETRY_SECONDS = 0.05


def open_store(path: Path | None) -> sqlite3.Connection:
    """Open a run store, or create it; files of other programs are refused."""
    if path and not path.parent.is_dir():
        raise ValueError(f"the folder of the store {path} does not exist; make it first.")
    connection = sqlite3.connect(path or ":memory:", timeout=_LOCK_TIMEOUT_SECONDS)
    connection.text_factory = _text
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
        if n_tables and (application != _APPLICATION or version not in (1, _VERSION)):
            raise ValueError("it has other tables or another version")
        _use_write_ahead_log(cursor)
        cursor.execute("PRAGMA synchronous = FULL")
        if not n_tables:
            cursor.execute("BEGIN IMMEDIATE")
            cursor.execute(_TABLE)
            cursor.execute(f"PRAGMA application_id = {_APPLICATION}")
            cursor.execute(f"PRAGMA user_version = {_VERSION}")
            connection.commit()
        elif version == 1:
            _add_digests(cursor)
            connection.commit()


def _add_digests(cursor: sqlite3.Cursor) -> None:
    """Give the records of a store of version 1 their checksums."""
    cursor.execute("BEGIN IMMEDIATE")
    (version,) = cursor.execute("PRAGMA user_version").fetchone()
    if version == 1:  # no other process has done it in the meantime
        cursor.execute("ALTER TABLE results ADD COLUMN digest TEXT")
        rows = cursor.execute("SELECT * FROM results").fetchall()
        where = "study = ? AND dataset = ? AND split = ? AND method = ?"
        pairs = [(digest_of(row[:-1]), *row[:4]) for row in rows]
        cursor.executemany(f"UPDATE results SET digest = ? WHERE {where}", pairs)
        cursor.execute(f"PRAGMA user_version = {_VERSION}")


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


def _text(content: bytes) -> str:
    """Text of a cell; where it is damaged its checksum says so."""
    return content.decode(errors="replace")


def digest_of(row: Iterable[Any]) -> str:
    """Checksum of the key, record, machine and time of a row."""
    return hashlib.sha256(repr(list(row)).encode()).hexdigest()
