"""Files in and out: tables as CSV or Parquet, and saved models."""

import csv
import re
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from pauca.persistence import load, read_metadata

from ..errors import BadInput

_DELIMITERS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"')
# pandas reads numbers to the last digit by default from 3.1 on, and only on demand before.
_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
_EXACT_NUMBERS: dict[str, Any] = {"float_precision": "round_trip"} if _PANDAS < (3, 1) else {}


def read_table(path: str | Path, text: Iterable[str] = ()) -> pd.DataFrame:
    """Read a data frame with at least one row and distinct column names.

    Columns named in ``text`` are read as text, so that 01 does not become 1.
    """
    path = Path(path)
    if path.is_dir():
        raise BadInput(f"{path} is a folder, not a table.")
    if not path.exists():
        raise BadInput(f"{path} does not exist.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = _read_parquet(path) if _is_parquet(path) else _read_csv(path, text)
    except (BadInput, ImportError):
        raise
    except Exception as error:
        raise BadInput(f"{path} cannot be read as a table: {error}") from error
    if len(table) == 0:
        raise BadInput(f"{path} has no rows.")
    return table.rename(columns=str)


def write_table(table: pd.DataFrame, path: str | Path | TextIO) -> None:
    """Write a data frame as Parquet or CSV, by the name of the file; ``path`` may be an open text file."""
    if isinstance(path, str | Path) and _is_parquet(Path(path)):
        table.to_parquet(path, index=False)
    else:
        table.to_csv(path, index=False)


def check_destination(path: Path | None) -> None:
    """Refuse an output file whose folder does not exist, before any work is done."""
    if path is not None and not Path(path).parent.is_dir():
        raise BadInput(f"the folder of {path} does not exist.")
    if path is not None and Path(path).is_dir():
        raise BadInput(f"{path} is a folder; name a file.")


def open_model(path: Path, *needed: str) -> tuple[Any, dict[str, Any]]:
    """Load a saved model and its metadata, which must have the keys ``needed``."""
    try:
        metadata = read_metadata(path)
        if not set(needed) <= metadata.keys():
            raise BadInput(f"{path} was not saved by `pauca fit`: it does not say which columns it needs.")
        return load(path), metadata
    except (OSError, ValueError) as error:
        raise BadInput(_why_not_opened(path, error)) from error


def _why_not_opened(path: Path, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path} does not exist."
    return f"{path} cannot be read: {error.strerror}." if isinstance(error, OSError) else str(error)


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() in (".parquet", ".pq")


def _read_parquet(path: Path) -> pd.DataFrame:
    import pyarrow.parquet

    _refuse_duplicates(pyarrow.parquet.read_schema(path).names, path)
    return pd.read_parquet(path).reset_index(drop=True)


def _read_csv(path: Path, text: Iterable[str]) -> pd.DataFrame:
    with open(path, encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        if not first.strip():
            raise BadInput(f"{path} is empty.")
        if "\0" in first:
            raise BadInput(f"{path} is not a text table.")
    delimiter = max(_DELIMITERS, key=_QUOTED.sub("", first).count)
    names = next(csv.reader([first], delimiter=delimiter, skipinitialspace=True))
    _refuse_duplicates(names, path)
    return pd.read_csv(
        path,
        sep=delimiter,
        skipinitialspace=True,
        encoding="utf-8-sig",
        low_memory=False,
        index_col=False,
        dtype={name: str for name in text if name in names},
        **_EXACT_NUMBERS,
    )


def _refuse_duplicates(names: Iterable[str], path: Path) -> None:
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise BadInput(f"{path} has more than one column named {', '.join(map(repr, repeated))}.")
