"""Partial sums of numbers, and members of regressors in the order in which they are evaluated."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from ..members import Members, members_of
from .flat_forest import FlatForest, flatten_values
from .tally import Tally, block_of, evaluate_forest, evaluate_members


class ValueTally(Tally):
    """Summed numbers and squares, decided by the half width of an interval for the mean of all members."""

    def __init__(self, n_rows: int, rule: tuple):
        self.rule = rule
        self.totals, self.squares = np.zeros((2, n_rows, len(rule[-1])))
        self.queries = np.zeros(n_rows, dtype=np.int32)

    def add(self, answers: NDArray, n_evaluated: int, rows: NDArray) -> int:
        """Add a member's numbers on the undecided ``rows``; the number of rows left undecided."""
        from .compiled_values import add_values  # imports numba

        labels = np.arange(len(rows), dtype=np.int32)
        return add_values(
            *(labels, answers, n_evaluated, rows, len(rows)),
            *(self.rule, self.totals, self.squares, self.queries),
        )

    def traverse(self, forest: FlatForest, X: NDArray, part: slice) -> None:
        """Evaluate a flat forest on some of the rows."""
        from .compiled_values import evaluate_values  # imports numba

        evaluate_values(
            *(forest.nodes, forest.right_if_missing, forest.roots, forest.probabilities, X[part]),
            *(bool(np.isnan(X[part]).any()), block_of(X), self.rule),
            *(self.totals[part], self.squares[part], self.queries[part]),
        )

    def single_row(self, forest: FlatForest) -> tuple[Callable, tuple]:
        """Compiled evaluation of a single row, and its first arguments after the row."""
        from .compiled_values import evaluate_row_values  # imports numba

        return evaluate_row_values, (forest.nodes, forest.roots, forest.probabilities)


@dataclass(frozen=True)
class Regressors:
    """Members of a fitted ensemble of regressors in the order in which they are evaluated.

    ``shift`` is taken from every member's numbers and added to their mean; ``low`` and ``high`` bound the
    numbers of all members, where those are trees.
    """

    ensemble: Any
    members: Members
    forest: FlatForest | None
    shift: NDArray
    ranges: NDArray | None

    def check_X(self, X: Any) -> Any:
        """X checked against the ensemble: in single precision for trees, unchanged for other members."""
        options: dict = {"accept_sparse": ["csr", "csc"], "dtype": None, "ensure_all_finite": False}
        if self.forest is not None:
            finite = "allow-nan" if get_tags(self.ensemble).input_tags.allow_nan else True
            options = {"dtype": np.float32, "ensure_all_finite": finite}
        return validate_data(self.ensemble, X, reset=False, **options)

    def evaluate(self, X: Any, rule: tuple, n_jobs: int | None) -> tuple[NDArray, NDArray]:
        """Means of checked rows, shape (n_rows, n_outputs), and the members evaluated."""
        tally = self._tally(X, rule, n_jobs)
        return tally.totals / tally.queries[:, None] + self.shift, tally.queries

    def scatter(self, X: Any, n_jobs: int | None) -> NDArray:
        """Standard deviation of all members about their mean at checked rows, shape (n_rows, n_outputs)."""
        spread = np.full(len(self.members) + 1, np.inf)
        nothing = np.zeros(len(self.shift))
        tally = self._tally(X, (spread, np.zeros(len(spread)), nothing, nothing), n_jobs)
        mean = tally.totals / len(self.members)
        return np.sqrt(np.maximum(tally.squares / len(self.members) - np.square(mean), 0.0))

    def _tally(self, X, rule, n_jobs):
        """Partial sums of checked rows when their means are known."""
        tally = ValueTally(X.shape[0], rule)
        if self.forest is not None:
            evaluate_forest(tally, self.forest, np.ascontiguousarray(X), n_jobs)
        else:
            evaluate_members(tally, [self._answer(member) for member in self.members], X)
        return tally

    def _answer(self, member):
        """Function from rows to a member's numbers, less the shift, with a column for each output."""
        n_outputs = len(self.shift)
        return lambda X: np.reshape(member.predict(X), (-1, n_outputs)).astype(float) - self.shift


def regressors_of(ensemble: Any, order: NDArray, n_outputs: int) -> Regressors:
    """Members of a fitted ensemble of regressors in the given order."""
    members = members_of(ensemble).subset(order)
    if not members.are_trees:
        return Regressors(ensemble, members, None, np.zeros(n_outputs), None)
    forest, shift = flatten_values(members)
    return Regressors(ensemble, members, forest, shift, np.ptp(forest.probabilities, axis=0))
