"""Kernels by name, by function or precomputed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import (
    cosine_similarity,
    euclidean_distances,
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
)

KERNELS = ("rbf", "laplacian", "poly", "linear", "cosine", "precomputed")
WITH_GAMMA = ("rbf", "laplacian", "poly")
_STATIONARY = ("rbf", "laplacian")


@dataclass(frozen=True)
class Kernel:
    """k(X, Z): a named kernel with its parameters, or a function of two matrices."""

    name: str | Callable
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 1.0

    @property
    def has_gamma(self):
        """Whether the kernel has a parameter ``gamma`` to choose."""
        return self.name in WITH_GAMMA

    @property
    def is_stationary(self):
        """Whether the kernel sees differences of its arguments only."""
        return self.name in _STATIONARY

    def with_gamma(self, gamma):
        """The same kernel with another ``gamma``."""
        return replace(self, gamma=float(gamma))

    def __call__(self, X, Z):
        if callable(self.name):
            return self._call_function(X, Z)
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._call_named(X, Z)
        if not np.isfinite(values).all():
            raise ValueError(
                f"X gives values of the {self.name!r} kernel that are not finite. Scale the features first"
                + (", and give a negative base a whole degree." if self.name == "poly" else ".")
            )
        return values

    def slope(self, X, Z):
        """∂k(X, Z) / ∂ log gamma."""
        if self.name == "poly":
            products = self.gamma * linear_kernel(X, Z)
            return self.degree * products * (products + self.coef0) ** (self.degree - 1)
        values = self(X, Z)
        # For exp(−gamma · distance): −gamma · distance · k, and zero where k has underflowed.
        return values * np.log(np.maximum(values, np.finfo(float).tiny))

    def scale_slopes(self, X, Z, slopes):
        """Derivatives of "rbf" in the log squared scales of the features, given those in log k(X, Z)."""
        squares = multiplied(X, X).T @ slopes.sum(axis=1) + multiplied(Z, Z).T @ slopes.sum(axis=0)
        squares -= 2 * np.asarray(multiplied(Z, (X.T @ slopes).T).sum(axis=0)).ravel()
        return -self.gamma * squares

    def _call_named(self, X, Z):
        if self.name == "rbf":
            return np.exp(-self.gamma * _squared_distances(X, Z))
        if self.name == "laplacian":
            return laplacian_kernel(_short_indices(X), _short_indices(Z), gamma=self.gamma)
        if self.name == "poly":
            return polynomial_kernel(X, Z, degree=self.degree, gamma=self.gamma, coef0=self.coef0)
        if self.name == "linear":
            return linear_kernel(X, Z)
        return cosine_similarity(X, Z)

    def _call_function(self, X, Z):
        """Values of a user's function, checked."""
        function = cast(Callable, self.name)
        values = np.asarray(function(X, Z), dtype=np.float64)
        if values.shape != (X.shape[0], Z.shape[0]):
            raise ValueError(
                f"kernel must return an array of shape {(X.shape[0], Z.shape[0])} for arguments with "
                f"{X.shape[0]} and {Z.shape[0]} rows; it returned shape {values.shape}."
            )
        if not np.isfinite(values).all():
            raise ValueError("kernel returned values that are not finite.")
        return values


def _squared_distances(X, Z):
    """|x − z|² for all pairs; dense rows, which are checked already, by one product of matrices."""
    if sparse.issparse(X) or sparse.issparse(Z):
        return euclidean_distances(X, Z, squared=True)
    squares = X @ Z.T
    squares *= -2
    squares += np.einsum("ij,ij->i", X, X)[:, None]
    squares += np.einsum("ij,ij->i", Z, Z)
    return np.maximum(squares, 0, out=squares)


def multiplied(X, factors):
    """Elementwise product with a dense or sparse matrix."""
    return X.multiply(factors).tocsr() if sparse.issparse(X) else X * factors


def _short_indices(X):
    """A sparse matrix with 32-bit indices, which scikit-learn's Manhattan distances need."""
    if not sparse.issparse(X) or X.indices.dtype == np.int32:
        return X
    short = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return type(X)(short, shape=X.shape)
