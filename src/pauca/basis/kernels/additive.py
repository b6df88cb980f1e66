"""Orthogonal additive kernel: main effects of columns and effects of pairs, each with mean zero."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...numerics import all_entries, few_entries
from .features import Rows, Values
from .without_gamma import KernelWithoutGamma

_PROFILES = ("laplacian", "rbf")
# Least mean of a kernel over the entries of a column, and largest exponent of a ratio; numerical guards.
_TINY, _MOST_EXPONENT = 1e-12, 300.0


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

    def __getstate__(self) -> dict[str, Any]:
        """Fields of a file: distinct numbers once."""
        packed = {name: few_entries(getattr(self, name)) for name in ("points", "probabilities")}
        return {**self.__dict__, **packed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: all_entries(value) for name, value in state.items()})


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
        return self._compiled(X, Z, only_pairs=True)

    def _values(self, X: Rows, Z: Rows) -> Values:
        return self._compiled(X, Z, only_pairs=False)

    def _compiled(self, X: Rows, Z: Rows, only_pairs: bool) -> Values:
        from .compiled_additive import additive_values

        form, x, z = self._prepared(X, Z)
        return additive_values(x, z, form, only_pairs)

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
        from .compiled_additive import additive_gradient

        form, x, z = self._prepared(X, Z)
        orders, amplitudes, widths = additive_gradient(x, z, form, np.ascontiguousarray(upstream))
        return np.concatenate([orders, amplitudes, widths[self.is_number]])

    def diagonal_gradient(self, X: Rows, upstream: Values) -> Values:
        """Derivative of an objective in each of ``log_parameters``, given those in k(x, x) of each row."""
        form, x, _ = self._prepared(X, X[:0])
        M, b, (one, two) = form.overall[:, None], form.amplitudes[:, None], self.orders
        parts = b * (1.0 - np.square(x.means) / M)
        total, squares = parts.sum(axis=0), np.square(parts).sum(axis=0)
        by_part = upstream * (one + two * (total - parts))
        changes = b * x.means / M * (x.means / M * form.gradients[:, None] - 2.0 * x.gradients)
        orders = [one * upstream @ total, 0.5 * two * upstream @ (np.square(total) - squares)]
        by_width = (by_part * changes).sum(axis=1)[self.is_number]
        return np.concatenate([orders, (by_part * parts).sum(axis=1), by_width])

    def _prepared(self, X: Rows, Z: Rows) -> tuple[Any, Any, Any]:
        """Parameters and entries of rows, as the compiled loops take them."""
        from .compiled_additive import Entries, Form

        d, sizes = len(self.columns), (len(X), len(Z))
        modes, overall, changes = np.zeros(d, dtype=int), np.zeros(d), np.zeros(d)
        form = Form(modes, self.inverse_widths, self.amplitudes, overall, changes, self.orders)
        rows = [Entries(*np.zeros((6, d, size))) for size in sizes]
        for j, column in enumerate(self.columns):
            enter = self._enter_levels if column.is_category else self._enter_numbers
            enter(j, form, rows, (X[:, column.places], Z[:, column.places]))
        return form, rows[0], rows[1]

    def _enter_levels(self, j: int, form: Any, rows: Any, given: tuple[Values, Values]) -> None:
        """Write a category into the arrays of the compiled loops."""
        from .compiled_additive import CATEGORY

        p = self.columns[j].probabilities
        form.modes[j], form.overall[j] = CATEGORY, max(p @ p, _TINY)
        for entries, indicators in zip(rows, given, strict=True):
            codes = indicators.argmax(axis=1)
            entries.values[j], entries.means[j] = codes, p[codes]

    def _enter_numbers(self, j: int, form: Any, rows: Any, given: tuple[Values, Values]) -> None:
        """Write a number and its means over the training entries into the arrays of the compiled loops."""
        from .compiled_additive import LAPLACIAN, RATIO, SQUARED, column_means

        points, p, width = self.columns[j].points, self.columns[j].probabilities, self.inverse_widths[j]
        parts = (*given, points)
        centre = 0.5 * (points[:, 0].min() + points[:, 0].max())
        reach = max(np.abs(part[:, 0] - centre).max(initial=0.0) for part in parts)
        direct = SQUARED if self.profile == "rbf" else LAPLACIAN
        is_small = width * reach < _MOST_EXPONENT
        by_ratio = direct == LAPLACIAN and is_small and all(map(_are_indicators, parts))
        mode = form.modes[j] = RATIO if by_ratio else direct
        *found, knots = (_number_entries(part, width, centre, by_ratio) for part in parts)
        means = np.empty((2, len(points)))
        column_means(*means, mode, width, knots, knots, p)
        form.overall[j], form.gradients[j] = max(p @ means[0], _TINY), p @ means[1]
        for entries, values in zip(rows, found, strict=True):
            for array, each in zip(entries[:4], values, strict=True):
                array[j] = each
            column_means(entries.means[j], entries.gradients[j], mode, width, values, knots, p)

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
        return self._column_kernel(j, X[:, column.places], column.points) @ p, max(float(p @ within), _TINY)

    def _column_kernel(self, j: int, a: Values, b: Values) -> Values:
        """k_j between entries of column j."""
        if self.columns[j].is_category:
            return (a.argmax(axis=1)[:, None] == b.argmax(axis=1)).astype(float)
        distances = _distances(a, b, self.profile)
        distances *= -self.inverse_widths[j]
        return np.exp(distances, out=distances)


def _are_indicators(part: Values) -> bool:
    """Whether all placed columns but the first hold nothing but zero and one."""
    return bool(np.isin(part[:, 1:], (0.0, 1.0)).all())


def _number_entries(part: Values, width: float, centre: float, by_ratio: bool) -> tuple[Values, ...]:
    """Values, gaps, exp(s x) and exp(−s x) of the placed entries of a number."""
    values = np.ascontiguousarray(part[:, 0])
    gaps = np.ascontiguousarray(part[:, 1]) if part.shape[1] > 1 else np.zeros(len(part))
    up = np.exp(width * (values - centre)) if by_ratio else np.ones(len(part))
    return values, gaps, up, 1 / up


def _distances(a: Values, b: Values, profile: str) -> Values:
    """Summed absolute or squared differences between the entries of one column."""
    total = np.zeros((len(a), len(b)))
    for first, second in zip(a.T, b.T, strict=True):
        difference = first[:, None] - second
        total += np.abs(difference) if profile == "laplacian" else np.square(difference)
    return total
