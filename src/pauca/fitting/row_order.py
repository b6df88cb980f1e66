"""Numbers that tell rows apart by their content alone, whatever the order of rows and columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Odd constants of the finaliser of SplitMix64 (Steele, Lea & Flood, Fast splittable pseudorandom number
# generators, OOPSLA 2014).
_STEP, _FIRST, _SECOND = (np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
# Rounds in which columns are told apart by their rows and rows by their columns. Set by hand: two separate
# columns of equal marginals.
_ROUNDS = 2
# Digits of weights that count, which are sums; numerical guard.
_DIGITS = 9


def content_keys(X: Any, y: NDArray, weights: NDArray) -> NDArray[np.uint64]:
    """Key of each row that no order of the rows or columns changes, nor the units of the columns.

    A column is known by the ranks of its entries and the targets and weights beside them, a row by its
    entries in columns that are known in this way; then columns by their rows once more. Sums of 64-bit hashes
    commute exactly. Targets in reverse order, such as swapped classes, give the same keys.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Distinct rows.
    y : ndarray of shape (n_rows,)
        Targets or class codes.
    weights : ndarray of shape (n_rows,)
        Weights of the rows, of which the ranks count.

    Returns
    -------
    keys : ndarray of shape (n_rows,)
        Equal for equal rows.
    """
    columns = _columns(X)
    codes = np.unique(y, return_inverse=True)[1].astype(np.uint64)
    heaviness = np.unique(np.round(weights / weights.max(initial=0), _DIGITS), return_inverse=True)[1]
    heavy = _mixed(heaviness.astype(np.uint64))
    ways = [heavy ^ _mixed(codes), heavy ^ _mixed(codes.max(initial=0) - codes)]
    totals = [[_total(way, each) for each in columns] for way in ways]
    names = np.bitwise_xor(*(_mixed(np.array(each, dtype=np.uint64)) for each in totals))
    keys = np.zeros(len(y), dtype=np.uint64)
    for _ in range(_ROUNDS):
        keys[:] = 0
        for name, (rows, ranks) in zip(names, columns, strict=True):
            keys[rows] += _mixed(name ^ ranks)
        keys = _mixed(keys)
        names = _mixed(np.array([_total(keys, each) for each in columns], dtype=np.uint64))
    return keys


def _columns(X: Any) -> list[tuple[NDArray, NDArray]]:
    """Rows of the entries of each column other than zero, and mixed ranks of these."""
    if not sparse.issparse(X):
        entries = ((np.flatnonzero(column), column[column != 0]) for column in X.T)
    else:
        held = sparse.csc_matrix(X, copy=True)
        held.sum_duplicates()
        held.eliminate_zeros()
        parts = [slice(a, b) for a, b in zip(held.indptr[:-1], held.indptr[1:], strict=True)]
        entries = ((held.indices[part], held.data[part]) for part in parts)
    ranked = ((rows, np.unique(values, return_inverse=True)[1].ravel()) for rows, values in entries)
    return [(rows, _mixed(ranks.astype(np.uint64))) for rows, ranks in ranked]


def _total(keys: NDArray, column: tuple[NDArray, NDArray]) -> np.uint64:
    """Sum over the entries of a column of a hash of the row and the rank."""
    rows, ranks = column
    return _mixed(keys[rows] ^ ranks).sum(dtype=np.uint64)


def _mixed(numbers: NDArray) -> NDArray:
    """Well-mixed 64-bit hashes of whole numbers."""
    with np.errstate(over="ignore"):
        z = np.asarray(numbers, dtype=np.uint64) + _STEP
        z = (z ^ (z >> np.uint64(30))) * _FIRST
        z = (z ^ (z >> np.uint64(27))) * _SECOND
        return z ^ (z >> np.uint64(31))
