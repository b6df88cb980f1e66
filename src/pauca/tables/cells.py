"""Cells of pandas and polars frames and of arrays, column by column."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation import LARGEST_ENTRY
from .kinds import CATEGORY, DATE, NUMBER, as_level, days_since_1970, is_missing, kind_of_objects


@dataclass(frozen=True)
class Cells:
    """Cells of one column.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : str
        NUMBER, DATE or CATEGORY, by the type of the cells alone.
    values : ndarray of shape (n_rows,)
        Floats, missing ones as NaN, of numbers and dates (days since 1970); texts of levels, missing ones as
        None, of categories.
    """

    name: str
    kind: str
    values: NDArray

    @property
    def missing(self) -> NDArray:
        """Which cells are missing."""
        if self.kind == CATEGORY:
            return np.array([value is None for value in self.values], dtype=bool)
        return np.isnan(self.values)

    def check_size(self) -> None:
        """Raise a ValueError that names the column if its numbers are too large to be squared."""
        if self.kind != CATEGORY and (np.abs(self.values) > LARGEST_ENTRY).any():
            raise ValueError(f"column {self.name!r} holds numbers beyond {LARGEST_ENTRY:g}; scale it first.")

    def as_category(self) -> "Cells":
        """The cells as levels of a category."""
        if self.kind == CATEGORY:
            return self
        values = [None if np.isnan(value) else as_level(value) for value in self.values.tolist()]
        return Cells(self.name, CATEGORY, _objects(values))

    def as_number(self) -> "Cells":
        """Texts of numbers as numbers; a ValueError that names the column where a text is none."""
        if self.kind != CATEGORY:
            return self
        return Cells(self.name, NUMBER, np.array([_number(self.name, cell) for cell in self.values.tolist()]))

    def as_date(self) -> "Cells":
        """Texts of dates as days since 1970; a ValueError that names the column where a text is none."""
        if self.kind != CATEGORY:
            return self
        return Cells(self.name, DATE, np.array([_days(self.name, cell) for cell in self.values.tolist()]))


def is_frame(X: Any) -> bool:
    """Whether X is a pandas or polars DataFrame.

    Parameters
    ----------
    X : object
        Data of a user.

    Returns
    -------
    bool
    """
    return hasattr(X, "columns") and hasattr(X, "__getitem__") and hasattr(X, "shape") and len(X.shape) == 2


def read_cells(X: Any) -> Iterator[Cells]:
    """Cells of the columns of a frame or array, one column after the other.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_rows, n_columns)
        Frame of pandas or polars, or an array of floats with NaN for missing entries or of objects.

    Yields
    ------
    Cells
    """
    if is_frame(X):
        for place, name in enumerate(X.columns):
            column = X.iloc[:, place] if hasattr(X, "iloc") else X[name]
            yield _of_series(str(name), column)
    else:
        for place, values in enumerate(np.asarray(X).T):
            yield _of_array(f"x{place}", values)


def _of_series(name: str, column: Any) -> Cells:
    """Cells of a series of pandas or polars."""
    dtype = str(column.dtype).lower()
    if dtype.startswith(("category", "categorical", "enum", "bool")):
        return _category(name, _listed(column))
    if dtype.startswith(("int", "uint", "float", "decimal")):
        return Cells(name, NUMBER, _floats(column))
    return _of_objects(name, _listed(column))


def _of_array(name: str, values: NDArray) -> Cells:
    """Cells of a column of an array."""
    if values.dtype.kind == "b":
        return _category(name, values.tolist())
    if values.dtype.kind in "iuf":
        return Cells(name, NUMBER, _finite_or_nan(values))
    return _of_objects(name, values.tolist())


def _of_objects(name: str, cells: list[Any]) -> Cells:
    """Cells of a column of Python objects."""
    cells = [None if is_missing(cell) else cell for cell in cells]
    present = [cell for cell in cells if cell is not None]
    if not present:
        return Cells(name, NUMBER, np.full(len(cells), np.nan))
    kind = kind_of_objects(name, present)
    if kind == CATEGORY:
        return _category(name, cells)
    convert = days_since_1970 if kind == DATE else float
    return Cells(name, kind, _finite_or_nan([np.nan if cell is None else convert(cell) for cell in cells]))


def _category(name: str, cells: list[Any]) -> Cells:
    return Cells(name, CATEGORY, _objects([None if is_missing(cell) else as_level(cell) for cell in cells]))


def _listed(column: Any) -> list[Any]:
    return column.to_list() if hasattr(column, "to_list") else column.tolist()


def _floats(column: Any) -> NDArray:
    """A numeric series as floats; missing cells as NaN."""
    if hasattr(column, "isna"):
        return _finite_or_nan(column.to_numpy(dtype=float, na_value=np.nan))
    return _finite_or_nan([np.nan if cell is None else float(cell) for cell in column.to_list()])


def _finite_or_nan(values: Any) -> NDArray:
    """Floats; infinite ones count as missing, because no kernel can place them."""
    values = np.asarray(values, dtype=float)
    return np.where(np.isfinite(values), values, np.nan)


def _objects(values: list[Any]) -> NDArray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _number(name: str, cell: Any) -> float:
    try:
        return np.nan if cell is None else float(cell)
    except ValueError:
        raise ValueError(f"column {name!r} holds {cell!r}, which is not a number.") from None


def _days(name: str, cell: Any) -> float:
    try:
        return np.nan if cell is None else days_since_1970(cell)
    except ValueError:
        raise ValueError(f"column {name!r} holds {cell!r}, which is not a date.") from None
