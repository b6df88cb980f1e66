"""Columns that a machine sees, made of those that the user gives: gaps, curves, indicators, codes."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tables import CATEGORY, as_level, is_frame, read_cells

# Level of categories that were rare or absent at training.
ANY_OTHER = "any other"


@dataclass(frozen=True)
class Inputs:
    """Columns that the machine sees, made of the columns that the user gives.

    Each is a given column, with missing values replaced, or transformed by a curve, or an indicator of one of
    its values, or of missing ones.

    Parameters
    ----------
    names : tuple of str
        Names of the given columns; empty where they have none.
    n_given : int
        Number of given columns.
    source : ndarray of int of shape (n_columns,)
        Given column behind each column.
    fill : ndarray of shape (n_columns,)
        What replaces a missing value; nan: missing values stay.
    equals : ndarray of shape (n_columns,)
        Value whose indicator the column is; nan: the column is the given one.
    levels : dict from int to tuple
        For given columns of categories: what each code 0, 1, ... stands for.
    is_missing : ndarray of bool of shape (n_columns,) or None
        Whether the column is the indicator of missing values; None: none is.
    curves : dict from int to pair of ndarray
        For columns that are transformed: increasing points and their images, linear between them, and with
        the mean gradient of the whole beyond the ends.
    """

    names: tuple[str, ...]
    n_given: int
    source: NDArray
    fill: NDArray
    equals: NDArray
    levels: dict[int, tuple] = field(default_factory=dict)
    is_missing: NDArray | None = None
    curves: dict[int, tuple[NDArray, NDArray]] = field(default_factory=dict)

    @classmethod
    def plain(cls, n_features: int, names: Any = ()) -> "Inputs":
        """Columns as they are given."""
        nothing = np.full(n_features, np.nan)
        return cls(tuple(map(str, names)), n_features, np.arange(n_features), nothing, nothing)

    @property
    def are_plain(self) -> bool:
        """Whether the columns are the given ones, unchanged."""
        unchanged = np.isnan(self.fill).all() and np.isnan(self.equals).all()
        unchanged = unchanged and not self.curves and self.is_missing is None
        return bool(unchanged and np.array_equal(self.source, np.arange(self.n_given)))

    def coded(self, X: Any) -> NDArray:
        """Given columns as numbers: the levels of categories become their codes, missing cells nan.

        Parameters
        ----------
        X : data frame or array-like of shape (n_rows, n_given)
            Rows. A level that training did not know has the code after the last known one; dates are days
            since 1970-01-01, infinite numbers are missing.
        """
        is_table = is_frame(X)
        cells = list(read_cells(X if is_table else np.asarray(X, dtype=object)))
        places = {column.name: place for place, column in enumerate(cells)}
        columns = []
        for place in range(self.n_given):
            column = cells[places[self.names[place]] if is_table and self.names else place]
            levels = self.levels.get(place)
            columns.append(_numbers(column) if levels is None else _codes(column, levels))
        return np.column_stack(columns)

    def __call__(self, X: NDArray) -> NDArray:
        """Columns that the machine sees."""
        if self.are_plain:
            return X
        values = X[:, self.source]
        missing = np.isnan(values)
        values = np.where(missing & ~np.isnan(self.fill), self.fill, values)
        for place, (points, images) in self.curves.items():
            values[:, place] = _on_curve(values[:, place], points, images)
        values = np.where(np.isnan(self.equals), values, (values == self.equals).astype(float))
        return values if self.is_missing is None else np.where(self.is_missing, missing.astype(float), values)


def _numbers(cells):
    """Numbers of a column, nan for missing ones; truth values are 0 and 1."""
    if cells.kind != CATEGORY:
        return cells.values
    truth = {None: np.nan, as_level(False): 0.0, as_level(True): 1.0}
    return np.array([truth[cell] if cell in truth else float(cell) for cell in cells.values.tolist()])


def _codes(cells, levels):
    """Places of cells among the known levels, nan for missing ones."""
    # Encoders list whole floats as 1.0, cells are read as 1.
    texts = [level.removesuffix(".0") for level in levels if level != ANY_OTHER]
    known = {as_level(text): float(place) for place, text in enumerate(texts)}
    values = cells.as_category().values.tolist()
    return np.array([np.nan if c in (None, "") else known.get(c, float(len(known))) for c in values])


def gradient_of(points: NDArray, images: NDArray) -> float:
    """Mean gradient of a curve."""
    return float((images[-1] - images[0]) / (points[-1] - points[0])) if len(points) > 1 else 1.0


def _on_curve(x, points, images):
    """Images of numbers on a curve."""
    beyond = np.minimum(x - points[0], 0.0) + np.maximum(x - points[-1], 0.0)
    return np.interp(x, points, images) + gradient_of(points, images) * beyond
