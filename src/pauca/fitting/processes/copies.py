"""Weights of rows in the evidence of hyperparameters: copies of a row say nothing new about the kernel."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Largest difference of standardised features between copies of a row; set by hand, far above the noise of
# 1e-6 that is added to copies and far below measured differences.
_TOLERANCE = 1e-4
# Largest distance of a weight from a whole number of copies; numerical guard.
_WHOLE = 1e-6
# Largest share of repeated rows with several labels among all repeated rows for which repetitions are taken
# to be copies: where rows are measured again, their labels differ now and then. Set by hand.
_MOST_MIXED = 0.05


def evidence_weights(X: Any, codes: NDArray, weights: NDArray) -> NDArray:
    """Weights of the rows in the evidence by which hyperparameters are chosen.

    The evidence takes observations as independent given f, so that labels which agree in every copy of a row
    favour a function that is wild between rows. Where nearly all repeated rows agree, a row and its
    copies count as one observation; otherwise weights stay as they are. So they do where rows do not count a
    whole number of times, as with weights of classes.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Rows in units in which differences of 1e-4 are negligible.
    codes : ndarray of shape (n_rows,) or (n_rows, n_columns)
        Labels.
    weights : ndarray of shape (n_rows,)
        How many times each row counts.
    """
    clusters = copies(X)
    totals = np.bincount(clusters, weights)
    repeated = totals > 1
    if not repeated.any() or not np.allclose(totals, np.round(totals), atol=_WHOLE):
        return weights
    pairs = np.unique(
        np.column_stack([clusters, np.unique(codes, axis=0, return_inverse=True)[1].ravel()]), axis=0
    )
    mixed = np.bincount(pairs[:, 0], minlength=len(totals)) > 1
    if (mixed & repeated).sum() > _MOST_MIXED * repeated.sum():
        return weights
    return weights / np.maximum(totals, 1.0)[clusters]


def copies(X: Any) -> NDArray:
    """Number of the cluster of each row: rows that differ by no more than the tolerance share one.

    Rows are compared with their neighbours in the order of a random projection.
    """
    n_rows, n_features = X.shape
    line = np.asarray(X @ np.random.default_rng(0).normal(size=n_features)).ravel()
    order = np.argsort(line, kind="stable")
    gaps = X[order[1:]] - X[order[:-1]]
    largest = (
        abs(gaps).max(axis=1).toarray().ravel()
        if sparse.issparse(gaps)
        else np.abs(gaps).max(axis=1, initial=0.0)
    )
    clusters = np.empty(n_rows, dtype=int)
    clusters[order] = np.append(0, np.cumsum(largest > _TOLERANCE)) if n_rows else []
    return clusters
