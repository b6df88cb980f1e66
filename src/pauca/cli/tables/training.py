"""A table ready to learn from."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...validation import LARGEST_ENTRY
from ..errors import BadInput
from .columns import choose_columns, numeric_by_dtype, require_columns
from .csv_format import CsvFormat
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
    groups: np.ndarray | None = None

    def description(self, path: str | Path, target: str) -> dict[str, Any]:
        """File, target, task and number of rows, for ``--json``."""
        return {"table": str(path), "target": target, "task": self.task, "rows": len(self.y)}


def read_training_table(
    path: str | Path,
    target: str,
    task: str = "auto",
    drop: Iterable[str] = (),
    form: CsvFormat | None = None,
    groups: str | None = None,
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
    form : CsvFormat, default=None
        How a CSV file is written; found out from the file unless given.
    groups : str, default=None
        Name of a column that says which rows belong together; it is not used as a feature.

    Returns
    -------
    TrainingTable
        The rows whose target is known.
    """
    file_notes: list[str] = []
    table = read_table(path, form=form, notes=file_notes)
    drop = [*drop, *([groups] if groups else [])]
    require_columns(table, [target, *drop])
    table, missing_notes = drop_missing_target(table, target)
    task, y, task_notes = read_target(table[target], task)
    kinds, column_notes = choose_columns(table, target, drop)
    _refuse_huge(table[list(kinds)])
    notes = [*file_notes, *task_notes, *missing_notes, *column_notes, *infinity_notes(table[list(kinds)])]
    return TrainingTable(task, kinds, features(table, kinds), y, notes, _groups(table, groups))


def _refuse_huge(table: pd.DataFrame) -> None:
    """Refuse numbers whose squares could not be summed, by the name of their column."""
    for name in numeric_by_dtype(table, table.columns):
        values = table[name].to_numpy(dtype=float)
        if np.abs(values[np.isfinite(values)]).max(initial=0.0) > LARGEST_ENTRY:
            raise BadInput(
                f"column {name!r} holds numbers beyond {LARGEST_ENTRY:.0e}; mend them or leave it "
                "out by --drop."
            )


def _groups(table: pd.DataFrame, name: str | None) -> np.ndarray | None:
    """Number of the group of each row; rows without an entry are groups of their own."""
    if name is None:
        return None
    codes = pd.factorize(table[name])[0]
    return np.where(codes < 0, len(codes) + np.arange(len(codes)), codes)


def infinity_notes(table: pd.DataFrame) -> list[str]:
    """A note on every column with infinite cells, which count as missing."""
    names = numeric_by_dtype(table, table.columns)
    counts = np.isinf(table[names].to_numpy(dtype=float)).sum(axis=0)
    return [
        f"column {name!r}: {count} infinite cell{'s' if count > 1 else ''} taken as missing"
        for name, count in zip(names, counts, strict=True)
        if count
    ]
