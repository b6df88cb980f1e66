"""Kinds of columns, and which columns of a table are used as features."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from pauca.tables import CATEGORY, DATE, NUMBER, is_identifier_name

from ..errors import BadInput

# The kinds of column, by the type that pandas infers from the cells.
_KIND = {
    **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal"), NUMBER),
    **dict.fromkeys(("datetime64", "datetime", "date"), DATE),
    **dict.fromkeys(("boolean", "categorical", "string", "mixed-integer"), CATEGORY),
}
# Categories of a column that get an indicator of their own; rarer ones share one. A column of text with more
# distinct values than this, and than half its rows, counts as free text. Set by hand, not tuned.
MAX_CATEGORIES = 20


def require_columns(table: pd.DataFrame, names: Iterable[str]) -> None:
    """Refuse names that are not in the table."""
    unknown = [name for name in names if name not in table.columns]
    if unknown:
        raise BadInput(f"no column is called {first_few(unknown)}; there are {first_few(table.columns)}.")


def choose_columns(
    table: pd.DataFrame, target: str, drop: Iterable[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """Kind of every column that is used as a feature, and a note on every column that is left out."""
    kinds: dict[str, str] = {}
    notes = []
    names = table.columns.difference([target, *drop], sort=False)
    varying = set(_varying_numbers(table, names))
    for name in names:
        if name in varying:
            kinds[name] = NUMBER
            continue
        kind, reason = kind_of(table[name]), _reason_to_leave_out(table[name])
        if kind is None or reason:
            notes.append(f"column {name!r} left out: {reason}")
        else:
            kinds[name] = kind
    if not kinds:
        raise BadInput("no column is left to learn from" + (f" ({'; '.join(notes)})." if notes else "."))
    return kinds, notes


def kind_of(column: pd.Series) -> str | None:
    """Kind of a column: number, date or category; None if its cells cannot be used."""
    kind = _KIND.get(cell_type(column))
    return DATE if kind == CATEGORY and _reads_as_dates(column) else kind


def cell_type(column: pd.Series) -> str:
    """Type of the cells of a column, as pandas calls it."""
    return pd.api.types.infer_dtype(column, skipna=True)


def categories(kinds: dict[str, str]) -> list[str]:
    """Names of the columns that are categories."""
    return [name for name, kind in kinds.items() if kind == CATEGORY]


def numeric_by_dtype(table: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Names of the columns whose dtype is numeric, so that no cell need be inspected."""
    dtypes = dict(table.dtypes)
    return [name for name in names if isinstance(dtypes[name], np.dtype) and dtypes[name].kind in "iuf"]


def parse_dates(column: pd.Series) -> pd.Series:
    """Dates as in 2024-05-31, with or without a time, in UTC; other cells become NaT."""
    return pd.to_datetime(column, format="ISO8601", errors="coerce", utc=True)


def first_few(names: Sequence[str], limit: int = 8) -> str:
    """The first names of a list, quoted, and how many more there are."""
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")


def _varying_numbers(table: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Numeric columns that are not constant and whose names are not those of identifiers."""
    plain = [name for name in numeric_by_dtype(table, names) if not is_identifier_name(str(name))]
    values = table[plain].to_numpy(dtype=float)
    varies = np.fmin.reduce(values, axis=0) < np.fmax.reduce(values, axis=0)
    return [name for name, different in zip(plain, varies, strict=True) if different]


def _reason_to_leave_out(column: pd.Series) -> str | None:
    """Why a column cannot be used as a feature, or None."""
    present = column.dropna()
    if len(present) == 0:
        return "it is empty"
    if kind_of(column) is None:
        return f"cells of type {cell_type(column)} are not understood"
    n_distinct = present.nunique()
    if n_distinct == 1:
        return "it is constant"
    if n_distinct == len(present) and is_identifier_name(str(column.name)):
        return "it looks like a row identifier"
    if kind_of(column) == CATEGORY and n_distinct > max(MAX_CATEGORIES, len(present) // 2):
        return f"it looks like free text or an identifier ({n_distinct} distinct values)"
    return None


def _reads_as_dates(column: pd.Series) -> bool:
    """Whether every cell is a date as in 2024-05-31, with or without a time."""
    present = column.dropna()
    if cell_type(column) != "string" or not present.str.match(r"\d{4}-\d{2}-\d{2}").all():
        return False
    return bool(parse_dates(present).notna().all())
