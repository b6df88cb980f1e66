"""Tables with categories, dates and missing entries as input of a machine."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, check_X_y, validate_data

from ...basis import ColumnMeasure
from ...export import CannotExport
from ...tables import Columns, better_transforms, is_frame, read_cells
from ...validation import check_option

# Value of ``categorical_features`` by which the types of the cells decide.
FROM_DTYPE = "from_dtype"


@dataclass(frozen=True, eq=False)
class PlacedTable:
    """Training rows as placed numbers.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_placed)
        Placed rows.
    groups : ndarray of int, shape (n_placed,), or None
        Column that each placed number belongs to; None: every number is a column.
    measures : tuple of ColumnMeasure
        Distribution of the training entries of each column, if columns may have kernels of their own.
    standards : tuple of two ndarrays of shape (n_placed,)
        Centre and spread by which numbers were standardised.
    """

    rows: NDArray
    groups: NDArray | None
    measures: tuple[ColumnMeasure, ...]
    standards: tuple[Any, Any]


class TableInput:
    """Machine that takes frames of pandas and polars, and arrays, with categories and missing entries."""

    categorical_features: Any
    additive: str | bool
    # Columns of the table that was learned from; None where rows are plain numbers.
    _columns: Columns | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        return tags

    def _refuse_tables(self) -> None:
        """Raise if the machine was fitted to a table, whose columns no portable form describes."""
        if self._columns is not None:
            raise CannotExport(
                "model was fitted to a table with categories or missing entries, which has no portable form: "
                "make a small machine of it with pauca.distil, or encode the columns in a pipeline."
            )

    def _is_table(self, X: Any) -> bool:
        """Whether X has categories, dates, truth values or missing entries, or categories are asked for."""
        if not isinstance(self.additive, bool | np.bool_):
            check_option("additive", self.additive, ("evidence",))
        if sparse.issparse(X) or isinstance(X, np.memmap):
            return False
        if self.additive is True and (is_frame(X) or (isinstance(X, np.ndarray) and X.ndim == 2)):
            return True
        if is_frame(X):
            return self._marks_categories() or any(_needs_columns(X, place) for place in range(X.shape[1]))
        if isinstance(X, list):
            X = _as_array(X)
        if not isinstance(X, np.ndarray) or X.ndim != 2 or X.size == 0:
            return False
        if X.dtype.kind == "O":
            return any(isinstance(cell, str) or cell is None for cell in X.flat) or self._marks_categories()
        return self._marks_categories() or bool(X.dtype.kind == "f" and np.isnan(X).any())

    def _marks_categories(self) -> bool:
        given = self.categorical_features
        return given is not None and not (isinstance(given, str) and given == FROM_DTYPE)

    def _checked_table(self, X: Any, y: Any, *, y_numeric: bool = False) -> tuple[Any, NDArray]:
        """Table and targets; names and number of the columns are kept."""
        if y_numeric and np.asarray(y).dtype.kind in "USmM":
            raise ValueError("y must hold numbers; got text or times.")
        table = self._read_table(X, reset=True)
        _, y = check_X_y(np.zeros((len(table), 1)), y, y_numeric=y_numeric)
        return table, y

    def _read_table(self, X: Any, *, reset: bool) -> Any:
        """Table whose names and number of columns are checked: a frame, or an array of finite numbers."""
        if is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        X = _as_array(X) if isinstance(X, list) else X
        return validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")

    def _learn_columns(self, table: Any, targets: NDArray, weights: NDArray) -> PlacedTable:
        """Learn the columns of a table and place its rows; ``targets`` by which transforms are compared."""
        transform = better_transforms(targets, weights)
        columns = Columns.learned(table, weights, self.categorical_features, transform)
        if not columns.used:
            raise ValueError(
                f"X has no column to learn from: {len(columns.columns)} are constant or identify the rows."
            )
        self._columns = columns
        rows, measures = columns.place(table), columns.measures if self.additive is not False else ()
        n = rows.shape[1]
        return PlacedTable(rows, columns.groups, measures, (np.zeros(n), np.ones(n)))

    def _place_table(self, X: Any) -> NDArray:
        """Placed rows of a new table."""
        check_is_fitted(self)
        assert self._columns is not None
        table = self._read_table(X, reset=False)
        for sentence in self._columns.unfamiliar_numbers(table):
            warnings.warn(sentence, UserWarning, stacklevel=4)
        return self._columns.place(table)

    def _by_column(self, values: NDArray) -> NDArray:
        """Values of the used columns in the order of the table, zero for columns that are left out."""
        assert self._columns is not None
        spread = np.zeros(len(self._columns.columns))
        spread[self._columns.places] = values
        return spread

    @property
    def columns_(self) -> Any:
        """Columns of the table as a frame of pandas: column, kind, transform, scale, levels, missing.

        ``scale`` is the factor of the column in the kernel, or the inverse width of its main effect; zero for
        columns that are left out, which are constant or identify the rows. ``levels`` counts those of a
        category, ``missing`` is the share of the training entries that are missing.
        """
        import pandas as pd

        check_is_fitted(self)
        if self._columns is None:
            raise AttributeError(
                "columns_ exists for tables with categories or missing entries; X had numbers only."
            )
        frame = pd.DataFrame(self._columns.records())
        frame.insert(3, "scale", self.feature_scales_)  # type: ignore[attr-defined]
        return frame


def entries_of(table: Any, rows: NDArray) -> NDArray:
    """Entries of some rows of a table, as numbers where all columns are numbers, else as objects."""
    if is_frame(table):
        table = table.iloc[rows] if hasattr(table, "iloc") else table[rows.tolist()]
    else:
        table = table[rows]
    cells = list(read_cells(table))
    kind = float if all(column.values.dtype.kind == "f" for column in cells) else object
    entries = np.empty((len(rows), len(cells)), dtype=kind)
    for place, column in enumerate(cells):
        entries[:, place] = column.values
    return entries


def _needs_columns(X: Any, place: int) -> bool:
    """Whether a column of a frame is no plain number, or has missing entries."""
    column = X.iloc[:, place] if hasattr(X, "iloc") else X[X.columns[place]]
    if not str(column.dtype).lower().startswith(("int", "uint", "float")):
        return True
    values = column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
    return values.dtype.kind == "O" or bool(values.dtype.kind == "f" and np.isnan(values).any())


def _as_array(X: list) -> Any:
    """A list of rows as an array, of objects where it holds text."""
    try:
        array = np.asarray(X)
    except ValueError:
        return X
    return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
