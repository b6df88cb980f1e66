"""Rows and targets of linear models."""

from typing import NamedTuple

from numpy.typing import NDArray

__all__ = ["Observations"]


class Observations(NamedTuple):
    """Rows and targets of a linear model.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Rows.
    y : ndarray of shape (n_rows,)
        Labels ±1 of a probit model, or numbers with Gaussian noise.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    noise : float, default=0.0
        Variance of the Gaussian noise; zero means labels.
    """

    X: NDArray
    y: NDArray
    weights: NDArray
    noise: float = 0.0
