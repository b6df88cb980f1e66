"""Partial sums of votes or probabilities, and the evaluation of members until every row is decided."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from .flat_forest import FlatForest
from .rules import student_rule, thresholds_of

# Bytes of features in a block of rows, so that the block stays in the processor's cache while it passes
# through one tree after another, and least rows of a block. Set by hand, not tuned.
_BLOCK_BYTES = 1 << 19
_MIN_BLOCK_ROWS = 64
# Least rows for each thread. Set by hand, not tuned.
_ROWS_PER_THREAD = 512


class Tally(ABC):
    """Partial sums of each row: votes or probabilities, their squares, and the members evaluated."""

    totals: NDArray
    squares: NDArray
    queries: NDArray[np.int32]

    @abstractmethod
    def add(self, answers: NDArray, n_evaluated: int, rows: NDArray) -> int:
        """Add the answers of one more member on the undecided ``rows``; the number of rows left undecided."""

    @abstractmethod
    def traverse(self, forest: FlatForest, X: NDArray, part: slice) -> None:
        """Evaluate a flat forest on some of the rows."""

    @abstractmethod
    def single_row(self, forest: FlatForest) -> tuple[Callable, tuple]:
        """Compiled evaluation of a single row, and its arguments after the row."""

    def put(self, part: slice, other: "Tally") -> None:
        """Copy the sums of another tally into some of the rows."""
        for mine, theirs in (
            (self.totals, other.totals),
            (self.squares, other.squares),
            (self.queries, other.queries),
        ):
            mine[part] = theirs


class VoteTally(Tally):
    """Votes, decided by the critical counts of the Polya urn (3.30)."""

    def __init__(self, n_rows: int, n_members: int, confidence: float, n_classes: int):
        self.thresholds = thresholds_of(n_members, confidence, n_classes).reshape(n_members + 1, -1)
        self.totals = self.squares = np.zeros((n_rows, n_classes), dtype=np.int32)
        self.standing = np.zeros((n_rows, 3), dtype=np.int32)
        self.queries = np.zeros(n_rows, dtype=np.int32)

    def add(self, answers: NDArray, n_evaluated: int, rows: NDArray) -> int:
        """Add a member's votes on the undecided ``rows``; the number of rows left undecided."""
        from .compiled_votes import add_votes  # imports numba

        labels = answers.astype(np.int32)
        return add_votes(
            *(labels, n_evaluated, rows, len(rows)),
            *(self.thresholds, self.totals, self.standing, self.queries),
        )

    def traverse(self, forest: FlatForest, X: NDArray, part: slice) -> None:
        """Evaluate a flat forest on some of the rows."""
        from .compiled_votes import evaluate_by_votes  # imports numba

        evaluate_by_votes(
            *(forest.nodes, forest.right_if_missing, forest.roots, X[part], bool(np.isnan(X[part]).any())),
            *(block_of(X), self.thresholds, self.totals[part], self.queries[part]),
        )

    def single_row(self, forest: FlatForest) -> tuple[Callable, tuple]:
        """Compiled evaluation of a single row, and its arguments after the row."""
        from .compiled_votes import evaluate_row_by_votes  # imports numba

        return evaluate_row_by_votes, (forest.nodes, forest.roots, self.thresholds, self.totals.shape[1])


class MeanTally(Tally):
    """Summed class probabilities, decided by Student's t of the lead over each rival."""

    def __init__(self, n_rows: int, n_members: int, confidence: float, n_classes: int):
        self.rule = student_rule(n_members, confidence)
        self.totals, self.squares = np.zeros((2, n_rows, n_classes))
        self.queries = np.zeros(n_rows, dtype=np.int32)

    def add(self, answers: NDArray, n_evaluated: int, rows: NDArray) -> int:
        """Add a member's probabilities on the undecided ``rows``; the number of rows left undecided."""
        from .compiled_votes import add_probabilities  # imports numba

        labels = np.arange(len(rows), dtype=np.int32)
        return add_probabilities(
            *(labels, answers, n_evaluated, rows, len(rows)),
            *(self.rule, self.totals, self.squares, self.queries),
        )

    def traverse(self, forest: FlatForest, X: NDArray, part: slice) -> None:
        """Evaluate a flat forest on some of the rows."""
        from .compiled_votes import evaluate_by_means  # imports numba

        evaluate_by_means(
            *(forest.nodes, forest.right_if_missing, forest.roots, forest.probabilities, X[part]),
            *(bool(np.isnan(X[part]).any()), block_of(X), self.rule),
            *(self.totals[part], self.squares[part], self.queries[part]),
        )

    def single_row(self, forest: FlatForest) -> tuple[Callable, tuple]:
        """Compiled evaluation of a single row, and its arguments after the row."""
        from .compiled_votes import evaluate_row_by_means  # imports numba

        return evaluate_row_by_means, (forest.nodes, forest.roots, forest.probabilities, *self.rule)


def evaluate_members(tally: Tally, members: Iterable[Callable[[Any], NDArray]], X: Any) -> Tally:
    """Evaluate one member after another on the rows that are not decided yet.

    A member is a function from rows to the answers that the tally adds: labels or probabilities.
    """
    rows, X_left = np.arange(X.shape[0]), X
    for n_evaluated, member in enumerate(members, start=1):
        n_left = tally.add(member(X_left), n_evaluated, rows)
        if n_left < len(rows):
            rows = rows[:n_left]
            X_left = X[rows]
        if n_left == 0:
            break
    return tally


def evaluate_forest(tally: Tally, forest: FlatForest, X: NDArray, n_jobs: int | None = None) -> Tally:
    """Send rows through the trees of a flat forest, in threads of at least a few hundred rows."""
    n_rows = X.shape[0]
    n_threads = min(effective_n_jobs(n_jobs), max(1, n_rows // _ROWS_PER_THREAD))
    if n_threads == 1:
        tally.traverse(forest, X, slice(None))
        return tally
    edges = np.linspace(0, n_rows, n_threads + 1).astype(int)
    with ThreadPoolExecutor(n_threads) as pool:
        parts = [slice(*pair) for pair in pairwise(edges)]
        list(pool.map(lambda part: tally.traverse(forest, X, part), parts))
    return tally


def posterior_shares(tally: Tally, n_members: int) -> tuple[NDArray, NDArray]:
    """Posterior mean and standard deviation of the shares of the whole ensemble, given the partial sums.

    Answers to come are draws from a Polya urn with one ball for each answer seen and one for each class
    (3.29).
    """
    totals, squares, seen = tally.totals, tally.squares, tally.queries[:, None]
    left, balls = n_members - seen, seen + totals.shape[1]
    mean = (totals + 1) / balls
    variance = np.maximum((squares + 1) / balls - mean**2, 0)
    std = np.sqrt(left * variance * (left + balls) / (balls + 1)) / n_members
    return (totals + left * mean) / n_members, std


def block_of(X):
    """Number of rows of a block."""
    return max(_MIN_BLOCK_ROWS, _BLOCK_BYTES // max(1, X[:1].nbytes))
