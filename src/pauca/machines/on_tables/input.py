"""Tables with categories, dates and missing entries as input of a machine."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, check_X_y, validate_data

from ...basis import ColumnMeasure
from ...fitting import training_rows
from ...tables import Columns, better_transforms, is_frame, read_cells
from ...validation import check_option

# Value of ``categorical_features`` by which the types of the cells decide.
FROM_DTYPE = "from_dtype"
# Rows on which transforms of all numbers are compared; set by hand for the time of a fit.
_N_COMPARED = 300
# Rise of their log evidence, in nats, for which transforms are taken; chosen on half splits 0-4 of spam and
# magic, which gain by ranks, and image, which loses.
_LEAST_RISE = 5.0
# Values of ``transforms``.
TRANSFORMS = ("auto", "evidence", "plain", "ranks")
_TRANSFORM_OF = {"plain": "plain", "ranks": "rank-normal"}


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


# Log evidence of placed rows, given their places among all rows and their weights.
PlacementEvidence = Callable[[PlacedTable, NDArray, NDArray], float]


class TableInput:
    """Machine that takes frames of pandas and polars, and arrays, with categories and missing entries."""

    categorical_features: Any
    transforms: str
    additive: str | bool
    feature_scales: str | None
    _kernels: Callable[[], list]
    # Columns of the table that was learned from; None where rows are plain numbers.
    _columns: Columns | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        return tags

    def _is_table(self, X: Any) -> bool:
        """Whether X has categories, dates, truth values or missing entries, or its columns are asked for."""
        if not isinstance(self.additive, bool | np.bool_):
            check_option("additive", self.additive, ("evidence",))
        check_option("transforms", self.transforms, TRANSFORMS)
        if sparse.issparse(X) or isinstance(X, np.memmap):
            return False
        X = _as_array(X) if isinstance(X, list) else X
        is_matrix = is_frame(X) or (isinstance(X, np.ndarray) and X.ndim == 2)
        if is_matrix and (self.additive is True or self.transforms in ("evidence", "ranks")):
            return True
        if is_frame(X):
            asked = self._marks_categories() or self._transforms_frame(X)
            return asked or any(_needs_columns(X, place) for place in range(X.shape[1]))
        if not isinstance(X, np.ndarray) or X.ndim != 2 or X.size == 0:
            return False
        if X.dtype.kind == "O":
            return any(isinstance(cell, str) or cell is None for cell in X.flat) or self._marks_categories()
        return self._marks_categories() or bool(X.dtype.kind == "f" and np.isnan(X).any())

    def _transforms_frame(self, X: Any) -> bool:
        """Whether numbers of a frame are transformed: where their distances are the machine's to choose."""
        chooses = getattr(self, "gamma", "evidence") == self.feature_scales == "evidence"
        stationary = all(kernel.is_stationary for kernel in self._kernels())
        return self.transforms == "auto" and chooses and stationary and 0 < X.shape[1] <= X.shape[0]

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

    def _learn_columns(
        self, table: Any, y: NDArray, targets: NDArray, weights: NDArray, evidence: PlacementEvidence
    ) -> PlacedTable:
        """Learn the columns of a table and place its rows.

        Numbers are plain, transformed where that raises the evidence of a smooth effect of the column on the
        ``targets``, or all transformed: what has the largest ``evidence`` of all columns together on the same
        rows, drawn at random.
        """
        given = _TRANSFORM_OF.get(self.transforms)
        transforms: list[Any] = (
            [given] if given else ["plain", better_transforms(targets, weights), "rank-normal"]
        )
        found = Columns.alternatives(table, weights, self.categorical_features, transforms)
        if not found[0].used:
            raise ValueError(
                f"X has no column to learn from: {len(found[0].columns)} are constant or identify the rows."
            )
        placed = [self._placed_by(columns, table) for columns in found]
        best = 0
        data = training_rows(placed[0].rows, y, weights)
        few = np.random.default_rng(0).permutation(len(data.y))[:_N_COMPARED]
        if len(found) > 1 and len(np.unique(data.y[few])) > 1:
            rows, counts = data.rows[few], data.weights[few]
            values = np.array(
                [evidence(replace(each, rows=each.rows[rows]), rows, counts) for each in placed]
            )
            values[0] += _LEAST_RISE
            best = int(np.argmax(values))
        self._columns = found[best]
        return placed[best]

    def _placed_by(self, columns: Columns, table: Any) -> PlacedTable:
        """Rows of a table as its columns place them."""
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
        """Columns of the table as a frame of pandas: column, kind, transform, scale, levels, missing, effect.

        ``scale`` is the factor of the column in the kernel, or the inverse width of its main effect; zero for
        columns that are left out, which are constant or identify the rows. ``levels`` counts those of a
        category, ``missing`` is the share of the training entries that are missing. ``effect`` is the root
        mean square of the main effect over training rows, in the units of `effects`.
        """
        import pandas as pd

        check_is_fitted(self)
        if self._columns is None:
            raise AttributeError(
                "columns_ exists for tables with categories or missing entries; X had numbers only."
            )
        frame = pd.DataFrame(self._columns.records())
        frame.insert(3, "scale", self.feature_scales_)  # type: ignore[attr-defined]
        frame["effect"] = self._effect_sizes  # type: ignore[attr-defined]
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
    same: dict[Any, Any] = {}  # equal entries are one object, which makes files small
    for place, column in enumerate(cells):
        entries[:, place] = [same.setdefault(cell, cell) for cell in column.values.tolist()]
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
