"""Columns of categories: one indicator for each level, one for all rare and unseen levels."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cells import Cells
from .kinds import CATEGORY

# Largest number of levels with an indicator of their own, and the least number of rows of such a level; set
# by hand so that a zip code costs no more memory than some tens of numbers.
MOST_LEVELS, _FEWEST_ROWS = 50, 2
# Value of an indicator: two levels lie at distance one, by absolute differences.
_PLACE = 0.5


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels of a category as indicators, so that a stationary kernel sees all levels equally far apart.

    Missing is a level like any other. Levels beyond the most frequent, levels of a single row and levels that
    training did not have share the last indicator: an unseen level has the effect of the rare ones, and where
    there were none, no effect that anything is known about.

    Parameters
    ----------
    name : str
        Name of the column.
    known : list of str
        Levels with an indicator of their own, missing aside.
    probabilities : ndarray of shape (width,)
        Shares of the training rows: known levels, missing if it occurs, rare ones.
    n_levels : int
        Number of levels in training, missing aside.
    has_missing : bool
        Whether training had missing entries.
    """

    name: str
    known: list[str]
    probabilities: NDArray
    n_levels: int
    has_missing: bool
    kind: str = field(default=CATEGORY)

    is_category = True

    @classmethod
    def of(cls, cells: Cells, weights: NDArray) -> "Levels":
        """Column learned from training cells of positive weight; names and order of levels do not matter."""
        counts: Counter[Any] = Counter()
        for value, weight in zip(cells.values.tolist(), weights.tolist(), strict=True):
            if weight > 0:
                counts[value] += weight
        has_missing = counts.pop(None, 0) > 0
        frequent = [level for level, count in counts.most_common(MOST_LEVELS) if count >= _FEWEST_ROWS]
        column = cls(cells.name, frequent, np.empty(0), len(counts), has_missing)
        shares = np.bincount(column.codes(cells), weights, column.width) / weights.sum()
        return cls(cells.name, frequent, shares, len(counts), has_missing)

    @property
    def width(self) -> int:
        """Number of placed columns."""
        return len(self.known) + self.has_missing + 1

    @property
    def _places(self) -> dict[str | None, int]:
        places: dict[str | None, int] = {level: place for place, level in enumerate(self.known)}
        return {**places, None: len(self.known)} if self.has_missing else places

    def codes(self, cells: Cells) -> NDArray:
        """Place of the indicator of each cell."""
        other, places = self.width - 1, self._places
        return np.array([places.get(value, other) for value in cells.values.tolist()], dtype=int)

    def place(self, cells: Cells) -> NDArray:
        """Indicators of cells, shape (n_rows, width)."""
        indicators = np.zeros((len(cells.values), self.width))
        indicators[np.arange(len(indicators)), self.codes(cells)] = _PLACE
        return indicators

    def grid(self) -> tuple[NDArray, NDArray]:
        """Names of the levels that training had, and their placed points."""
        occurs = self.probabilities > 0
        return np.array(self.levels)[occurs], (_PLACE * np.eye(self.width))[occurs]

    @property
    def measure(self) -> tuple[NDArray, NDArray]:
        """Indicators of every level, and their probabilities."""
        return _PLACE * np.eye(self.width), self.probabilities

    def unfamiliar(self, cells: Cells) -> str | None:
        """What new cells have that training did not, or None; levels that were pooled are not told apart."""
        values = set(cells.values.tolist())
        if None in values and not self.has_missing:
            return "missing entries, of which training had none; they count as an unseen level"
        if self.n_levels == len(self.known) and values - set(self.known) - {None}:
            first = sorted(values - set(self.known) - {None})[:3]
            return f"levels that training did not have: {', '.join(map(repr, first))}"
        return None

    @property
    def missing_share(self) -> float:
        """Share of the training entries that are missing."""
        return float(self.probabilities[len(self.known)]) if self.has_missing else 0.0

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the indicators in order."""
        return (*self.known, *(("missing",) if self.has_missing else ()), "rare or unseen")
