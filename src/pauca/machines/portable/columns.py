"""Columns of a table, by kind, as inputs of a portable form."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...export import Inputs


def inputs_of(columns: Any) -> tuple[Inputs, NDArray, NDArray]:
    """Inputs that place cells as `pauca.tables.Columns` does, and the centre and factor of each.

    Dates are days since 1970-01-01, categories their codes, of which the last is for rare and unseen levels.
    """
    parts: list[tuple] = []
    levels, curves = {}, {}
    for source, column in enumerate(columns.columns):
        if column.width == 0:
            continue
        if column.is_category:
            parts += _indicators(source, column)
            levels[source] = tuple(column.levels)
            continue
        centre, factor = 0.0, 1.0
        if column.transform.name == "plain":
            centre, end = column.transform.points
            factor = 1 / (end - centre)
        else:
            curves[len(parts)] = (column.transform.points, column.transform.values)
        fill = float(np.ravel(column.transform.inverse(np.zeros(1)))[0])
        parts.append((source, fill, np.nan, False, centre, factor))
        if column.width == 2:
            parts.append((source, np.nan, np.nan, True, 0.0, _missing_place(column)))
    fields: list[Any] = [np.array(each) for each in zip(*parts, strict=True)]
    source, fill, equals, missing, centre, factor = fields
    names = tuple(str(column.name) for column in columns.columns)
    tells = missing if missing.any() else None
    inputs = Inputs(names, len(names), source, fill, equals, levels, tells, curves)
    return inputs, centre, factor


def _indicators(source, column):
    """Indicator of each level; missing cells have their own code, or that of unseen levels."""
    last = column.width - 1
    fill = float(len(column.known) if column.has_missing else last)
    place = float(column.measure[0].max())
    return [(source, fill, float(code), False, 0.0, place) for code in range(column.width)]


def _missing_place(column):
    """Placed value of a missing cell's indicator."""
    return float(column.measure[0][-1, 1])
