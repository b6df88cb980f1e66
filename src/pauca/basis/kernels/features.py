"""Arithmetic of dense and sparse rows: distances, sums over pairs of rows, variances of features."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.sparsefuncs import mean_variance_axis

# Rows of features: a dense array or a sparse CSR matrix.
Rows: TypeAlias = Any
Values: TypeAlias = NDArray[np.float64]


def multiplied(X: Rows, factors: Any) -> Rows:
    """Elementwise product of dense or sparse rows with factors.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_features)
        Rows.
    factors : array-like that broadcasts to the shape of X
        Factors, such as one for each feature.

    Returns
    -------
    array or sparse CSR matrix of shape (n_rows, n_features)
    """
    return X.multiply(factors).tocsr() if sparse.issparse(X) else X * factors


def squared_distances(X: Rows, Z: Rows) -> Values:
    """|x − z|² for all pairs; dense rows, which are checked already, by one product of matrices."""
    if sparse.issparse(X) or sparse.issparse(Z):
        return euclidean_distances(X, Z, squared=True)
    squares = X @ Z.T
    squares *= -2
    squares += np.einsum("ij,ij->i", X, X)[:, None]
    squares += np.einsum("ij,ij->i", Z, Z)
    return np.maximum(squares, 0, out=squares)


def weighted_products(X: Rows, Z: Rows, weights: Values) -> Values:
    """Σ_ij weights_ij x_id z_jd for each feature d."""
    return np.asarray(multiplied(Z, (X.T @ weights).T).sum(axis=0)).ravel()


def weighted_squares(X: Rows, Z: Rows, weights: Values) -> Values:
    """Σ_ij weights_ij (x_id − z_jd)² for each feature d."""
    squares = multiplied(X, X).T @ weights.sum(axis=1) + multiplied(Z, Z).T @ weights.sum(axis=0)
    squares -= 2 * weighted_products(X, Z, weights)
    return squares


def weighted_distances(X: Rows, Z: Rows, weights: Values) -> Values:
    """Σ_ij weights_ij |x_id − z_jd| for each feature d."""
    found = np.zeros(X.shape[1])
    two = np.zeros(X.shape[1], dtype=bool) if sparse.issparse(X) else _two_values(X, Z)
    for d in np.flatnonzero(~two).tolist():
        found[d] = np.vdot(weights, np.abs(_feature(X, d)[:, None] - _feature(Z, d)))
    if two.any():
        # |x − z| of values 0 and v is (x − z)² / v.
        largest = np.maximum(X[:, two].max(axis=0, initial=0.0), Z[:, two].max(axis=0, initial=0.0))
        found[two] = weighted_squares(X[:, two], Z[:, two], weights) / np.where(largest > 0, largest, 1.0)
    return found


def _two_values(X: Values, Z: Values) -> NDArray[np.bool_]:
    """Which features have no values but zero and one other above it, such as indicators of levels."""
    largest = np.maximum(X.max(axis=0, initial=0.0), Z.max(axis=0, initial=0.0))
    return ((X == 0) | (largest == X)).all(axis=0) & ((Z == 0) | (largest == Z)).all(axis=0)


def _feature(X: Rows, d: int) -> Values:
    return X[:, [d]].toarray().ravel() if sparse.issparse(X) else X[:, d]


def feature_variances(X: Rows) -> Values:
    """Variance of each feature over the rows."""
    return mean_variance_axis(X, axis=0)[1] if sparse.issparse(X) else X.var(axis=0)


def scale_gamma(X: Rows) -> float:
    """Inverse width 1 / (n_features · variance of all entries of X), scikit-learn's ``gamma="scale"``.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_features)
        Training rows.

    Returns
    -------
    float
    """
    variance = X.multiply(X).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var()
    return inverse_or_one(X.shape[1] * variance)


def inverse_or_one(size: float) -> float:
    """1 / size, or one where that is not a positive number."""
    return 1.0 / size if np.isfinite(size) and size > 0 else 1.0
