"""A table ready to learn from."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .columns import choose_columns, require_columns
from .encoding import features
from .files import read_table
from .target import drop_missing_target, read_target


@dataclass(frozen=True)
class TrainingTable:
    """Features and target of a table, with the task, the kinds of its columns, and notes for the user."""

    task: str
    kinds: dict[str, str]
    X: pd.DataFrame
    y: np.ndarray
    notes: list[str]

    def description(self, path: str | Path, target: str) -> dict[str, Any]:
        """File, target, task and number of rows, for ``--json``."""
        return {"table": str(path), "target": target, "task": self.task, "rows": len(self.y)}


def read_training_table(
    path: str | Path, target: str, task: str = "auto", drop: Iterable[str] = ()
) -> TrainingTable:
    """Read a table, decide on the task, and choose the columns that are used as features.

    Parameters
    ----------
    path : str or Path
        CSV or Parquet file.
    target : str
        Name of the column to predict.
    task : {"auto", "classification", "regression"}, default="auto"
        What to learn; "auto" looks at the target.
    drop : iterable of str, default=()
        Names of columns that are not used.

    Returns
    -------
    TrainingTable
        The rows whose target is known.
    """
    table = read_table(path)
    require_columns(table, [target, *drop])
    table, missing_notes = drop_missing_target(table, target)
    task, y, task_notes = read_target(table[target], task)
    kinds, column_notes = choose_columns(table, target, drop)
    notes = [*task_notes, *missing_notes, *column_notes]
    return TrainingTable(task, kinds, features(table, kinds), y, notes)
