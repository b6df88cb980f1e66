"""Shortlists of candidate columns: novelty, similarity and thresholds shared by all forward selections."""

import numpy as np
from numpy.typing import NDArray

# A column whose part outside the span of the model has a smaller share of its squared length adds only
# rounding errors; numerical guard.
NOVELTY = 1e-6
# Columns that enter in the same round have at least this share of the best gain; set by hand, not tuned.
SHARE_OF_BEST = 0.3
# Limit on the number of columns that enter in one round; set by hand, not tuned.
MAX_ENTERING = 10
# Candidates that are examined for every column that may enter; set by hand, not tuned.
_EXAMINED = 4
# Largest absolute correlation between columns that enter in the same round (FINDINGS, section 3).
_MAX_CORRELATION = 0.7
# Standardised columns with a larger correlation count as one and the same; numerical guard.
_SAME = 1 - 1e-7


def shortlist(scores: NDArray, limit: int) -> NDArray:
    """Indices of the candidates with the largest scores, best first, four for each of ``limit`` entries."""
    return np.argsort(-scores, kind="stable")[: _EXAMINED * limit]


def entry_threshold(gains: NDArray, min_gain: float) -> float:
    """Gain in nats that a candidate must exceed to enter: ``min_gain`` or a share of the best gain."""
    return max(min_gain, SHARE_OF_BEST * gains.max(initial=0.0))


def _unit(columns):
    """Columns of mean square one, but for those that are zero."""
    mean_squares = np.square(columns).mean(axis=0) if len(columns) else np.ones(columns.shape[1])
    return columns / np.sqrt(np.where(mean_squares > 0, mean_squares, 1.0))


def novel(columns: NDArray, known: NDArray) -> NDArray:
    """Indices of the columns, in order, that repeat neither a known column nor an earlier one.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        Columns, standardised but for their lengths.
    known : ndarray of shape (n_rows, n_known)
        Columns that may not be repeated.

    Returns
    -------
    indices : ndarray of int
    """
    n_rows, n_known = known.shape
    everything = _unit(np.hstack([known, columns]))
    same = np.abs(everything.T @ everything) > n_rows * _SAME
    repeats = np.triu(same, 1).any(axis=0)[n_known:]
    return np.flatnonzero(~repeats & (np.square(columns).sum(axis=0) > 0))


def dissimilar(columns: NDArray, limit: int) -> list[int]:
    """Indices of columns, in order, whose mutual absolute correlations stay below 0.7.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        Columns, standardised but for their lengths, best first.
    limit : int
        Largest number of indices.

    Returns
    -------
    indices : list of int
    """
    columns = _unit(columns)
    correlation = np.abs(columns.T @ columns) / len(columns)
    kept: list[int] = []
    for j in range(len(correlation)):
        if len(kept) < limit and correlation[j, kept].max(initial=0.0) < _MAX_CORRELATION:
            kept.append(j)
    return kept
