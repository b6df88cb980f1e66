"""Finished measurements, appended to a file as they come, so that a killed run can go on."""

import json
import os
from pathlib import Path


class Store:
    """Records by key, kept in memory and, given a path, in a file of JSON lines."""

    def __init__(self, path=None):
        self.path = Path(path) if path else None
        self._records = {}
        if self.path and self.path.exists():
            self._records = dict(_complete_lines(self.path.read_bytes()))
            self._end_last_line()

    def __contains__(self, key):
        return key in self._records

    def __getitem__(self, key):
        return self._records[key]

    def put(self, key, record):
        """Keep a record; when this returns it is on disk. Failures are not: the next run tries again."""
        self._records[key] = record
        if self.path and "failed" not in record:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "record": record}) + "\n")
                file.flush()
                os.fsync(file.fileno())

    def _end_last_line(self):
        """A line that was cut short must not swallow the next one."""
        if self.path.read_bytes()[-1:] not in (b"", b"\n"):
            with self.path.open("ab") as file:
                file.write(b"\n")


def _complete_lines(content):
    """Keys and records of the lines that were written to their end."""
    for line in content.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        yield entry["key"], entry["record"]
