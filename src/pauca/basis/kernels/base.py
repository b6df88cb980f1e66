"""Kernel: the interface of all kernels, and their sums and products."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .features import Rows, Values, scale_gamma

# Rows at a time for the diagonal: 256² values fit in the cache; set by hand.
_BLOCK_ROWS = 256


class Kernel(ABC):
    """Kernel k(x, z) with its parameters.

    A new kernel is a frozen dataclass with ``_values``, ``log_gamma_derivative`` and ``scale_gradient``;
    ``register_kernel`` gives it a name for the argument ``kernel`` of all machines. One without a width
    derives from `KernelWithoutGamma`. Kernels are combined by ``+`` and ``*``.
    """

    # Inverse width, a field of the kernels that have one.
    gamma: float
    # Name for the argument ``kernel`` and for messages.
    name = ""
    # Whether there is a field ``gamma``.
    has_gamma = True
    # Whether k(x, z) depends on x − z alone.
    is_stationary = False
    # Whether X holds kernel values in place of features.
    is_precomputed = False
    # Whether ``scale_gradient`` is available.
    has_scale_gradient = True
    # Whether rows may be sparse.
    takes_sparse = True
    _remedy = "Scale the features first."

    def __post_init__(self) -> None:
        # An infinite gamma is let through: it may come from features of nearly no variance.
        if self.has_gamma and not (isinstance(self.gamma, int | float | np.number) and self.gamma > 0):
            raise ValueError(f"gamma must be a number above 0; got {self.gamma!r}.")

    @abstractmethod
    def _values(self, X: Rows, Z: Rows) -> Values:
        """k(x, z) for all pairs of rows, not checked."""

    @abstractmethod
    def log_gamma_derivative(self, X: Rows, Z: Rows) -> Values:
        """∂k(x, z) / ∂ log gamma for all pairs of rows."""

    @abstractmethod
    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Derivative of an objective in the log squared scale of each feature, at scales one.

        Parameters
        ----------
        X, Z : rows of shape (n, n_features) and (m, n_features)
        upstream : ndarray of shape (n, m)
            Derivatives of the objective in the kernel values k(x_i, z_j).
        values : ndarray of shape (n, m), optional
            Kernel values, where the caller has them already.

        Returns
        -------
        ndarray of shape (n_features,)
            Σ_ij upstream_ij ∂k_ij / ∂ log s_d² for features multiplied by s_d.
        """

    @property
    def log_parameters(self) -> Values:
        """Logarithms of the parameters that are learned beside the feature scales: log gamma."""
        return np.log([self.gamma]) if self.has_gamma else np.empty(0)

    def with_log_parameters(self, values: Any) -> Kernel:
        """Kernel with other parameters, from their logarithms in the order of ``log_parameters``."""
        return self.with_gamma(np.exp(values[0])) if self.has_gamma else self

    def parameter_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Derivative of an objective in each of ``log_parameters``.

        Parameters and shapes are those of ``scale_gradient``; the result has shape (n_parameters,).
        """
        return (
            np.array([np.vdot(upstream, self.log_gamma_derivative(X, Z))]) if self.has_gamma else np.empty(0)
        )

    def diagonal_gradient(self, X: Rows, upstream: Values) -> Values:
        """Derivative of an objective in each of ``log_parameters``, given those in k(x, x) of each row."""
        if self.is_stationary:
            return np.zeros(len(self.log_parameters))
        return self.parameter_gradient(X, X, np.diag(upstream))

    def __call__(self, X: Rows, Z: Rows) -> Values:
        """k(x, z) for all pairs of rows, an array (n, m) of finite numbers."""
        if X.shape[0] == 0 or Z.shape[0] == 0:
            return np.empty((X.shape[0], Z.shape[0]))
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._values(X, Z)
        if not np.isfinite(values).all():
            raise ValueError(self._not_finite())
        return values

    def _not_finite(self) -> str:
        return f"X gives values of the {self.name!r} kernel that are not finite. {self._remedy}"

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """Elementary kernels that this one is composed of."""
        return (self,)

    def with_gamma(self, gamma: float) -> Kernel:
        """Kernel with another ``gamma``; a kernel without gamma stays as it is."""
        return replace(self, gamma=float(gamma)) if self.has_gamma else self  # type: ignore[type-var]

    def reference_gamma(self, X: Rows) -> float:
        """Value of gamma around which a search begins."""
        return scale_gamma(X)

    def diagonal(self, X: Rows) -> Values:
        """k(x, x) for each row."""
        blocks = (X[first : first + _BLOCK_ROWS] for first in range(0, X.shape[0], _BLOCK_ROWS))
        return np.concatenate([np.diag(self(block, block)) for block in blocks])

    def __add__(self, other: Kernel) -> Kernel:
        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Kernel) -> Kernel:
        return Product(self, other) if isinstance(other, Kernel) else NotImplemented


@dataclass(frozen=True)
class Composition(Kernel):
    """Kernel made of two others.

    Its ``gamma`` is that of the first part that has one. `with_gamma` multiplies those of all parts by one
    factor, the direction of derivatives in log gamma.

    Parameters
    ----------
    left, right : Kernel
        Parts, not precomputed.
    """

    left: Kernel
    right: Kernel

    def __post_init__(self) -> None:
        if any(part.is_precomputed for part in self.parts):
            raise ValueError("A precomputed kernel cannot be composed with others; compose the matrices.")

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """Elementary kernels from left to right."""
        return (*self.left.parts, *self.right.parts)

    @property
    def has_gamma(self) -> bool:  # type: ignore[override]
        """Whether a part has a gamma."""
        return any(part.has_gamma for part in self.parts)

    @property
    def is_stationary(self) -> bool:  # type: ignore[override]
        """Whether all parts are stationary."""
        return all(part.is_stationary for part in self.parts)

    @property
    def has_scale_gradient(self) -> bool:  # type: ignore[override]
        """Whether all parts have a gradient in the feature scales."""
        return all(part.has_scale_gradient for part in self.parts)

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether all parts take sparse rows."""
        return all(part.takes_sparse for part in self.parts)

    def _first_with_gamma(self) -> Kernel:
        found = next((part for part in self.parts if part.has_gamma), None)
        if found is None:
            raise AttributeError(f"The {self.name!r} kernel has no gamma.")
        return found

    @property
    def gamma(self) -> float:  # type: ignore[override]
        """Gamma of the first part that has one."""
        return self._first_with_gamma().gamma

    def with_gamma(self, gamma: float) -> Kernel:
        """Kernel with all gammas multiplied by the factor that gives the first one this value."""
        if not self.has_gamma:
            return self
        factor = float(gamma) / self.gamma
        given = (self.left, self.right)
        left, right = (part.with_gamma(part.gamma * factor) if part.has_gamma else part for part in given)
        return replace(self, left=left, right=right)

    @property
    def log_parameters(self) -> Values:
        """Parameters of the left part, then those of the right one; each part has its own gamma here."""
        return np.concatenate([self.left.log_parameters, self.right.log_parameters])

    def with_log_parameters(self, values: Any) -> Kernel:
        """Kernel whose parts have other parameters, from their logarithms."""
        left, right = np.split(values, [len(self.left.log_parameters)])
        parts = self.left.with_log_parameters(left), self.right.with_log_parameters(right)
        return replace(self, left=parts[0], right=parts[1])

    def reference_gamma(self, X: Rows) -> float:
        """Reference gamma of the first part that has one."""
        return self._first_with_gamma().reference_gamma(X) if self.has_gamma else scale_gamma(X)

    def _require_gamma(self) -> None:
        if not self.has_gamma:
            raise ValueError(f"The {self.name!r} kernel has no gamma.")


@dataclass(frozen=True)
class Sum(Composition):
    """Sum of two kernels, k(x, z) = a(x, z) + b(x, z).

    Parameters
    ----------
    left, right : Kernel
        Terms a and b.
    """

    @property
    def name(self) -> str:  # type: ignore[override]
        """Names of the parts with a plus sign."""
        return f"{self.left.name} + {self.right.name}"

    def _values(self, X: Rows, Z: Rows) -> Values:
        return self.left(X, Z) + self.right(X, Z)

    def diagonal(self, X: Rows) -> Values:
        """k(x, x) for each row."""
        return self.left.diagonal(X) + self.right.diagonal(X)

    def log_gamma_derivative(self, X: Rows, Z: Rows) -> Values:
        """Sum of the derivatives of the parts that have a gamma."""
        self._require_gamma()
        parts = [part for part in (self.left, self.right) if part.has_gamma]
        return np.sum([part.log_gamma_derivative(X, Z) for part in parts], axis=0)

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Sum of the gradients of the parts."""
        return self.left.scale_gradient(X, Z, upstream) + self.right.scale_gradient(X, Z, upstream)

    def parameter_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Derivatives in the parameters of the left part, then in those of the right one."""
        parts = (self.left, self.right)
        return np.concatenate([part.parameter_gradient(X, Z, upstream) for part in parts])

    def diagonal_gradient(self, X: Rows, upstream: Values) -> Values:
        """Derivatives in the parameters of the left part, then in those of the right one."""
        return np.concatenate([part.diagonal_gradient(X, upstream) for part in (self.left, self.right)])


@dataclass(frozen=True)
class Product(Composition):
    """Product of two kernels, k(x, z) = a(x, z) b(x, z).

    Parameters
    ----------
    left, right : Kernel
        Factors a and b.
    """

    @property
    def name(self) -> str:  # type: ignore[override]
        """Names of the parts with a times sign; sums stand in parentheses."""
        names = (f"({part.name})" if isinstance(part, Sum) else part.name for part in (self.left, self.right))
        return " * ".join(names)

    def _values(self, X: Rows, Z: Rows) -> Values:
        return self.left(X, Z) * self.right(X, Z)

    def diagonal(self, X: Rows) -> Values:
        """k(x, x) for each row."""
        return self.left.diagonal(X) * self.right.diagonal(X)

    def log_gamma_derivative(self, X: Rows, Z: Rows) -> Values:
        """Derivative of each part that has a gamma times the value of the other."""
        self._require_gamma()
        pairs = ((self.left, self.right), (self.right, self.left))
        return np.sum([a.log_gamma_derivative(X, Z) * b(X, Z) for a, b in pairs if a.has_gamma], axis=0)

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Gradient of each part with the values of the other in the upstream derivatives."""
        left, right = self.left(X, Z), self.right(X, Z)
        by_left = self.left.scale_gradient(X, Z, upstream * right, left)
        return by_left + self.right.scale_gradient(X, Z, upstream * left, right)

    def parameter_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Gradient of each part with the values of the other in the upstream derivatives."""
        left, right = self.left(X, Z), self.right(X, Z)
        by_left = self.left.parameter_gradient(X, Z, upstream * right, left)
        return np.concatenate([by_left, self.right.parameter_gradient(X, Z, upstream * left, right)])
