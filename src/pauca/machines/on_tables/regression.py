"""Regression of tables: columns are learned first, then the process of their placed numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...validation import check_rows, check_size
from ..processes.settings import moments
from .effects import TableEffects
from .input import PlacedTable, TableInput


class TableRegressor(TableEffects, TableInput):
    """Regressor of Gaussian processes that takes tables as they are."""

    def _checked(self, X: Any, y: Any, is_table: bool) -> tuple[Any, NDArray]:
        """Rows, as numbers or as the table that they are, and targets."""
        if is_table:
            return self._checked_table(X, y, y_numeric=True)
        rows, targets = check_rows(self, X, y, dtype=np.float64, y_numeric=True)
        check_size("X", rows)
        return rows, targets

    def _place_training(self, rows: Any, targets: NDArray, weights: NDArray, is_table: bool) -> PlacedTable:
        """Training rows as the process sees them, in groups if they are a table."""
        if is_table:
            centre, spread = moments(targets, weights)
            return self._learn_columns(rows, ((targets - centre) / spread)[:, None], weights)
        centre, spread = moments(rows, weights)
        return PlacedTable((rows - centre) / spread, None, (), (centre, spread))
