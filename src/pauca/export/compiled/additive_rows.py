"""Kernels of main effects and pairs on one row, compiled; the tables are those of `packing`.

Importing this module imports numba: do it where the functions are called.
"""

import math

import numpy as np

from ...numerics.jit import compiled


@compiled
def _value(distance_to, start, stride, u, place, wide, is_squared, rate):
    """Kernel of the entries of one column of a row and of a point, exp(-rate · distance)."""
    distance = 0.0
    for d in range(wide):
        e = u[place + d] - distance_to[start + stride * d]
        distance += e * e if is_squared else abs(e)
    return math.exp(-rate * distance)


@compiled
def _level(u, place, wide):
    """Level of a row in a category: the largest of its indicators."""
    level = 0
    for d in range(1, wide):
        if u[place + d] > u[place + level]:
            level = d
    return level


@compiled
def additive(tables, u, vectors, m, values):
    """Enter the values of an additive kernel with all vectors; k(x, x)."""
    n, width, is_squared, n_points = int(tables[0]), int(tables[1]), tables[2] > 0.0, int(tables[5])
    points = tables[6 + 8 * n :]
    probabilities = points[n_points * width :]
    means = probabilities[n_points:]
    levels, squares, total, square = means[n * m :], np.zeros(m), 0.0, 0.0
    values[:] = 0.0
    for c in range(n):
        column = tables[6 + 8 * c : 14 + 8 * c]
        place, wide, is_category, amplitude = int(column[0]), int(column[1]), column[2] > 0.0, column[3]
        rate, mean, level, first = column[4], 0.0, 0, int(column[6])
        if is_category:
            level = _level(u, place, wide)
            mean = probabilities[first + level]
        else:
            for q in range(first, first + int(column[7])):
                value = _value(points, q * width, 1, u, place, wide, is_squared, rate)
                mean += probabilities[q] * value
        part = amplitude * (1.0 - mean * mean / column[5])
        total += part
        square += part * part
        for j in range(m):
            if is_category:
                value = 1.0 if levels[c * m + j] == level else 0.0
            else:
                value = _value(vectors, place * m + j, m, u, place, wide, is_squared, rate)
            value = amplitude * (value - mean * means[c * m + j])
            values[j] += value
            squares[j] += value * value
    main, pairs = tables[3], 0.5 * tables[4]
    for j in range(m):
        values[j] = main * values[j] + pairs * (values[j] * values[j] - squares[j])
    return main * total + pairs * (total * total - square)
