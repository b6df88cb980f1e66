"""Constants of an additive kernel beside vectors: what its values need for one row."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class AdditiveTables:
    """Columns of an additive kernel one after the other.

    Parameters
    ----------
    orders : tuple of two floats
        Amplitudes of main effects and of pairs.
    is_squared : bool
        Whether distances are squared differences instead of absolute ones.
    places, widths : ndarray of int of shape (n_columns,)
        First placed feature of each column, and their number.
    is_category : ndarray of int of shape (n_columns,)
        Whether the features are indicators of levels.
    amplitudes, inverse_widths, total : ndarray of shape (n_columns,)
        b_j, s_j and M_j, the mean of the means.
    first : ndarray of int of shape (n_columns,)
        First point of each column.
    n_points : ndarray of int of shape (n_columns,)
        Number of points of each column; for a category its levels.
    points : ndarray of shape (sum of n_points, largest width)
        Points that stand for the training entries.
    probabilities : ndarray of shape (sum of n_points,)
        Their probabilities.
    means : ndarray of shape (n_columns, n_vectors)
        Mean kernel values of the vectors, over M_j.
    levels : ndarray of int of shape (n_columns, n_vectors)
        Levels of the vectors in categories.
    """

    orders: tuple[float, float]
    is_squared: bool
    places: NDArray
    widths: NDArray
    is_category: NDArray
    amplitudes: NDArray
    inverse_widths: NDArray
    total: NDArray
    first: NDArray
    n_points: NDArray
    points: NDArray
    probabilities: NDArray
    means: NDArray
    levels: NDArray


def tables_of(kernel: Any, vectors: NDArray) -> AdditiveTables:
    """Constants of an additive kernel whose placed features are consecutive in each column."""
    columns = kernel.columns
    sizes = np.array([len(column.points) for column in columns])
    widths = np.array([len(column.places) for column in columns])
    points = np.zeros((sizes.sum(), widths.max(initial=1)))
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int)
    means, totals = np.zeros((len(columns), len(vectors))), np.zeros(len(columns))
    levels = np.zeros((len(columns), len(vectors)), dtype=int)
    for j, column in enumerate(columns):
        points[first[j] : first[j] + sizes[j], : widths[j]] = column.points
        by_vector, totals[j] = kernel._means(j, vectors) if len(vectors) else _only_total(kernel, j, vectors)
        means[j] = by_vector / totals[j]
        if column.is_category and len(vectors):
            levels[j] = vectors[:, column.places].argmax(axis=1)
    return AdditiveTables(
        tuple(np.asarray(kernel.orders, dtype=float).tolist()),
        kernel.profile == "rbf",
        np.array([column.places[0] for column in columns]),
        widths,
        np.array([int(column.is_category) for column in columns]),
        np.asarray(kernel.amplitudes, dtype=float),
        np.asarray(kernel.inverse_widths, dtype=float),
        totals,
        first,
        sizes,
        points,
        np.concatenate([column.probabilities for column in columns]),
        means,
        levels,
    )


def _only_total(kernel, j, vectors):
    """No means, and M_j."""
    row = np.zeros((1, vectors.shape[1]))
    return np.zeros(0), kernel._means(j, row)[1]
