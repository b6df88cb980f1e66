"""Predictions of spike-and-slab classifiers from posterior draws of the weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr, ndtri


def as_arrays(draws: Any) -> tuple[NDArray, NDArray, NDArray]:
    """Sparse matrix as plain arrays, which model files can hold."""
    return draws.data, draws.indices, draws.indptr


def _matrix(arrays, n_columns):
    """Sparse matrix of plain arrays; inconsistent arrays raise a ValueError."""
    draws = sparse.csr_matrix(arrays, shape=(len(arrays[2]) - 1, n_columns))
    draws.check_format(full_check=True)
    return draws


def drawn_moments(draws: Sequence[Any], X: NDArray) -> tuple[NDArray, NDArray]:
    """Means and variances of the latent values of standardised rows, a column for each latent function.

    For two classes: of the Gaussian that has the mean probability of the draws.
    """
    x = np.hstack([np.ones((len(X), 1)), X])
    latent = [(_matrix(arrays, x.shape[1]) @ x.T).T for arrays in draws]
    if len(latent) == 1:
        probability = np.clip(ndtr(latent[0]).mean(axis=1, keepdims=True), 1e-300, 1 - 1e-16)
        return ndtri(probability), np.zeros((len(X), 1))
    means, variances = (np.column_stack([moment(f, axis=1) for f in latent]) for moment in (np.mean, np.var))
    return means, variances
