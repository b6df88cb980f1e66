"""The target: which task it sets, and its values as labels or numbers."""

import numpy as np
import pandas as pd

from pauca.evaluation.trials import CLASSIFICATION, REGRESSION
from pauca.tables import NUMBER, as_level

from ..errors import BadInput
from .columns import cell_type, kind_of
from .encoding import numbers

# Distinct whole numbers up to which a numeric target counts as labels. Set by hand, not tuned.
_MAX_CODED_CLASSES = 10


def drop_missing_target(table: pd.DataFrame, target: str) -> tuple[pd.DataFrame, list[str]]:
    """The rows whose target is known, and a note if some are not."""
    column = table[target]
    known = column.notna() & ~column.isin([np.inf, -np.inf])
    if not known.any():
        raise BadInput(f"target {target!r} is empty in every row.")
    n_missing = int((~known).sum())
    notes = [f"{n_missing} of {len(table)} rows left out: target {target!r} is missing"] if n_missing else []
    return table[known].reset_index(drop=True), notes


def read_target(column: pd.Series, task: str = "auto") -> tuple[str, np.ndarray, list[str]]:
    """The task, the values of the target, and a note on how the task was chosen."""
    notes = []
    if task == "auto":
        task, reason = _guess_task(column)
        notes.append(f"task: {task}, because the target {reason}")
    y = _labels(column) if task == CLASSIFICATION else _values(column)
    return task, y, notes


def _guess_task(column: pd.Series) -> tuple[str, str]:
    """The task that the values of the target suggest, and why."""
    n_distinct = column.nunique()
    if kind_of(column) != NUMBER:
        return CLASSIFICATION, "is not numeric"
    if n_distinct == 2 or (n_distinct <= _MAX_CODED_CLASSES and _are_whole(column)):
        return CLASSIFICATION, f"has only {n_distinct} distinct values (to override: --task regression)"
    return REGRESSION, f"is numeric with {n_distinct} distinct values (to override: --task classification)"


def _labels(column: pd.Series) -> np.ndarray:
    """Class labels: whole numbers stay numbers; everything else becomes text."""
    y = column.astype(int).to_numpy() if _are_whole(column) else column.map(as_level).to_numpy(dtype=str)
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) == 1:
        raise BadInput(f"target {column.name!r} has one class only, {classes[0].item()!r}.")
    if counts.min() < 2:
        rare = classes[counts.argmin()].item()
        raise BadInput(
            f"target {column.name!r} has a single row of class {rare!r}: merge or remove such classes."
        )
    return y


def _values(column: pd.Series) -> np.ndarray:
    """Numeric targets as floats."""
    if kind_of(column) != NUMBER:
        raise BadInput(
            f"target {column.name!r} is not numeric ({cell_type(column)}); use --task classification."
        )
    y = numbers(column).to_numpy()
    if len(y) > 1 and np.ptp(y) == 0:
        raise BadInput(f"target {column.name!r} is constant.")
    return y


def _are_whole(column: pd.Series) -> bool:
    """Whether all values are integers that a float holds exactly."""
    if kind_of(column) != NUMBER:
        return False
    values = numbers(column)
    return bool(((values % 1 == 0) & (values.abs() < 2**53)).all())
