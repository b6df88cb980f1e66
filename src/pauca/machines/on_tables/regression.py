"""Regression of tables: columns are learned first, then the process of their placed numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...fitting.processes import ProcessProblem, first_evidence
from ...validation import check_rows, check_size
from ..processes.settings import moments
from .effects import TableEffects
from .files import TableFile
from .input import PlacedTable, TableInput


class TableRegressor(TableEffects, TableFile, TableInput):
    """Regressor of Gaussian processes that takes tables as they are."""

    def _checked(self, X: Any, y: Any, is_table: bool) -> tuple[Any, NDArray]:
        """Rows, as numbers or as the table that they are, and targets."""
        if is_table:
            return self._checked_table(X, y, y_numeric=True)
        rows, targets = check_rows(self, X, y, dtype=np.float64, y_numeric=True)
        check_size("X", rows)
        return rows, targets

    def _place_training(
        self,
        rows: Any,
        targets: NDArray,
        weights: NDArray,
        is_table: bool,
        problem_of: Callable[[PlacedTable, Any, NDArray], ProcessProblem],
    ) -> PlacedTable:
        """Training rows as the process sees them, in groups if they are a table.

        ``problem_of`` poses the problem of placed rows, given their places among all and their weights; its
        evidence decides on transforms of numbers.
        """
        if is_table:
            centre, spread = moments(targets, weights)
            standardised = ((targets - centre) / spread)[:, None]

            def evidence(placed: PlacedTable, places: NDArray, counts: NDArray) -> float:
                return first_evidence(problem_of(placed, places, counts))

            return self._learn_columns(rows, targets, standardised, weights, evidence)
        centre, spread = moments(rows, weights)
        return PlacedTable((rows - centre) / spread, None, (), (centre, spread))
