"""Files in and out: tables as CSV or Parquet, and saved models."""

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from pauca.atomic_file import replacing
from pauca.persistence import load, read_metadata

from ..errors import BadInput
from .csv_files import read_csv, refuse_duplicates
from .csv_format import CsvFormat

# First characters of cells that spreadsheets take for formulas.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
# Suffix of saved models; any other that belongs to another format would mislead.
_MODEL_SUFFIX = ".skops"


def read_table(
    path: str | Path,
    text: Iterable[str] = (),
    form: CsvFormat | None = None,
    notes: list[str] | None = None,
) -> pd.DataFrame:
    """Read a data frame with at least one row and distinct column names.

    Columns named in ``text`` are read as text, so that 01 does not become 1. ``form`` is how a CSV file is
    written, found out unless given; what was found out and may surprise goes into ``notes``.
    """
    path = Path(path)
    if path.is_dir():
        raise BadInput(f"{path} is a folder, not a table.")
    if not path.exists():
        raise BadInput(f"{path} does not exist.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            if _is_parquet(path):
                table = _read_parquet(path)
            else:
                table = read_csv(path, text, form or CsvFormat(), [] if notes is None else notes)
    except (BadInput, ImportError):
        raise
    except Exception as error:
        raise BadInput(f"{path} cannot be read as a table: {error}") from error
    if len(table) == 0:
        raise BadInput(f"{path} has no rows.")
    return table.rename(columns=str)


def write_table(table: pd.DataFrame, path: str | Path | TextIO, escape_formulas: bool = False) -> None:
    """Write a data frame as Parquet or CSV, by the name of the file; ``path`` may be an open text file.

    With ``escape_formulas``, text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    table = _without_formulas(table) if escape_formulas else table
    if not isinstance(path, str | Path):
        table.to_csv(path, index=False)
        return
    with replacing(path) as temporary:
        if _is_parquet(temporary):
            table.to_parquet(temporary, index=False)
        else:
            table.to_csv(temporary, index=False)


def _without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Table whose names and text cells no spreadsheet takes for formulas."""

    def escaped(cell: Any) -> Any:
        return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell

    text = [name for name, kind in table.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
    return table.assign(**{name: table[name].astype(object).map(escaped) for name in text}).rename(
        columns=escaped
    )


def check_destination(path: Path | None) -> None:
    """Refuse an output file whose folder does not exist, before any work is done."""
    if path is not None and not Path(path).parent.is_dir():
        raise BadInput(f"the folder of {path} does not exist.")
    if path is not None and Path(path).is_dir():
        raise BadInput(f"{path} is a folder; name a file.")


def check_model_destination(path: Path | None) -> None:
    """Refuse a file for a model whose folder does not exist or whose name tells another format."""
    check_destination(path)
    if path is not None and path.suffix not in ("", _MODEL_SUFFIX):
        raise BadInput(
            f"models are saved as {_MODEL_SUFFIX} files, which execute no code when they are read; "
            f"name it {path.with_suffix(_MODEL_SUFFIX)} instead of {path}."
        )


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

    refuse_duplicates(pyarrow.parquet.read_schema(path).names, path)
    return pd.read_parquet(path).reset_index(drop=True)
