"""Gaussian process with a constant, a linear trend and scales of features or groups of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...basis import multiplied


@dataclass(frozen=True)
class Process:
    """f(x) = constant + trend · x + a Gaussian process of covariance amplitude · k(S x, S x').

    Parameters
    ----------
    kernel : Kernel
        Kernel of the placed rows S x.
    amplitude : float
        Prior variance of the process, as a multiple of k(x, x).
    trend : float
        Prior variance of each weight of the linear trend; zero: there is none.
    scales : ndarray of shape (n_groups,) or None
        Factors of the features, one for each group; None: all are one.
    groups : ndarray of int, shape (n_features,), or None
        Group of each feature; None: every feature is a group of its own.
    constant : tuple of two floats
        Prior mean and variance of the constant.
    reach : float
        Distance from the origin at which constant and trend end: both are multiplied by
        exp(−(|x| / reach)⁴), so that f far away has the constant's prior mean. Infinite: they never end.
    """

    kernel: Any
    amplitude: float = 1.0
    trend: float = 0.0
    scales: NDArray | None = None
    groups: NDArray | None = None
    constant: tuple[float, float] = (0.0, 1.0)
    reach: float = np.inf

    @property
    def factors(self) -> NDArray | None:
        """Factor of each feature; None: all are one."""
        return self.scales if self.scales is None or self.groups is None else self.scales[self.groups]

    def grouped(self, values: NDArray) -> NDArray:
        """Values of the features summed over each group."""
        if self.groups is None or self.scales is None:
            return values
        return np.bincount(self.groups, values, len(self.scales))

    def place(self, X: Any) -> Any:
        """Rows as the kernel sees them."""
        return X if self.scales is None else multiplied(X, self.factors)

    def covariance(self, X: Any, Z: Any) -> NDArray:
        """Covariances of the process, without constant and trend."""
        if 0 in (X.shape[0], Z.shape[0]):
            return np.empty((X.shape[0], Z.shape[0]))
        return self.amplitude * self.kernel(self.place(X), self.place(Z))

    def variance(self, X: Any) -> NDArray:
        """Prior variances of the process, without constant and trend."""
        return self.amplitude * self.kernel.diagonal(self.place(X))

    def features(self, X: Any) -> NDArray:
        """Constant and trend as features whose weights have variance one before any data."""
        inside = envelope(X, self.reach)[:, None]
        constant = np.sqrt(self.constant[1]) * inside
        if not self.trend:
            return constant
        rows = X.toarray() if sparse.issparse(X) else X
        return np.hstack([constant, np.sqrt(self.trend) * inside * rows])


def envelope(X: Any, reach: float) -> NDArray:
    """exp(−(|x| / reach)⁴) of each row: one around the origin, zero far beyond the reach."""
    return np.exp(-np.square(squared_lengths(X) / reach**2)) if np.isfinite(reach) else np.ones(X.shape[0])


def squared_lengths(X: Any) -> NDArray:
    """Squared Euclidean length of each row."""
    return np.asarray(multiplied(X, X).sum(axis=1)).ravel()
