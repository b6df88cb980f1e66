"""Kinds of columns, and how cells of mixed types are told apart."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Kinds of columns. Identifiers and constants are left out of the model.
NUMBER, DATE, CATEGORY, IDENTIFIER, CONSTANT = "number", "date", "category", "identifier", "constant"
_IDENTIFIER_NAME = re.compile(r"(unnamed: 0|index|row_?(id|number)?|.*[ _]id|id|uuid|guid)", re.IGNORECASE)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86400.0
# Distinct texts up to which a column is a category however few rows there are; with more, and more than half
# as many as rows, it counts as free text or an identifier. Set by hand, not tuned.
_MANY_LEVELS = 20


def as_level(cell: Any) -> str:
    """A cell as the text of a level, whatever type the other cells have: 1.0 is "1", TRUE is "True".

    Parameters
    ----------
    cell : object
        Text, number or truth value that is not missing.

    Returns
    -------
    str
    """
    if isinstance(cell, Real) and not isinstance(cell, bool | np.bool_) and float(cell).is_integer():
        return str(int(float(cell)))
    text = str(cell)
    return text.capitalize() if text.lower() in ("true", "false") else text


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, Real | Decimal) and not isinstance(cell, bool) and bool(np.isnan(float(cell)))


def days_since_1970(cell: Any) -> float:
    """Days between the start of 1970 in UTC and a date, a time, or text such as 2024-05-31 12:00."""
    if isinstance(cell, str):
        cell = datetime.fromisoformat(cell)
    if not isinstance(cell, datetime):
        cell = datetime(cell.year, cell.month, cell.day)
    moment = cell if cell.tzinfo else cell.replace(tzinfo=UTC)
    return (moment - _EPOCH).total_seconds() / _DAY


def kind_of_objects(name: str, cells: list[Any]) -> str:
    """Kind of a column of Python objects, none of which is missing.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    cells : list
        Distinct cells.

    Returns
    -------
    str
        NUMBER if all cells are numbers, DATE if all are dates or texts that read as ISO dates, else CATEGORY.
    """
    if all(isinstance(cell, Real | Decimal) and not isinstance(cell, bool | np.bool_) for cell in cells):
        return NUMBER
    if all(isinstance(cell, date) for cell in cells) or all(_reads_as_date(cell) for cell in cells):
        return DATE
    strange = [cell for cell in cells if not isinstance(cell, str | Real | Decimal | date | np.bool_)]
    if strange:
        raise ValueError(
            f"column {name!r} holds {strange[0]!r}; a cell must be a number, a date or text. "
            "Convert the column or leave it out."
        )
    return CATEGORY


def _reads_as_date(cell: Any) -> bool:
    if not (isinstance(cell, str) and _ISO_DATE.match(cell)):
        return False
    try:
        datetime.fromisoformat(cell)
    except ValueError:
        return False
    return True


def is_identifier_name(name: str) -> bool:
    """Whether a column is called like a row identifier, such as "id" or "customer_id".

    Parameters
    ----------
    name : str
        Name of a column.

    Returns
    -------
    bool
    """
    return _IDENTIFIER_NAME.fullmatch(name) is not None


def identifies_rows(name: str, values: NDArray) -> bool:
    """Whether a column names its rows: all different and called like one, or mostly different texts.

    Parameters
    ----------
    name : str
        Name of the column.
    values : ndarray of shape (n_rows,)
        Cells that are not missing: numbers or texts.

    Returns
    -------
    bool
    """
    n_distinct = len(set(values.tolist()))
    if len(values) < 2:
        return False
    if values.dtype.kind == "f":
        whole = bool((values == np.round(values)).all())
        return whole and n_distinct == len(values) and is_identifier_name(name)
    if n_distinct == len(values) and is_identifier_name(name):
        return True
    return n_distinct > max(_MANY_LEVELS, len(values) // 2)
