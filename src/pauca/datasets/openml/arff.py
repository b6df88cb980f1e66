"""Reader of dense ARFF tables, OpenML's file format."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|\S+)\s+(.+)", re.IGNORECASE)
_FIELD = re.compile(rf"\s*({_QUOTED}|[^,]*)\s*(?:,|$)")
_NUMERIC = {"numeric", "real", "integer"}


def read_arff(text: str) -> dict[str, np.ndarray]:
    """Read columns by name: floats with NaN for missing numbers, or strings with "?" for missing values."""
    lines = _lines(text)
    attributes = list(_attributes(lines))
    rows = [_fields(line) for line in lines]
    if any(len(row) != len(attributes) for row in rows):
        raise ValueError(f"not every row has {len(attributes)} values")
    columns = [np.array(column, dtype=str) for column in zip(*rows, strict=True)]
    return {
        name: as_numbers(column) if numeric else column
        for (name, numeric), column in zip(attributes, columns, strict=True)
    }


def as_numbers(values: np.ndarray) -> np.ndarray:
    """Convert strings to floats, "?" to NaN."""
    return np.where(values == "?", "nan", values).astype(float)


def _lines(text: str) -> Iterator[str]:
    """Lines that are neither empty nor comments."""
    stripped = (line.strip() for line in text.splitlines())
    return (line for line in stripped if line and not line.startswith("%"))


def _attributes(lines: Iterator[str]) -> Iterator[tuple[str, bool]]:
    """Name of each column and whether it is numeric; stops behind the line ``@data``."""
    for line in lines:
        if line.lower() == "@data":
            return
        if match := _ATTRIBUTE.match(line):
            yield _unquoted(match[1]), match[2].split()[0].lower() in _NUMERIC
    raise ValueError("no @data section")


def _fields(line: str) -> list[str]:
    """Values of a row; only quoted values may contain commas."""
    if "'" not in line and '"' not in line:
        return [value.strip() for value in line.split(",")]
    fields, position, more = [], 0, True
    while more:
        match = _FIELD.match(line, position)
        if match is None:
            raise ValueError(f"cannot read {line!r}")
        fields.append(_unquoted(match[1]))
        position, more = match.end(), match[0].endswith(",")
    return fields


def _unquoted(value: str) -> str:
    """Value without quotes and with backslash escapes resolved, or without surrounding blanks."""
    value = value.strip()
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value[:1] in ("'", '"') else value
