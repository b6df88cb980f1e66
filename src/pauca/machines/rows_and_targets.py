"""What a search is given: rows, targets, and how their machines are made."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..learn import Recipe
from .contests import contest_of
from .labels import signs_of


@dataclass(frozen=True)
class RowsAndTargets:
    """The columns of some rows and a target for each machine.

    ``basis_at(gamma, scales)`` gives the columns; those of machines with signs are multiplied by the labels
    of their centres. At most ``max_candidates`` may be kept, drawn with ``seed`` where there are more.
    ``varies`` names the features that may have scales, and ``report`` is told of every trial.
    """

    basis_at: Callable
    targets: list
    weights: np.ndarray
    recipe: Recipe
    has_signs: bool
    varies: np.ndarray
    seed: int
    max_candidates: int | None
    report: Callable

    @property
    def contest(self):
        """Whose weights are inferred together."""
        return contest_of(self.targets, self.weights, self.recipe)

    def signed(self, columns, target):
        """A basis or pool of candidates with the signs that one machine sees."""
        basis = getattr(columns, "basis", columns)
        return columns.signed(signs_of(basis, target)) if self.has_signs else columns
