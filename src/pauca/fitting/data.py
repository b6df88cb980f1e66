"""Training data: distinct rows with summed weights, in an order that does not depend on the user's.

A repeated row and a weight mean the same to every machine, and the order of the rows and features means
nothing.
"""

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .row_order import content_keys

# Columns of a wide table that are standardised at a time, so that no temporary is as large as X.
_BLOCK = 1024


@dataclass(frozen=True)
class TrainingRows:
    """Distinct rows (x, y) with summed weights, in order of their distance from the mean.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Distinct rows.
    y : ndarray of shape (n_rows,)
        Targets or class codes.
    weights : ndarray of shape (n_rows,)
        Summed weights; after `grouped` of shape (n_rows, n_classes), those of the labels of each class.
    rows : ndarray of int
        First of the user's rows behind each row.
    centres : ndarray of int
        First row of each distinct x.
    owners : ndarray of int
        Row without which that x would not be there, -1 where x comes with several y.
    places : ndarray of int or None
        Place of each of the user's rows, -1 where its weight is zero.
    """

    X: Any
    y: NDArray
    weights: NDArray
    rows: NDArray
    centres: NDArray
    owners: NDArray
    places: NDArray | None = None

    def sample(self, size: int, rng: np.random.Generator) -> "TrainingRows":
        """A random part of the rows, with their own centres."""
        part = np.sort(rng.choice(len(self.y), size, replace=False))
        place = np.full(len(self.y), -1)
        place[part] = np.arange(size)
        present = place[self.centres] >= 0
        centres, owners = place[self.centres[present]], self.owners[present]
        owners = np.where(owners >= 0, centres, -1)
        return TrainingRows(self.X[part], self.y[part], self.weights[part], self.rows[part], centres, owners)

    def grouped(self, n_classes: int) -> "TrainingRows":
        """Distinct x, each with the weight of every class and the class of the largest one."""
        group = np.searchsorted(self.centres, np.arange(len(self.y)), side="right") - 1
        weights = np.zeros((len(self.centres), n_classes))
        np.add.at(weights, (group, self.y), self.weights)
        first, each = self.centres, np.arange(len(self.centres))
        places = None if self.places is None else np.where(self.places < 0, -1, group[self.places])
        return TrainingRows(
            self.X[first], weights.argmax(axis=1), weights, self.rows[first], each, each, places
        )

    def labelled(self) -> "TrainingRows":
        """Rows that are each the centre of a column with their label."""
        each = np.arange(len(self.y))
        return replace(self, centres=each, owners=each)


def training_rows(X: Any, y: NDArray, weights: NDArray, *, merge: bool = True) -> TrainingRows:
    """Rows of positive weight, repeated ones merged.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The user's rows.
    y : ndarray of shape (n_samples,)
        Targets or class codes.
    weights : ndarray of shape (n_samples,)
        Weights of the rows.
    merge : bool
        Whether repeated rows are merged.
    """
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
    distance = _distance_from_mean(X[first])
    tied = len(np.unique(distance)) < x_id[first].max(initial=-1) + 1
    keys = content_keys(X[first], y[first], weights) if tied else np.zeros(len(first))
    order = np.lexsort((y_id[first], x_id[first], keys, distance))
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
        squares = np.maximum(squares, 0.0)
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


def varying_features(X: Any) -> NDArray:
    """Boolean mask of the features that have more than one value."""
    if sparse.issparse(X):
        return (X.max(axis=0) - X.min(axis=0)).toarray().ravel() > 0
    return np.ptp(X, axis=0) > 0


@dataclass(frozen=True)
class Standards:
    """Centre and scale of the features; constant ones have scale one."""

    centre: NDArray
    scale: NDArray

    def part(self, block: slice) -> "Standards":
        """Centre and scale of a block of the features."""
        return Standards(self.centre[block], self.scale[block])

    def apply(self, X: NDArray) -> NDArray:
        """Standardised rows in double precision."""
        return (X - self.centre) / self.scale


@dataclass(frozen=True)
class WideRows:
    """Distinct rows (1, x) of a table with many features, with targets, weights and standards."""

    X: NDArray
    y: NDArray
    weights: NDArray
    standards: Standards


def wide_rows(X: NDArray, y: NDArray, weights: NDArray, standardize: bool = True) -> WideRows:
    """Distinct rows of positive weight, standardised, with a leading column of ones; X is copied once.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The user's rows.
    y : ndarray of shape (n_samples,)
        Targets or class codes.
    weights : ndarray of shape (n_samples,)
        Weights of the rows.
    standardize : bool
        Whether features get mean zero and variance one.
    """
    names, rows, weights = _distinct(X, y, weights)
    standards, lengths = _standards(X, rows, weights, standardize)
    tied = len(set(zip(lengths, y[rows], strict=True))) < len(rows)
    keys = content_keys(X[rows], y[rows], weights) if tied else lengths
    order = sorted(range(len(rows)), key=lambda i: (lengths[i], y[rows[i]], keys[i], names[i]))
    rows, weights = rows[order], weights[order]
    columns = np.empty((len(rows), X.shape[1] + 1), dtype=X.dtype)
    columns[:, 0] = 1
    for block in _blocks(X.shape[1]):
        columns[:, 1:][:, block] = standards.part(block).apply(X[rows, block])
    return WideRows(columns, y[rows], weights, standards)


def _blocks(n_features):
    return [slice(first, first + _BLOCK) for first in range(0, n_features, _BLOCK)]


def _distinct(X, y, weights):
    """Digest of each distinct row, the first row that has it, and the summed weights."""
    first: dict[bytes, int] = {}
    total: dict[bytes, float] = {}
    for row in np.flatnonzero(weights > 0):
        name = blake2b((X[row] + 0).tobytes() + np.float64(y[row]).tobytes(), digest_size=16).digest()
        first.setdefault(name, int(row))
        total[name] = total.get(name, 0.0) + weights[row]
    return list(first), np.array(list(first.values())), np.array(list(total.values()))


def _standards(X, rows, weights, standardize):
    """Weighted means and standard deviations, in double precision; squared lengths of the rows."""
    standards = Standards(np.zeros(X.shape[1]), np.ones(X.shape[1]))
    shares, squares = weights / weights.sum(), np.zeros(len(rows))
    for block in _blocks(X.shape[1]):
        part = X[rows, block].astype(float)
        if standardize:
            standards.centre[block], standards.scale[block] = _moments(part, shares, np.finfo(X.dtype).eps)
        squares += np.square(standards.part(block).apply(part)).sum(axis=1)
    return standards, np.round(squares / (squares.max() or 1.0), 9)


def _moments(part, shares, rounding):
    """Centre and scale; features that are constant up to rounding have scale one."""
    centre = shares @ part
    scale = np.sqrt(shares @ np.square(part - centre))
    constant = scale <= 10 * rounding * np.abs(centre)
    return np.where(constant, part[0], centre), np.where(constant, 1.0, scale)
