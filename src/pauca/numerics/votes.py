"""Weights of the two labels that a row may come with."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["votes"]


def votes(weights: ArrayLike) -> NDArray:
    """Weights of the labels +1 and −1 of each row, shape (n_rows, 2).

    Parameters
    ----------
    weights : array_like of shape (n_rows, 2), (n_rows,) or ()
        Weights of both labels. With one dimension or none: of the label +1 alone.

    Returns
    -------
    votes : ndarray of shape (n_rows, 2)
    """
    given = np.asarray(weights, dtype=float)
    if given.ndim == 2:
        return given
    return np.column_stack([given.ravel(), np.zeros(given.size)])
