"""Constants of a C file: exact doubles, integers, and doubles in 4 bytes with a factor for each row."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rounding import to_integers

# Numbers on a line.
_ON_A_LINE = 12


class Constants:
    """Static arrays of a C file, and their bytes.

    Parameters
    ----------
    name : str
        Beginning of every name.
    short : tuple of str
        Kinds of arrays, of "vectors" and "variance", that are kept as 4-byte integers times a factor for each
        row; see `rounding`.
    """

    def __init__(self, name: str, short: tuple[str, ...]) -> None:
        self.name, self.short = name, short
        self.lines: list[str] = []
        self.n_bytes = 0

    def doubles(self, name: str, values: Any) -> None:
        """Add an array of doubles."""
        self._add("double", name, [number(value) for value in np.ravel(values)], 8)

    def integers(self, name: str, values: Iterable) -> None:
        """Add an array of integers."""
        numbers = [int(value) for value in values]
        small = max(map(abs, numbers), default=0) < 2**15
        self._add("short" if small else "int", name, [str(value) for value in numbers], 2 if small else 4)

    def singles(self, name: str, values: Iterable) -> None:
        """Add an array of single-precision numbers."""
        self._add("float", name, [f"{number(float(np.float32(value)))}f" for value in values], 4)

    def bytes(self, name: str, values: Iterable) -> None:
        """Add an array of small numbers, a byte each."""
        self._add("unsigned char", name, [str(int(value)) for value in values], 1)

    def rounded(self, name: str, kind: str, values: NDArray, rows: NDArray) -> None:
        """Add an array of a kind that may be short, and then the factors of its rows as another array."""
        if kind not in self.short:
            self.doubles(name, values)
            return
        integers, step = to_integers(values, rows)
        self._add("int", name, [str(value) for value in integers], 4)
        self.doubles(f"{name}_step", step)

    def _add(self, kind, name, texts, size):
        self.n_bytes += size * len(texts)
        lines = [", ".join(texts[at : at + _ON_A_LINE]) for at in range(0, len(texts), _ON_A_LINE)]
        body = ",\n    ".join(lines)
        self.lines.append(f"static const {kind} {self.name}_{name}[{len(texts)}] = {{\n    {body}\n}};")


def number(value: float) -> str:
    """A double as a C constant that gives it back exactly."""
    value = float(value)
    if np.isnan(value):
        return "(0.0 / 0.0)"
    if np.isinf(value):
        return "HUGE_VAL" if value > 0 else "(-HUGE_VAL)"
    text = repr(value)
    return text if any(mark in text for mark in ".e") else f"{text}.0"


def text(value: object) -> str:
    """A text as a C string constant; all but plain letters, digits, spaces and - _ . , are octal escapes."""
    data = str(value).encode("utf-8", errors="replace")
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,"
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in data) + '"'
