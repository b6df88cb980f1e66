"""Effects: a process as a sum of a constant, main effects of columns, effects of pairs and the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....basis import RBF, Additive, ColumnMeasure, Laplacian, Scaled
from ....numerics import solve_lower
from ..posterior import ProcessPosterior

# Least mean of a kernel over the entries of a column; numerical guard.
_TINY = 1e-300


class Part(NamedTuple):
    """Part of a process at some rows.

    Parameters
    ----------
    covariance : ndarray of shape (n_rows, n_vectors)
        Prior covariance with f at the vectors.
    variance : ndarray of shape (n_rows,) or None
        Prior variance; None where only the part that the vectors explain is known.
    """

    covariance: NDArray
    variance: NDArray | None


class Moments(NamedTuple):
    """Posterior moments of parts: a column for the constant, each column of the table, each pair, the rest.

    Parameters
    ----------
    mean, std : ndarray of shape (n_rows, n_parts)
        Means, which sum to that of f, and standard deviations.
    """

    mean: NDArray
    std: NDArray


def effect_moments(
    posterior: ProcessPosterior,
    measures: Sequence[ColumnMeasure],
    pairs: Sequence[tuple[int, int]],
    X: NDArray,
) -> Moments:
    """Posterior moments of the constant, main effects, pairs, and all other interactions.

    Main effects and pairs have mean zero over the training entries of each of their columns (functional
    analysis of variance). Additive kernels say so themselves; of an "rbf" or "laplacian" kernel of all
    columns they are the projections; any other kernel is part of the rest. The deviation of the rest leaves
    out what the vectors do not explain.

    Parameters
    ----------
    posterior : ProcessPosterior
        Posterior of the latent function.
    measures : sequence of ColumnMeasure
        Columns of the table.
    pairs : sequence of (int, int)
        Pairs of columns that are shown.
    X : ndarray of shape (n_rows, n_placed)
        Placed rows.
    """
    process, n = posterior.process, posterior.n_vectors
    parts = _sum_of_parts([_parts(term, measures, pairs, X, posterior.vectors) for term in _terms(process)])
    features = process.features(X)
    means, deviations = [], []
    for place, part in enumerate(parts):
        taken = np.zeros(features.shape)
        if place == 0:
            taken[:, 0] = features[:, 0]
        elif place <= len(measures) and process.trend:
            at = 1 + measures[place - 1].places
            taken[:, at] = features[:, at]
        whitened = solve_lower(posterior.root, part.covariance.T).T if n else np.empty((len(X), 0))
        Phi = np.hstack([taken, whitened])
        variance = np.square(solve_lower(posterior.factor, Phi.T)).sum(axis=0)
        if part.variance is not None:
            variance += np.maximum(part.variance - np.square(whitened).sum(axis=1), 0.0)
        means.append(Phi @ posterior.mean + (process.constant[0] if place == 0 else 0.0))
        deviations.append(np.sqrt(variance))
    return Moments(np.column_stack(means), np.column_stack(deviations))


def _sum_of_parts(terms: list[list[Part]]) -> list[Part]:
    """Parts of a sum of independent terms."""
    summed = []
    for parts in zip(*terms, strict=True):
        variances = [part.variance for part in parts]
        known = [variance for variance in variances if variance is not None]
        total = sum(known) if len(known) == len(variances) else None
        summed.append(Part(sum(part.covariance for part in parts), total))  # type: ignore[arg-type]
    return summed


@dataclass(frozen=True)
class _Term:
    """Term of the covariance of a process: factor · kernel(x · scales, z · scales)."""

    kernel: Any
    factor: float
    scales: NDArray | float = 1.0


def _terms(process: Any) -> list[_Term]:
    """Terms of the kernel of a process."""
    kernel, scales = process.kernel, 1.0 if process.scales is None else process.factors
    if not all(isinstance(part, Additive | Scaled) for part in kernel.parts):
        return [_Term(kernel, process.amplitude, scales)]
    return [
        _Term(part.kernel, process.amplitude * part.amplitude, part.scales[part.groups])
        if isinstance(part, Scaled)
        else _Term(part, process.amplitude)
        for part in kernel.parts
    ]


def _parts(
    term: _Term, measures: Sequence[ColumnMeasure], pairs: Sequence[tuple[int, int]], X: NDArray, Z: NDArray
) -> list[Part]:
    """Parts of one term: constant, main effects, pairs, the rest."""
    if isinstance(term.kernel, Additive):
        return _additive_parts(term, pairs, X, Z)
    whole = term.factor * term.kernel(X * term.scales, Z * term.scales)
    if not isinstance(term.kernel, RBF | Laplacian):
        zero = Part(np.zeros(whole.shape), np.zeros(len(X)))
        return [zero] * (1 + len(measures) + len(pairs)) + [Part(whole, None)]
    projections = _Projections(term, measures, X, Z)
    parts = [projections.part(columns) for columns in [(), *((j,) for j in range(len(measures))), *pairs]]
    return [*parts, Part(whole - sum(part.covariance for part in parts), None)]


def _additive_parts(term: _Term, pairs: Sequence[tuple[int, int]], X: NDArray, Z: NDArray) -> list[Part]:
    """Parts of an additive kernel, which has no constant."""
    kernel, a = term.kernel, term.factor
    one, two = kernel.orders
    diagonals = [kernel.main_diagonal(j, X) for j in range(len(kernel.columns))]
    mains = [Part(a * kernel.main(j, X, Z), a * diagonal) for j, diagonal in enumerate(diagonals)]
    shown = [
        Part(a * kernel.pair(j, k, X, Z), a * two * diagonals[j] * diagonals[k] / one**2) for j, k in pairs
    ]
    total, squares = sum(diagonals), sum(np.square(diagonal) for diagonal in diagonals)
    variance = 0.5 * a * two * (np.square(total) - squares) / one**2
    covariance = a * kernel.pairs(X, Z)
    for part in shown:
        covariance = covariance - part.covariance
        variance = variance - part.variance
    constant = Part(np.zeros(covariance.shape), np.zeros(len(X)))
    return [constant, *mains, *shown, Part(covariance, np.maximum(variance, 0.0))]


class _Projections:
    """Projections of a kernel that is a product over columns on functions of few of them."""

    def __init__(self, term: _Term, measures: Sequence[ColumnMeasure], X: NDArray, Z: NDArray) -> None:
        self.term, self.measures, self.X, self.Z = term, measures, X, Z

    @cached_property
    def by_vector(self) -> NDArray:
        """Mean of the kernel of each column between training entries and each vector."""
        return np.array([self._means(column, self.Z) for column in self.measures])

    @cached_property
    def overall(self) -> NDArray:
        """Mean of the kernel of each column between two training entries."""
        return np.array([c.probabilities @ self._within(c, c.points) for c in self.measures])

    def part(self, columns: tuple[int, ...]) -> Part:
        """Projection on the functions of some columns with mean zero over each of them."""
        others = [j for j in range(len(self.measures)) if j not in columns]
        covariance = np.exp(np.log(np.maximum(self.by_vector[others], _TINY)).sum(axis=0))
        covariance = self.term.factor * np.repeat(covariance[None], len(self.X), axis=0)
        variance = np.full(len(self.X), self.term.factor * np.prod(self.overall[others]))
        for j in columns:
            column = self.measures[j]
            values = self._kernel(column, self.X[:, column.places], self.Z[:, column.places])
            covariance *= values - self.by_vector[j]
            variance *= 1 - 2 * self._means(column, self.X) + self.overall[j]
        return Part(covariance, np.maximum(variance, 0.0))

    def _means(self, column: ColumnMeasure, rows: NDArray) -> NDArray:
        return self._within(column, rows[:, column.places])

    def _within(self, column: ColumnMeasure, entries: NDArray) -> NDArray:
        """Mean of the kernel between entries of a column and training entries."""
        return self._kernel(column, entries, column.points) @ column.probabilities

    def _kernel(self, column: ColumnMeasure, a: NDArray, b: NDArray) -> NDArray:
        scales = self.term.scales
        factors = scales[column.places] if isinstance(scales, np.ndarray) else scales
        return self.term.kernel(a * factors, b * factors)
