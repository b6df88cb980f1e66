"""Kernels of inner products: polynomial, linear and cosine."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import cosine_similarity, linear_kernel, polynomial_kernel
from sklearn.preprocessing import normalize

from ...validation import check_number
from .base import Kernel
from .features import Rows, Values, multiplied, weighted_products
from .without_gamma import KernelWithoutGamma


@dataclass(frozen=True)
class Polynomial(Kernel):
    """Polynomial kernel, (gamma x·z + coef0)^degree.

    Parameters
    ----------
    gamma : float, default=1.0
        Factor of the inner product, above 0.
    degree : float, default=3
        Exponent, above 0; a whole number unless all bases are positive.
    coef0 : float, default=1.0
        Constant of the base.
    """

    gamma: float = 1.0
    degree: float = 3
    coef0: float = 1.0

    name = "poly"
    _remedy = "Scale the features first, and give a negative base a whole degree."

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("degree", self.degree, 0, strict=True)
        check_number("coef0", self.coef0, -np.inf)

    def _values(self, X: Rows, Z: Rows) -> Values:
        return polynomial_kernel(X, Z, degree=self.degree, gamma=self.gamma, coef0=self.coef0)

    def log_gamma_derivative(self, X: Rows, Z: Rows) -> Values:
        """degree · gamma x·z · (gamma x·z + coef0)^(degree − 1)."""
        products = self.gamma * linear_kernel(X, Z)
        return self.degree * products * (products + self.coef0) ** (self.degree - 1)

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Σ_ij upstream_ij degree (gamma x·z + coef0)^(degree − 1) gamma x_id z_jd for each feature d."""
        base = self.gamma * linear_kernel(X, Z) + self.coef0
        derivative = self.degree * self.gamma * base ** (self.degree - 1)
        return weighted_products(X, Z, upstream * derivative)


@dataclass(frozen=True)
class Linear(KernelWithoutGamma):
    """Linear kernel, x·z + constant.

    Parameters
    ----------
    constant : float, default=0.0
        Prior variance of a bias, for models that have none of their own.
    """

    constant: float = 0.0

    name = "linear"

    def _values(self, X: Rows, Z: Rows) -> Values:
        values = linear_kernel(X, Z)
        return values + self.constant if self.constant else values

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Σ_ij upstream_ij x_id z_jd for each feature d."""
        return weighted_products(X, Z, upstream)


@dataclass(frozen=True)
class Cosine(KernelWithoutGamma):
    """Cosine of the angle between two rows, x·z / (|x| |z|); zero where a row is zero."""

    name = "cosine"

    def _values(self, X: Rows, Z: Rows) -> Values:
        return cosine_similarity(X, Z)

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Σ_ij upstream_ij (u_id v_jd − ½ k_ij (u_id² + v_jd²)) for rows u, v of length one."""
        U, V = normalize(X), normalize(Z)
        weights = upstream * (self(X, Z) if values is None else values)
        lengths = multiplied(U, U).T @ weights.sum(axis=1) + multiplied(V, V).T @ weights.sum(axis=0)
        return weighted_products(U, V, upstream) - 0.5 * np.asarray(lengths).ravel()
