"""Training rows as the search wants them: distinct, sorted, with weights."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class TrainingRows:
    """Distinct rows (x, y) with summed weights.

    ``rows`` names the first of the user's rows behind each, ``centres`` the first of each distinct x.
    A repeated row and a weight mean the same, and the order in which rows were given means nothing.
    """

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    rows: np.ndarray
    centres: np.ndarray


def training_rows(X, y, weights, *, merge=True):
    """Rows of positive weight, repeated ones merged (``merge=False``: kept as they are)."""
    rows = np.flatnonzero(weights > 0)
    if not merge:
        return TrainingRows(X[rows], y[rows], weights[rows], rows, np.arange(len(rows)))
    kept_X, kept_y = X[rows], y[rows]
    keys = _sparse_keys(kept_X) if sparse.issparse(kept_X) else kept_X
    x_id = _identity(keys)
    _, first, inverse = np.unique(
        np.column_stack([x_id, np.unique(kept_y, return_inverse=True)[1]]),
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    merged = np.bincount(inverse.ravel(), weights[rows])
    centres = np.unique(x_id[first], return_index=True)[1]
    return TrainingRows(kept_X[first], kept_y[first], merged, rows[first], centres)


def _identity(keys):
    """An integer for each row: equal rows, equal integers, in the sort order of the rows."""
    axis = 0 if keys.ndim == 2 else None
    return np.unique(keys, axis=axis, return_inverse=True)[1].ravel()


def _sparse_keys(X):
    """The stored entries of each row of a CSR matrix as bytes."""
    X = sparse.csr_matrix(X, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    bounds = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return np.array([X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in bounds], dtype=object)
