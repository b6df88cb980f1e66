"""Tables in and out: CSV and Parquet."""

import csv
import re
import warnings
from collections import Counter
from pathlib import Path

import pandas as pd

from .errors import BadInput

_DELIMITERS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"')


def read_table(path, text=()):
    """A data frame with at least one row and distinct column names; columns in ``text`` stay as written."""
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


def write_table(table, path):
    """Write a data frame as Parquet or CSV, by the name of the file; ``path`` may be an open text file."""
    if isinstance(path, str | Path) and _is_parquet(Path(path)):
        table.to_parquet(path, index=False)
    else:
        table.to_csv(path, index=False)


def check_destination(path):
    """Refuse an output file whose folder does not exist, before any work is done."""
    if path is not None and not Path(path).parent.is_dir():
        raise BadInput(f"the folder of {path} does not exist.")
    if path is not None and Path(path).is_dir():
        raise BadInput(f"{path} is a folder; name a file.")


def _is_parquet(path):
    return path.suffix.lower() in (".parquet", ".pq")


def _read_parquet(path):
    import pyarrow.parquet

    _refuse_duplicates(pyarrow.parquet.read_schema(path).names, path)
    return pd.read_parquet(path).reset_index(drop=True)


def _read_csv(path, text):
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
    )


def _refuse_duplicates(names, path):
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise BadInput(f"{path} has more than one column named {', '.join(map(repr, repeated))}.")
