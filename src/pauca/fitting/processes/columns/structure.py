"""Structure of a process over the columns of a table: main effects, pairs, a kernel of all columns."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....basis import Additive, ColumnMeasure, Scaled
from ..problem import ProcessTrial
from ..process import Process

# Inverse width of the kernel of a number to start from, in standard deviations of the column; set by hand.
_INVERSE_WIDTH = 0.6


def additive_start(trial: ProcessTrial, measures: Sequence[ColumnMeasure]) -> ProcessTrial:
    """Trial of main effects and pairs alone, to climb from.

    Parameters
    ----------
    trial : ProcessTrial
        Best trial of a kernel of all columns.
    measures : sequence of ColumnMeasure
        Columns of the table.
    """
    kernel = _additive(measures)
    return replace(trial, process=replace(trial.process, kernel=kernel, scales=None, trend=0.0))


def combined_start(
    trial: ProcessTrial, additive: ProcessTrial, measures: Sequence[ColumnMeasure]
) -> ProcessTrial:
    """Trial of main effects, pairs and the best kernel of all columns, to climb from.

    Parameters
    ----------
    trial : ProcessTrial
        Best trial of a kernel of all columns.
    additive : ProcessTrial
        Best trial of main effects and pairs; each of the two gives half its variance.
    measures : sequence of ColumnMeasure
        Columns of the table.
    """
    process, effects = trial.process, additive.process.kernel
    groups = np.concatenate([np.full(len(column.places), j) for j, column in enumerate(measures)])
    scales = np.ones(len(measures)) if process.scales is None else process.scales
    effects = replace(effects, orders=0.5 * additive.process.amplitude * effects.orders)
    kernel = effects + Scaled(process.kernel, 0.5 * process.amplitude, scales, groups)
    return replace(trial, process=replace(process, kernel=kernel, amplitude=1.0, scales=None))


def n_parameters(process: Process) -> int:
    """Number of scales, widths and amplitudes of a process."""
    return len(process.kernel.log_parameters) + (0 if process.scales is None else len(process.scales))


def _additive(measures: Sequence[ColumnMeasure]) -> Additive:
    n = len(measures)
    return Additive(tuple(measures), np.ones(2), np.full(n, 1 / n), np.full(n, _INVERSE_WIDTH))


def column_factors(process: Process, measures: Sequence[ColumnMeasure]) -> NDArray:
    """Factor of each column in the kernel of all columns, else the inverse width of its main effect.

    A category without a kernel of all columns has the amplitude of its main effect.
    """
    scaled = next((part for part in process.kernel.parts if isinstance(part, Scaled)), None)
    if scaled is not None:
        return scaled.scales
    if isinstance(process.kernel, Additive):
        kernel = process.kernel
        return np.where(kernel.is_number, kernel.inverse_widths, kernel.amplitudes)
    return np.ones(len(measures)) if process.scales is None else process.scales


def column_shares(process: Process, measures: Sequence[ColumnMeasure]) -> NDArray:
    """Share of each column in the prior variance over the training entries, half of that of each pair.

    A kernel of all columns is shared out by the mean squared distances of the entries as it sees them.
    """
    shares = np.zeros(len(measures))
    for part in process.kernel.parts:
        if isinstance(part, Additive):
            shares += _additive_shares(part)
            continue
        scales = part.scales if isinstance(part, Scaled) else process.scales
        squares = np.ones(len(measures)) if scales is None else np.square(scales)
        distances = squares * np.array([_variance(column) for column in measures])
        size = part.amplitude if isinstance(part, Scaled) else 1.0
        shares += size * distances / max(distances.sum(), np.finfo(float).tiny)
    total = shares.sum()
    return shares / total if total > 0 else np.full(len(shares), 1 / len(shares))


def _additive_shares(kernel: Additive) -> NDArray:
    """Prior variances of main effects, and half of those of the pairs, in which each column is."""
    n_placed = sum(len(column.places) for column in kernel.columns)
    variances = np.zeros(len(kernel.columns))
    for j, column in enumerate(kernel.columns):
        points = np.zeros((len(column.points), n_placed))
        points[:, column.places] = column.points
        variances[j] = column.probabilities @ kernel.main_diagonal(j, points) / kernel.orders[0]
    pairs = variances * (variances.sum() - variances)
    return kernel.orders[0] * variances + 0.5 * kernel.orders[1] * pairs


def _variance(column: ColumnMeasure) -> float:
    """Summed variance of the placed numbers of a column over its training entries."""
    mean = column.probabilities @ column.points
    return float(column.probabilities @ np.square(column.points - mean).sum(axis=1))
