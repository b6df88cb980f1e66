"""Kernels of the difference x − z: rbf, laplacian, Matérn and rational quadratic."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import laplacian_kernel

from ...validation import check_number
from .base import Kernel
from .features import (
    Rows,
    Values,
    feature_variances,
    inverse_or_one,
    squared_distances,
    weighted_distances,
    weighted_squares,
)

# Largest scaled squared distance; numerical guard.
_FARTHEST = 1e100


@dataclass(frozen=True)
class Isotropic(Kernel):
    """Kernel φ(u) of the scaled squared distance u = gamma |x − z|², with φ(0) = 1.

    A new one needs ``_profile``, ``_profile_derivative`` and a name.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse squared width, above 0.
    """

    gamma: float = 1.0

    is_stationary = True
    # Reference gamma as a multiple of that of the rbf kernel. Rougher kernels fall faster near zero and want
    # to be wider: rounded medians of the ratio of best gammas by the evidence of a Gaussian process on seven
    # sets (diabetes, Friedman #1, wine, breast cancer, moons, Ripley, iris).
    _reference_factor: ClassVar[float] = 1.0

    @abstractmethod
    def _profile(self, u: Values) -> Values:
        """φ(u)."""

    @abstractmethod
    def _profile_derivative(self, u: Values) -> Values:
        """dφ / du."""

    def _scaled_squares(self, X: Rows, Z: Rows) -> Values:
        # Rows that are as far apart as numbers go have a profile of zero, not of infinity times zero.
        return np.minimum(self.gamma * squared_distances(X, Z), _FARTHEST)

    def _values(self, X: Rows, Z: Rows) -> Values:
        return self._profile(self._scaled_squares(X, Z))

    def diagonal(self, X: Rows) -> Values:
        """Ones, one for each row."""
        return np.ones(X.shape[0])

    def log_gamma_derivative(self, X: Rows, Z: Rows) -> Values:
        """u dφ / du."""
        u = self._scaled_squares(X, Z)
        return u * self._profile_derivative(u)

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """gamma Σ_ij upstream_ij (x_id − z_jd)² dφ / du for each feature d."""
        derivative = self._profile_derivative(self._scaled_squares(X, Z))
        return self.gamma * weighted_squares(X, Z, upstream * derivative)

    def reference_gamma(self, X: Rows) -> float:
        """Multiple of the inverse of the summed variances of the features."""
        return self._reference_factor * inverse_or_one(feature_variances(X).sum())


@dataclass(frozen=True)
class RBF(Isotropic):
    """Squared exponential kernel, exp(−gamma |x − z|²).

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse squared width, above 0.
    """

    name = "rbf"

    def _profile(self, u: Values) -> Values:
        return np.exp(-u)

    def _profile_derivative(self, u: Values) -> Values:
        return -np.exp(-u)

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """−gamma Σ_ij upstream_ij (x_id − z_jd)² k_ij for each feature d."""
        values = self(X, Z) if values is None else values
        return -self.gamma * weighted_squares(X, Z, upstream * values)

    def parameter_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Σ_ij upstream_ij k_ij log k_ij, the derivative in log gamma."""
        return _exponential_gradient(upstream, self(X, Z) if values is None else values)


@dataclass(frozen=True)
class Matern32(Isotropic):
    """Matérn kernel of smoothness 3/2, (1 + √3 r) exp(−√3 r) with r = √(2 gamma) |x − z|.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse squared width, above 0.
    """

    name = "matern32"
    _reference_factor = 1 / 3

    def _profile(self, u: Values) -> Values:
        a = np.sqrt(6 * u)
        return (1 + a) * np.exp(-a)

    def _profile_derivative(self, u: Values) -> Values:
        return -3 * np.exp(-np.sqrt(6 * u))


@dataclass(frozen=True)
class Matern52(Isotropic):
    """Matérn kernel of smoothness 5/2, (1 + √5 r + 5 r² / 3) exp(−√5 r) with r = √(2 gamma) |x − z|.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse squared width, above 0.
    """

    name = "matern52"
    _reference_factor = 1 / 2

    def _profile(self, u: Values) -> Values:
        a = np.sqrt(10 * u)
        return (1 + a + np.square(a) / 3) * np.exp(-a)

    def _profile_derivative(self, u: Values) -> Values:
        a = np.sqrt(10 * u)
        return -5 / 3 * (1 + a) * np.exp(-a)


@dataclass(frozen=True)
class RationalQuadratic(Isotropic):
    """Rational quadratic kernel, (1 + gamma |x − z|² / alpha)^−alpha: a mixture of rbf kernels.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse squared width, above 0.
    alpha : float, default=1.0
        Shape, above 0; the kernel tends to rbf as it grows.
    """

    alpha: float = 1.0

    name = "rational_quadratic"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("alpha", self.alpha, 0, strict=True)

    def _profile(self, u: Values) -> Values:
        return (1 + u / self.alpha) ** -self.alpha

    def _profile_derivative(self, u: Values) -> Values:
        return -((1 + u / self.alpha) ** (-self.alpha - 1))


@dataclass(frozen=True)
class Laplacian(Kernel):
    """Laplacian kernel, exp(−gamma Σ_d |x_d − z_d|).

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse width, above 0.
    """

    gamma: float = 1.0

    name = "laplacian"
    is_stationary = True

    def _values(self, X: Rows, Z: Rows) -> Values:
        if 0 in (X.shape[0], Z.shape[0]):
            return np.zeros((X.shape[0], Z.shape[0]))
        return laplacian_kernel(_short_indices(X), _short_indices(Z), gamma=self.gamma)

    def diagonal(self, X: Rows) -> Values:
        """Ones, one for each row."""
        return np.ones(X.shape[0])

    def log_gamma_derivative(self, X: Rows, Z: Rows) -> Values:
        """k log k, and zero where k has underflowed."""
        values = self(X, Z)
        return values * np.log(np.maximum(values, np.finfo(float).tiny))

    def parameter_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Σ_ij upstream_ij k_ij log k_ij, the derivative in log gamma."""
        return _exponential_gradient(upstream, self(X, Z) if values is None else values)

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """−½ gamma Σ_ij upstream_ij |x_id − z_jd| k_ij for each feature d."""
        values = self(X, Z) if values is None else values
        return -0.5 * self.gamma * weighted_distances(X, Z, upstream * values)

    def reference_gamma(self, X: Rows) -> float:
        """Inverse of the summed standard deviations of the features."""
        return inverse_or_one(np.sqrt(feature_variances(X)).sum())


def _exponential_gradient(upstream: Values, values: Values) -> Values:
    """Derivative Σ upstream k log k of k = exp(−gamma · distance) in log gamma, an array of one number."""
    return np.array([np.vdot(upstream * values, np.log(np.maximum(values, np.finfo(float).tiny)))])


def _short_indices(X: Rows) -> Rows:
    """Sparse rows with 32-bit indices, which scikit-learn's Manhattan distances need."""
    if not sparse.issparse(X) or X.indices.dtype == np.int32:
        return X
    short = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return type(X)(short, shape=X.shape)
