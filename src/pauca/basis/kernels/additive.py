"""Orthogonal additive kernel: main effects of columns and effects of pairs, each with mean zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .features import Rows, Values
from .without_gamma import KernelWithoutGamma

_PROFILES = ("laplacian", "rbf")


@dataclass(frozen=True, eq=False)
class ColumnMeasure:
    """Placed columns of one column of a table, and the distribution of its training entries.

    Parameters
    ----------
    places : ndarray of int, shape (n_placed,)
        Placed columns, which belong together.
    points : ndarray of shape (n_points, n_placed)
        Points that stand for the training entries.
    probabilities : ndarray of shape (n_points,)
        Probabilities of the points, with sum one.
    is_category : bool, default=False
        Whether the placed columns are indicators of levels, the rows of ``points`` in this order.
    """

    places: NDArray
    points: NDArray
    probabilities: NDArray
    is_category: bool = False


@dataclass(frozen=True, eq=False)
class Additive(KernelWithoutGamma):
    """Orthogonal additive kernel, σ₁ Σ_j k̃_j(x_j, z_j) + σ₂ Σ_{j<l} k̃_j(x_j, z_j) k̃_l(x_l, z_l).

    k̃_j is the kernel b_j k_j of one column, given that the function has mean zero over the training entries
    of this column: k̃(x, z) = k(x, z) − m(x) m(z) / M with m(x) = E k(x, ·), M = E m. Then the constant, the
    main effects and the effects of pairs are orthogonal, so that each is identified (Lu, Boukouvalas &
    Hensman 2022, eq. 9-11). Sums over pairs need the power sums of k̃_j only. The kernel of a number is
    exp(−s_j d) with d = |x − z|, or (x − z)² for the profile "rbf"; levels of a category are equally similar.

    Parameters
    ----------
    columns : tuple of ColumnMeasure
        Columns of the table.
    orders : ndarray of shape (2,)
        σ₁ and σ₂, amplitudes of main effects and of pairs; a pair has them times b_j b_l.
    amplitudes : ndarray of shape (n_columns,)
        b_j.
    inverse_widths : ndarray of shape (n_columns,)
        s_j; without meaning for categories.
    profile : {"laplacian", "rbf"}, default="laplacian"
        Kernel of a number.

    References
    ----------
    Lu, Boukouvalas & Hensman, "Additive Gaussian processes revisited", ICML (2022); Duvenaud, Nickisch &
    Rasmussen, "Additive Gaussian processes", NIPS (2011).
    """

    columns: tuple[ColumnMeasure, ...]
    orders: NDArray
    amplitudes: NDArray
    inverse_widths: NDArray
    profile: str = "laplacian"

    name = "additive"
    has_scale_gradient = False
    takes_sparse = False

    def __post_init__(self) -> None:
        if self.profile not in _PROFILES:
            raise ValueError(f"profile must be one of {', '.join(_PROFILES)}; got {self.profile!r}.")

    @property
    def is_number(self) -> NDArray:
        """Which columns are no categories, so that they have a width."""
        return np.array([not column.is_category for column in self.columns], dtype=bool)

    def main(self, j: int, X: Rows, Z: Rows) -> Values:
        """Covariance of the main effect of column j between rows, σ₁ k̃_j."""
        return self.orders[0] * self._centred(j, X, Z)

    def pair(self, j: int, other: int, X: Rows, Z: Rows) -> Values:
        """Covariance of the effect of a pair of columns between rows, σ₂ k̃_j k̃_other."""
        return self.orders[1] * self._centred(j, X, Z) * self._centred(other, X, Z)

    def pairs(self, X: Rows, Z: Rows) -> Values:
        """Covariance of the sum of the effects of all pairs."""
        total, squares = self._power_sums(X, Z)
        return 0.5 * self.orders[1] * (np.square(total) - squares)

    def _values(self, X: Rows, Z: Rows) -> Values:
        total, squares = self._power_sums(X, Z)
        return self.orders[0] * total + 0.5 * self.orders[1] * (np.square(total) - squares)

    def diagonal(self, X: Rows) -> Values:
        """k(x, x) for each row."""
        total, squares = np.zeros(len(X)), np.zeros(len(X))
        for j in range(len(self.columns)):
            part = self.main_diagonal(j, X) / self.orders[0]
            total += part
            squares += np.square(part)
        return self.orders[0] * total + 0.5 * self.orders[1] * (np.square(total) - squares)

    def main_diagonal(self, j: int, X: Rows) -> Values:
        """σ₁ k̃_j(x, x) for each row."""
        means, M = self._means(j, X)
        return self.orders[0] * self.amplitudes[j] * (1.0 - np.square(means) / M)

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Scales of features are not learned: the kernel has widths of its own.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError(
            f"The {self.name!r} kernel has no derivative in the scales of features, but widths of its own."
        )

    @property
    def log_parameters(self) -> Values:
        """Logarithms of σ₁, σ₂, all b_j, and s_j of the numbers."""
        return np.log(np.concatenate([self.orders, self.amplitudes, self.inverse_widths[self.is_number]]))

    def with_log_parameters(self, values: Any) -> Additive:
        """Kernel with other parameters, from their logarithms in the order of ``log_parameters``."""
        orders, amplitudes, numbers = np.split(np.exp(values), [2, 2 + len(self.columns)])
        widths = np.ones(len(self.columns))
        widths[self.is_number] = numbers
        return replace(self, orders=orders, amplitudes=amplitudes, inverse_widths=widths)

    def parameter_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> Values:
        """Derivative of an objective in each of ``log_parameters``."""
        total, squares = self._power_sums(X, Z)
        one, two = self.orders
        by_orders = [
            one * np.vdot(upstream, total),
            0.5 * two * np.vdot(upstream, np.square(total) - squares),
        ]
        by_amplitude, by_width = [], []
        base, pairs = one * upstream + two * upstream * total, two * upstream
        for j, column in enumerate(self.columns):
            centred = self._centred(j, X, Z)
            part = base - pairs * centred
            by_amplitude.append(np.vdot(part, centred))
            if not column.is_category:
                by_width.append(self.amplitudes[j] * self._width_derivative(j, X, Z, part))
        return np.array([*by_orders, *by_amplitude, *by_width])

    def _power_sums(self, X: Rows, Z: Rows) -> tuple[Values, Values]:
        """Σ_j k̃_j and Σ_j k̃_j²."""
        total, squares = np.zeros((2, len(X), len(Z)))
        for centred in self._all_centred(X, Z):
            total += centred
            squares += np.square(centred, out=centred)
        return total, squares

    def _all_centred(self, X: Rows, Z: Rows) -> Iterator[Values]:
        return (self._centred(j, X, Z) for j in range(len(self.columns)))

    def _centred(self, j: int, X: Rows, Z: Rows) -> Values:
        """b_j (k_j(x, z) − m(x) m(z) / M) for all pairs of rows."""
        (by_x, M), (by_z, _) = self._means(j, X), self._means(j, Z)
        values = self._column_kernel(j, X[:, self.columns[j].places], Z[:, self.columns[j].places])
        values -= by_x[:, None] * (by_z / M)
        values *= self.amplitudes[j]
        return values

    def _means(self, j: int, X: Rows) -> tuple[Values, float]:
        """m(x) of each row, and M."""
        column = self.columns[j]
        p, within = (
            column.probabilities,
            self._column_kernel(j, column.points, column.points) @ column.probabilities,
        )
        return self._column_kernel(j, X[:, column.places], column.points) @ p, max(float(p @ within), 1e-12)

    def _column_kernel(self, j: int, a: Values, b: Values) -> Values:
        """k_j between entries of column j."""
        if self.columns[j].is_category:
            return (a.argmax(axis=1)[:, None] == b.argmax(axis=1)).astype(float)
        distances = _distances(a, b, self.profile)
        distances *= -self.inverse_widths[j]
        return np.exp(distances, out=distances)

    def _width_derivative(self, j: int, X: Rows, Z: Rows, upstream: Values) -> float:
        """Σ upstream_ij ∂(k_j − m m / M) / ∂ log s_j."""
        column = self.columns[j]
        x, z, points, p = X[:, column.places], Z[:, column.places], column.points, column.probabilities
        (by_x, M), (by_z, _) = self._means(j, X), self._means(j, Z)
        dx = self._log_width_derivative(j, x, points) @ p
        dz = self._log_width_derivative(j, z, points) @ p
        dM = p @ self._log_width_derivative(j, points, points) @ p
        direct = np.vdot(upstream, self._log_width_derivative(j, x, z))
        weighted = upstream @ by_z
        return float(direct - (dx @ weighted + by_x @ (upstream @ dz)) / M + by_x @ weighted * dM / M**2)

    def _log_width_derivative(self, j: int, a: Values, b: Values) -> Values:
        """∂k_j / ∂ log s_j between entries of column j."""
        scaled = self.inverse_widths[j] * _distances(a, b, self.profile)
        return -scaled * np.exp(-scaled)


def _distances(a: Values, b: Values, profile: str) -> Values:
    """Summed absolute or squared differences between the entries of one column."""
    total = np.zeros((len(a), len(b)))
    for first, second in zip(a.T, b.T, strict=True):
        difference = first[:, None] - second
        total += np.abs(difference) if profile == "laplacian" else np.square(difference)
    return total
