"""Columns of numbers and dates: a transformed value, and an indicator of missing entries if there are any."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cells import Cells
from .transforms import Transform

# Quantiles that stand for the distribution of a column in averages over it; set by hand.
_N_QUANTILES = 24
# Points of the curve of an effect; set by hand.
_N_GRID = 100
# Distance between missing and the mean of the column, in standard deviations; set by hand: kernels with
# scales and effects by evidence need no other.
_MISSING_PLACE = 1.0


@dataclass(frozen=True, eq=False)
class Number:
    """Numbers of a column as placed values.

    A missing entry is a level of its own: its value is placed at the mean and its indicator is one, so that a
    kernel learns its effect. A column without missing entries in training has no indicator.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : str
        NUMBER or DATE.
    transform : Transform
        Map of the numbers to placed values.
    missing_share : float
        Share of the training entries that are missing.
    quantiles : ndarray of shape (n_quantiles,)
        Placed values of equal weight that stand for the training entries.
    """

    name: str
    kind: str
    transform: Transform
    missing_share: float
    quantiles: NDArray

    is_category = False

    @classmethod
    def of(cls, cells: Cells, weights: NDArray, transform: str) -> "Number":
        """Column learned from training cells, at least one of which is not missing."""
        present = ~cells.missing & (weights > 0)
        numbers, kept = cells.values[present], weights[present]
        maker = Transform.plain if transform == "plain" else Transform.rank_normal
        learned = maker(numbers, kept)
        share = 1 - float(kept.sum() / weights.sum())
        levels = (np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES
        quantiles = np.quantile(learned(numbers), levels, weights=kept, method="inverted_cdf")
        return cls(cells.name, cells.kind, learned, max(share, 0.0), quantiles)

    @property
    def width(self) -> int:
        """Number of placed columns."""
        return 1 + (self.missing_share > 0)

    def place(self, cells: Cells) -> NDArray:
        """Placed values of cells, shape (n_rows, width)."""
        missing = cells.missing
        value = np.where(missing, 0.0, self.transform(np.where(missing, 0.0, cells.values)))
        return value[:, None] if self.width == 1 else np.column_stack([value, _MISSING_PLACE * missing])

    def grid(self) -> tuple[NDArray, NDArray]:
        """Numbers over the range of the training entries, and placed points, last that of a missing one."""
        values = np.linspace(self.quantiles[0], self.quantiles[-1], _N_GRID)
        points = values[:, None]
        if self.width == 2:
            points = np.vstack([np.column_stack([values, np.zeros(_N_GRID)]), [0.0, _MISSING_PLACE]])
        return self.transform.inverse(values), points

    @property
    def measure(self) -> tuple[NDArray, NDArray]:
        """Placed points that stand for the training entries, and their probabilities."""
        share = np.full(len(self.quantiles), (1 - self.missing_share) / len(self.quantiles))
        if self.width == 1:
            return self.quantiles[:, None], share
        points = np.column_stack([self.quantiles, np.zeros(len(share))])
        return np.vstack([points, [0.0, _MISSING_PLACE]]), np.append(share, self.missing_share)

    def unfamiliar(self, cells: Cells) -> str | None:
        """What new cells have that training did not, or None."""
        if self.width == 1 and cells.missing.any():
            return "missing entries, of which training had none; they are placed at its mean"
        return None

    @property
    def levels(self) -> tuple[str, ...]:
        """A number has no levels."""
        return ()
