"""A kernel with an amplitude and with scales of groups of features of its own, as a term of a sum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import Kernel
from .features import Rows, Values
from .without_gamma import KernelWithoutGamma


@dataclass(frozen=True, eq=False)
class Scaled(KernelWithoutGamma):
    """Kernel amplitude · k(S x, S z) with a factor for each group of features.

    Parameters
    ----------
    kernel : Kernel
        Kernel k, whose own parameters stay as they are.
    amplitude : float
        Factor of the values.
    scales : ndarray of shape (n_groups,)
        Factors of the features, one for each group.
    groups : ndarray of int, shape (n_features,)
        Group of each feature.
    """

    kernel: Kernel
    amplitude: float
    scales: NDArray
    groups: NDArray

    has_scale_gradient = False
    takes_sparse = False

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the kernel k, called scaled."""
        return f"scaled {self.kernel.name}"

    @property
    def is_stationary(self) -> bool:  # type: ignore[override]
        """Whether the kernel k is."""
        return self.kernel.is_stationary

    def place(self, X: Rows) -> Rows:
        """Rows as the kernel k sees them."""
        return X * self.scales[self.groups]

    def _values(self, X: Rows, Z: Rows) -> Values:
        return self.amplitude * self.kernel(self.place(X), self.place(Z))

    def diagonal(self, X: Rows) -> Values:
        """k(x, x) for each row."""
        return self.amplitude * self.kernel.diagonal(self.place(X))

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Scales of features are parameters here.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError(
            f"The {self.name!r} kernel has no derivative in the scales of features, but scales of its own."
        )

    @property
    def log_parameters(self) -> Values:
        """Logarithms of the amplitude and of the squared scales of the groups."""
        return np.concatenate([[np.log(self.amplitude)], 2 * np.log(self.scales)])

    def with_log_parameters(self, values: Any) -> Scaled:
        """Kernel with other parameters, from their logarithms in the order of ``log_parameters``."""
        return replace(self, amplitude=float(np.exp(values[0])), scales=np.exp(0.5 * np.asarray(values[1:])))

    def parameter_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Derivative of an objective in each of ``log_parameters``."""
        x, z = self.place(X), self.place(Z)
        K = self.kernel(x, z) if values is None else values / self.amplitude
        scaled = self.amplitude * upstream
        by_scale = self.kernel.scale_gradient(x, z, scaled, K)
        return np.append(np.vdot(scaled, K), np.bincount(self.groups, by_scale, len(self.scales)))

    def diagonal_gradient(self, X: Rows, upstream: Values) -> Values:
        """Derivative of an objective in each of ``log_parameters``, given those in k(x, x) of each row."""
        if not self.is_stationary:
            return super().diagonal_gradient(X, upstream)
        by_amplitude = upstream @ self.diagonal(X)
        return np.append(by_amplitude, np.zeros(len(self.scales)))
