"""CSV files as people have them: compressed, in any encoding, with any delimiter and decimal mark."""

import bz2
import codecs
import csv
import gzip
import lzma
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import BadInput
from .csv_format import CsvFormat
from .decimal_commas import read_decimal_commas

_DELIMITERS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"')
# pandas reads numbers to the last digit by default from 3.1 on, and only on demand before.
_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
_EXACT_NUMBERS: dict[str, Any] = {"float_precision": "round_trip"} if _PANDAS < (3, 1) else {}
_OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# Encodings that are tried where none is given: of Unicode, then of Western Windows.
_UNICODE, _WESTERN = "utf-8-sig", "cp1252"
_UTF_16_MARKS = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE


def read_csv(path: Path, text: Iterable[str], form: CsvFormat, notes: list[str]) -> pd.DataFrame:
    """Read a CSV file; what was found out and may surprise goes into ``notes``."""
    encoding = form.encoding or _marked_encoding(path)
    try:
        return _read_encoded(path, text, form, encoding, notes)
    except UnicodeDecodeError as error:
        if form.encoding is not None or encoding != _UNICODE:
            raise BadInput(
                f"{path} is not encoded as {encoding}: name its encoding by --encoding."
            ) from error
    try:
        table = _read_encoded(path, text, form, _WESTERN, notes)
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{path} cannot be read as a table in UTF-8: name its encoding by --encoding."
        ) from error
    notes.append(f"{path.name} is not UTF-8: read as {_WESTERN} (to override: --encoding)")
    return table


def refuse_duplicates(names: Iterable[str], path: Path) -> None:
    """Refuse a table with two columns of the same name."""
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise BadInput(f"{path} has more than one column named {', '.join(map(repr, repeated))}.")


def _open(path: Path, *arguments: Any, **options: Any) -> Any:
    """Open a file, or what is compressed in it."""
    return _OPEN.get(path.suffix.lower(), open)(path, *arguments, **options)


def _marked_encoding(path: Path) -> str:
    """Encoding that the first bytes of a file tell, UTF-8 unless they do."""
    with _open(path, "rb") as file:
        return "utf-16" if file.read(2) in _UTF_16_MARKS else _UNICODE


def _read_encoded(
    path: Path, text: Iterable[str], form: CsvFormat, encoding: str, notes: list[str]
) -> pd.DataFrame:
    """Read a CSV file in a known encoding."""
    with _open(path, "rt", encoding=encoding, newline="") as file:
        first = file.readline()
        if not first.strip():
            raise BadInput(f"{path} is empty.")
        if "\0" in first:
            raise BadInput(f"{path} is not a text table.")
    delimiter = _delimiter(first, form)
    names = next(csv.reader([first], delimiter=delimiter, skipinitialspace=True))
    refuse_duplicates(names, path)
    as_text = [name for name in text if name in names]
    with _open(path, "rt", encoding=encoding, newline="") as file:
        table = pd.read_csv(
            file,
            sep=delimiter,
            decimal=form.decimal or ".",
            skipinitialspace=True,
            low_memory=False,
            index_col=False,
            dtype=dict.fromkeys(as_text, str),
            **_EXACT_NUMBERS,
        )
    return table if form.decimal else read_decimal_commas(table, as_text, path, notes)


def _delimiter(first: str, form: CsvFormat) -> str:
    """The given delimiter, or the one that stands most often in the first line."""
    return form.delimiter or max(_DELIMITERS, key=_QUOTED.sub("", first).count)
