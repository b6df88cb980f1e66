"""Training rows as the search wants them: distinct, in an order of their own, with weights."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class TrainingRows:
    """Distinct rows (x, y) with summed weights, in order of their distance from the mean.

    ``rows`` names the first of the user's rows behind each, ``centres`` the first of each distinct x, and
    ``owners`` the row without which that x would not be there (-1 where x comes with several y).
    A repeated row and a weight mean the same; the order of the rows and of the features means nothing.
    ``places`` says where each of the user's rows went (-1: it has no weight).
    """

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    rows: np.ndarray
    centres: np.ndarray
    owners: np.ndarray
    places: np.ndarray | None = None

    def sample(self, size, rng):
        """A random part of the rows, with their own centres."""
        part = np.sort(rng.choice(len(self.y), size, replace=False))
        place = np.full(len(self.y), -1)
        place[part] = np.arange(size)
        present = place[self.centres] >= 0
        centres, owners = place[self.centres[present]], self.owners[present]
        owners = np.where(owners >= 0, centres, -1)
        return TrainingRows(self.X[part], self.y[part], self.weights[part], self.rows[part], centres, owners)

    def labelled(self):
        """The same rows, each of them the centre of a column that carries its label."""
        each = np.arange(len(self.y))
        return replace(self, centres=each, owners=each)


def training_rows(X, y, weights, *, merge=True):
    """Rows of positive weight, repeated ones merged (``merge=False``: kept as they are)."""
    rows = np.flatnonzero(weights > 0)
    places = np.full(len(weights), -1)
    if not merge:
        places[rows] = each = np.arange(len(rows))
        return TrainingRows(X[rows], y[rows], weights[rows], rows, each, each, places)
    X, y, weights = X[rows], y[rows], weights[rows]
    x_id = _identity(_sparse_keys(X) if sparse.issparse(X) else X)
    y_id = np.unique(y, return_inverse=True)[1]
    _, first, inverse = np.unique(
        np.column_stack([x_id, y_id]), axis=0, return_index=True, return_inverse=True
    )
    weights = np.bincount(inverse.ravel(), weights)
    order = np.lexsort((y_id[first], x_id[first], _distance_from_mean(X[first])))
    kept = first[order]
    places[rows] = np.argsort(order)[inverse.ravel()]
    _, centres, counts = np.unique(x_id[kept], return_index=True, return_counts=True)
    by_place = np.argsort(centres)
    centres, counts = centres[by_place], counts[by_place]
    owners = np.where(counts == 1, centres, -1)
    return TrainingRows(X[kept], y[kept], weights[order], rows[kept], centres, owners, places)


def _distance_from_mean(X):
    """Squared distance of each row from the mean, rounded: an order that no order of features changes."""
    mean = np.asarray(X.mean(axis=0)).ravel()
    if sparse.issparse(X):
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() - 2 * (X @ mean) + mean @ mean
    else:
        squares = np.square(X - mean).sum(axis=1)
    return np.round(squares / max(squares.max(), np.finfo(float).tiny), 9)


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
