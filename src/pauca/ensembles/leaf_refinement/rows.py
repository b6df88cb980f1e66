"""Rows by which leaves are refined, and the averages of the trees that were not trained on each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..members import Members


@dataclass(frozen=True)
class RefinementRows:
    """Training rows and their targets: a column for each output, or ones at the classes.

    ``known`` masks the rows (columns) that were not used for each tree (row); None if all count.
    """

    X: NDArray
    targets: NDArray
    weights: NDArray
    known: NDArray | None

    def counted(self, members: Members) -> NDArray:
        """Share of each tree (row) in the average at each row (column), zero where it does not count."""
        known = np.ones((len(members), len(self.X)), bool) if self.known is None else self.known
        shares = members.shares[:, None] * known
        total = shares.sum(axis=0)
        return np.divide(shares, total, out=np.zeros(shares.shape), where=total > 0)

    def usable(self, members: Members) -> NDArray:
        """Indices of the rows at which some tree counts."""
        return np.flatnonzero(self.counted(members).any(axis=0))

    def averages(self, members: Members, numbers: list[NDArray], leaves: list[NDArray]) -> NDArray:
        """Averages over the trees that count at each row, zero where none does."""
        total = np.zeros_like(self.targets, dtype=float)
        for share, values, leaf in zip(self.counted(members), numbers, leaves, strict=True):
            total += share[:, None] * values[leaf]
        return total
