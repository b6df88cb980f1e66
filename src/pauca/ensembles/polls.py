"""Asking the members of an ensemble, row by row only as many as it takes."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs
from scipy.special import stdtr, stdtrit

from .voting import thresholds_of

# Features of a block of rows stay in the cache while it passes through one tree after another.
_BLOCK_BYTES = 1 << 19
_ROWS_PER_THREAD = 512
# Student's t is tabulated up to this many standard errors.
_FARTHEST = 32
# Averages are not judged before this many members.
_EARLIEST = 6


class Tally:
    """What was counted for each row: sums of votes or shares, sums of their squares, members asked."""

    totals: np.ndarray
    squares: np.ndarray
    queries: np.ndarray

    def put(self, part, other):
        """Take over the counts of another tally for some of the rows."""
        for mine, theirs in (
            (self.totals, other.totals),
            (self.squares, other.squares),
            (self.queries, other.queries),
        ):
            mine[part] = theirs


class VoteTally(Tally):
    """Votes of the rows of one poll, decided by the critical counts of the Polya urn (3.30)."""

    def __init__(self, n_rows, n_members, confidence, n_classes):
        self.thresholds = thresholds_of(n_members, confidence, n_classes).reshape(n_members + 1, -1)
        self.totals = self.squares = np.zeros((n_rows, n_classes), dtype=np.int32)
        self.standing = np.zeros((n_rows, 3), dtype=np.int32)
        self.queries = np.zeros(n_rows, dtype=np.int32)

    def ask(self, member, X, asked, rows):
        """Count a member's votes on the undecided rows, which ``rows`` lists and ``X`` holds."""
        from .polling import count_votes

        labels = member.labels(X).astype(np.int32)
        return count_votes(
            labels, asked, rows, len(rows), self.thresholds, self.totals, self.standing, self.queries
        )

    def walk(self, forest, X, part):
        """Poll a flat forest for some of the rows."""
        from .polling import poll_votes

        poll_votes(
            *(forest.nodes, forest.right_if_missing, forest.roots, X[part], bool(np.isnan(X[part]).any())),
            *(_block(X), self.thresholds, self.totals[part], self.queries[part]),
        )

    def shortcut(self, forest):
        """The compiled poll of a single row, and its arguments after the row."""
        from .polling import poll_row_votes

        return poll_row_votes, (forest.nodes, forest.roots, self.thresholds, self.totals.shape[1])


class MeanTally(Tally):
    """Summed class shares of the rows of one poll; the lead over each rival is judged by Student's t."""

    def __init__(self, n_rows, n_members, confidence, n_classes):
        self.rule = _student(n_members, confidence)
        self.totals, self.squares = np.zeros((2, n_rows, n_classes))
        self.queries = np.zeros(n_rows, dtype=np.int32)

    def ask(self, member, X, asked, rows):
        """Count a member's shares of the undecided rows, which ``rows`` lists and ``X`` holds."""
        from .polling import count_shares

        shares, labels = member.shares(X, self.totals.shape[1]), np.arange(len(rows), dtype=np.int32)
        return count_shares(
            *(labels, shares, asked, rows, len(rows), *self.rule),
            *(self.totals, self.squares, self.queries),
        )

    def walk(self, forest, X, part):
        """Poll a flat forest for some of the rows."""
        from .polling import poll_shares

        poll_shares(
            *(forest.nodes, forest.right_if_missing, forest.roots, forest.shares, X[part]),
            *(bool(np.isnan(X[part]).any()), _block(X), *self.rule),
            *(self.totals[part], self.squares[part], self.queries[part]),
        )

    def shortcut(self, forest):
        """The compiled poll of a single row, and its arguments after the row."""
        from .polling import poll_row_shares

        return poll_row_shares, (forest.nodes, forest.roots, forest.shares, *self.rule)


def poll_members(tally, members, X):
    """Ask one member after another about the rows that are not decided yet."""
    rows, X_left = np.arange(X.shape[0]), X
    for asked, member in enumerate(members, start=1):
        n_left = tally.ask(member, X_left, asked, rows)
        if n_left < len(rows):
            rows = rows[:n_left]
            X_left = X[rows]
        if n_left == 0:
            break
    return tally


def poll_forest(tally, forest, X, n_jobs=None):
    """Send rows through the trees of a flat forest, in threads of at least a few hundred rows."""
    n_rows = X.shape[0]
    n_threads = min(effective_n_jobs(n_jobs), max(1, n_rows // _ROWS_PER_THREAD))
    if n_threads == 1:
        tally.walk(forest, X, slice(None))
        return tally
    edges = np.linspace(0, n_rows, n_threads + 1).astype(int)
    with ThreadPoolExecutor(n_threads) as pool:
        parts = [slice(*pair) for pair in pairwise(edges)]
        list(pool.map(lambda part: tally.walk(forest, X, part), parts))
    return tally


def _block(X):
    """Rows of a block."""
    return max(64, _BLOCK_BYTES // max(1, X[:1].nbytes))


@cache
def _student(n_members, confidence):
    """Squared critical values of t by members asked, P(t > x) for x in steps of 1 / STEPS, and the risk."""
    from .polling import STEPS

    freedom = np.maximum(np.arange(n_members + 1) - 1, 1)
    critical = stdtrit(freedom, confidence) ** 2 if confidence < 1 else np.full(n_members + 1, np.inf)
    critical[:_EARLIEST] = np.inf
    tails = stdtr(freedom[:, None], -np.arange(_FARTHEST * STEPS + 1) / STEPS)
    return critical, tails, 1.0 - confidence
