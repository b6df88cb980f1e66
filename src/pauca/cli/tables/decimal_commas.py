"""Columns of text that are numbers with decimal commas, as spreadsheets in much of Europe write them."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from ..errors import BadInput

# A number with or without a decimal comma; points may group the digits before it.
_NUMBER = r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?(?:[eE][+-]?\d+)?"
# A number whose comma may as well group thousands.
_AMBIGUOUS = r"[+-]?[1-9]\d{0,2}(?:,\d{3})+"


def read_decimal_commas(
    table: pd.DataFrame, text: Collection[str], path: Path, notes: list[str]
) -> pd.DataFrame:
    """Convert columns whose cells are all numbers, some with a comma, except those read as ``text``.

    If the commas of all such columns may group thousands as well, the table is refused.
    """
    found = [name for name in table.columns if name not in text and _has_decimal_commas(table[name])]
    if not found:
        return table
    if all(_cells_with_comma(table[name]).str.fullmatch(_AMBIGUOUS).all() for name in found):
        raise BadInput(
            f"{path}: commas in column {found[0]!r} may be decimal or group thousands: "
            "--decimal , reads decimal commas, --decimal . takes such cells as text."
        )
    notes.append(f"{_columns(found)} read with decimal commas (to override: --decimal .)")
    return table.assign(**{name: _as_numbers(table[name]) for name in found})


def _has_decimal_commas(column: pd.Series) -> bool:
    """Whether all cells are numbers, at least one with a comma."""
    if not (pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column)):
        return False
    cells = _stripped(column.dropna())
    return bool(len(cells) and cells.str.fullmatch(_NUMBER).all() and cells.str.contains(",").any())


def _cells_with_comma(column: pd.Series) -> pd.Series:
    cells = _stripped(column.dropna())
    return cells[cells.str.contains(",")]


def _as_numbers(column: pd.Series) -> pd.Series:
    """Cells as floats; missing ones stay missing."""
    plain = _stripped(column).str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
    return pd.to_numeric(plain.where(column.notna()))


def _stripped(cells: pd.Series) -> pd.Series:
    return cells.astype(str).str.strip()


def _columns(names: list[str]) -> str:
    """The columns in words: the name of a single one, the number of several."""
    return f"column {names[0]!r} is" if len(names) == 1 else f"{len(names)} columns, {names[0]!r} first, are"
