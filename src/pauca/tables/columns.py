"""Columns of a table: what each one is, and their cells as placed numbers in groups."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..basis import ColumnMeasure
from .cells import Cells, is_frame, read_cells
from .evidence import LEAST_RISE, effect_evidence
from .kinds import CATEGORY, CONSTANT, DATE, IDENTIFIER, identifies_rows
from .levels import Levels
from .numbers import Number

# Distinct numbers from which on a rank transform is tried; set by hand.
_FEWEST_DISTINCT = 5
# Rows, evenly spaced, by which transforms are compared; set by hand for the time of a fit.
_N_COMPARED = 2000


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Column that is not part of the model.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : str
        IDENTIFIER or CONSTANT.
    n_levels : int
        Number of distinct entries.
    missing_share : float
        Share of the training entries that are missing.
    """

    name: str
    kind: str
    n_levels: int
    missing_share: float

    width = 0
    is_category = False
    levels: tuple[str, ...] = ()

    def place(self, cells: Cells) -> NDArray:
        """No placed columns."""
        return np.empty((len(cells.values), 0))

    def unfamiliar(self, cells: Cells) -> str | None:
        """Nothing in a column that is left out is unfamiliar."""
        return None


Column = Number | Levels | LeftOut


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a table by kind, learned from training rows.

    Parameters
    ----------
    columns : list of Number, Levels or LeftOut
        One for each column of the table, in its order.
    from_frame : bool
        Whether the table was a frame, so that new ones need its column names.
    """

    columns: list[Any]
    from_frame: bool = field(default=False)

    @classmethod
    def learned(
        cls,
        X: Any,
        weights: NDArray,
        categorical: Any = "from_dtype",
        transform: str | Callable[[Cells], str] = "plain",
    ) -> "Columns":
        """Columns of training rows.

        Parameters
        ----------
        X : DataFrame or ndarray of shape (n_rows, n_columns)
            Table.
        weights : ndarray of shape (n_rows,)
            How many times each row counts.
        categorical : {"from_dtype"}, mask, indices, names or None
            Columns that are categories whatever the types of their cells. None: all columns are numbers.
        transform : {"plain", "rank-normal"} or callable
            Transform of all numbers, or a function that names that of each column's cells.
        """
        return cls.alternatives(X, weights, categorical, [transform])[0]

    @classmethod
    def alternatives(
        cls, X: Any, weights: NDArray, categorical: Any, transforms: Sequence[str | Callable[[Cells], str]]
    ) -> list["Columns"]:
        """Columns of training rows for each of several transforms of the numbers, without repetitions."""
        cells = list(read_cells(X))
        if categorical is None:
            cells = [column.as_number() for column in cells]
        for column in cells:
            column.check_size()
        marked = _marked(categorical, [column.name for column in cells])
        cells = [
            each.as_category() if is_marked else each for each, is_marked in zip(cells, marked, strict=True)
        ]
        found: dict[tuple[str, ...], Columns] = {}
        kept: list[Any] = [None] * len(cells)
        for transform in transforms:
            of = transform if callable(transform) else lambda _, name=transform: name
            columns = [
                column if isinstance(column, LeftOut | Levels) else _column(each, weights, of)
                for column, each in zip(kept, cells, strict=True)
            ]
            kept, learned = columns, cls(columns, is_frame(X))
            found.setdefault(tuple(learned.records()["transform"]), learned)
        return list(found.values())

    def place(self, X: Any) -> NDArray:
        """Placed numbers of rows, shape (n_rows, n_placed)."""
        return np.hstack([column.place(cells) for column, cells in self._matched(X)])

    def unfamiliar_numbers(self, X: Any) -> list[str]:
        """A sentence on every number with missing entries of which training had none."""
        found = [(column, cells) for column, cells in self._matched(X) if not column.is_category]
        return [f"column {c.name!r} has {c.unfamiliar(x)}." for c, x in found if c.unfamiliar(x)]

    def unfamiliar_levels(self, X: Any) -> list[str]:
        """A sentence on every category with levels that training did not have."""
        found = [(column, cells) for column, cells in self._matched(X) if column.is_category]
        return [f"column {c.name!r} has {c.unfamiliar(x)}." for c, x in found if c.unfamiliar(x)]

    def unfamiliar(self, X: Any) -> list[str]:
        """A sentence on every column with entries of a sort that training did not have."""
        found = ((column.name, column.unfamiliar(cells)) for column, cells in self._matched(X))
        return [f"column {name!r} has {what}." for name, what in found if what]

    def _matched(self, X: Any) -> Iterable[tuple[Column, Cells]]:
        """Columns with their cells, converted to the kind that training had."""
        for column, cells in zip(self.columns, read_cells(X), strict=True):
            cells.check_size()
            if column.is_category:
                yield column, cells.as_category()
            elif column.width == 0:
                yield column, cells
            else:
                yield column, cells.as_date() if column.kind == DATE else cells.as_number()

    @property
    def used(self) -> list[Any]:
        """Columns that are part of the model."""
        return [column for column in self.columns if column.width]

    @property
    def groups(self) -> NDArray:
        """Place among the used columns that each placed number belongs to."""
        return np.repeat(np.arange(len(self.used)), [column.width for column in self.used])

    @property
    def places(self) -> NDArray:
        """Place in the table of each used column."""
        return np.array([place for place, column in enumerate(self.columns) if column.width], dtype=int)

    @property
    def measures(self) -> tuple[ColumnMeasure, ...]:
        """Distribution of the training entries of each used column, for `Additive`."""
        ends = np.cumsum([column.width for column in self.used])
        places = np.split(np.arange(ends[-1] if len(ends) else 0), ends[:-1])
        return tuple(
            ColumnMeasure(at, column.measure[0], column.measure[1], column.is_category)
            for at, column in zip(places, self.used, strict=False)
        )

    @property
    def is_plain(self) -> bool:
        """Whether every column is a number without missing entries, so that a group is one placed number."""
        return all(column.width == 1 and not column.is_category for column in self.columns)

    def records(self) -> dict[str, list[Any]]:
        """What was decided about each column, by heading: the content of ``columns_``."""
        columns = self.columns
        return {
            "column": [column.name for column in columns],
            "kind": [column.kind for column in columns],
            "transform": [column.transform.name if isinstance(column, Number) else "" for column in columns],
            "levels": [getattr(column, "n_levels", 0) for column in columns],
            "missing": [column.missing_share for column in columns],
        }


def better_transforms(targets: NDArray, weights: NDArray) -> Callable[[Cells], str]:
    """Function that names the transform of a column by the evidence of its effect on the targets.

    Parameters
    ----------
    targets : ndarray of shape (n_rows, n_targets)
        Standardised targets, or indicators of classes.
    weights : ndarray of shape (n_rows,)
        How many times each row counts.
    """
    every = max(1, len(targets) // _N_COMPARED)

    def choose(cells: Cells) -> str:
        seen = ~cells.missing & (weights > 0)
        few = Cells(cells.name, cells.kind, cells.values[seen][::every])
        if len(np.unique(few.values)) < _FEWEST_DISTINCT:
            return "plain"
        t, w = targets[seen][::every], weights[seen][::every]
        by_ranks, by_value = (Number.of(few, w, name) for name in ("rank-normal", "plain"))
        gains = [
            effect_evidence(column.place(few)[:, 0], column.quantiles, t, w)
            for column in (by_ranks, by_value)
        ]
        return "rank-normal" if gains[0] > gains[1] + LEAST_RISE else "plain"

    return choose


def _column(cells: Cells, weights: NDArray, transform_of: Callable[[Cells], str]) -> Column:
    """Column learned from its training cells."""
    seen = ~cells.missing & (weights > 0)
    present = cells.values[seen]
    n_distinct = len(set(present.tolist()))
    share = 1 - float(weights[seen].sum() / weights.sum())
    if n_distinct + (share > 0) < 2 and (cells.kind == CATEGORY or n_distinct == 0):
        return LeftOut(cells.name, CONSTANT, n_distinct, share)
    if identifies_rows(cells.name, present):
        return LeftOut(cells.name, IDENTIFIER, n_distinct, share)
    if cells.kind == CATEGORY:
        return Levels.of(cells, weights)
    return Number.of(cells, weights, transform_of(cells))


def _marked(categorical: Any, names: list[str]) -> NDArray:
    """Mask of the columns that are categories by request."""
    mask = np.zeros(len(names), dtype=bool)
    if categorical is None or (isinstance(categorical, str) and categorical == "from_dtype"):
        return mask
    given = np.asarray(categorical)
    if given.ndim != 1 or given.dtype.kind not in "biuUO":
        raise ValueError(
            "categorical_features must be 'from_dtype', None, a mask, or a list of names or of indices of "
            f"columns; got {categorical!r}."
        )
    if given.dtype.kind == "b":
        if len(given) != len(names):
            raise ValueError(f"categorical_features has {len(given)} entries for {len(names)} columns.")
        return given
    for entry in given.tolist():
        place = names.index(entry) if entry in names else entry
        if not isinstance(place, int) or not 0 <= place < len(names):
            raise ValueError(f"categorical_features names the column {entry!r}, which X does not have.")
        mask[place] = True
    return mask
