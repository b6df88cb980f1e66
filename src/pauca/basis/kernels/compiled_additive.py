"""Loops of the orthogonal additive kernel over rows and columns, compiled.

Values of all columns of a pair of rows are summed in one pass, without an array for each column. Importing
this module loads numba: do it where the functions are called.
"""

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...numerics.jit import compiled

# How the kernel of a column is computed: equality of levels; exp(−s |x − z|) as a ratio of exp(s x) and
# exp(s z), which needs no exponential for a pair; the same where these overflow; exp(−s (x − z)²).
CATEGORY, RATIO, LAPLACIAN, SQUARED = 0, 1, 2, 3
# Sums may be done in any order.
_FAST = {"reassoc", "contract", "nsz", "arcp"}


class Entries(NamedTuple):
    """Entries of rows by column, each an array of shape (n_columns, n_rows).

    Parameters
    ----------
    values : ndarray
        Placed numbers, or codes of levels.
    gaps : ndarray
        Placed indicators of missing numbers.
    up, down : ndarray
        exp(s x) and exp(−s x), for columns computed by ratios.
    means, gradients : ndarray
        m(x), the mean of the kernel over the training entries, and its derivative in log s.
    """

    values: NDArray
    gaps: NDArray
    up: NDArray
    down: NDArray
    means: NDArray
    gradients: NDArray


class Form(NamedTuple):
    """Parameters of the kernel, arrays of shape (n_columns,) but for the two ``orders``.

    Parameters
    ----------
    modes : ndarray of int
        How the kernel of each column is computed.
    widths, amplitudes : ndarray
        s and b.
    overall, gradients : ndarray
        M, the mean of m over the training entries, and its derivative in log s.
    orders : ndarray of shape (2,)
        Amplitudes of main effects and pairs.
    """

    modes: NDArray
    widths: NDArray
    amplitudes: NDArray
    overall: NDArray
    gradients: NDArray
    orders: NDArray


@compiled(fastmath=_FAST)
def _fill(out, mode, width, x, x_gap, x_up, x_down, z, z_gap, z_up, z_down):
    """Kernel of a column between one entry and many, into ``out``."""
    if mode == CATEGORY:
        for m in range(len(out)):
            out[m] = 1.0 if z[m] == x else 0.0
    elif mode == RATIO:
        apart = exp(-width)
        for m in range(len(out)):
            near = min(x_up * z_down[m], x_down * z_up[m])
            out[m] = near if z_gap[m] == x_gap else near * apart
    elif mode == LAPLACIAN:
        for m in range(len(out)):
            out[m] = exp(-width * (abs(x - z[m]) + abs(x_gap - z_gap[m])))
    else:
        for m in range(len(out)):
            out[m] = exp(-width * ((x - z[m]) ** 2 + (x_gap - z_gap[m]) ** 2))


@compiled(fastmath=_FAST)
def _gradients(out, k, mode, width, x, x_gap, z, z_gap):
    """Derivatives in log s of the kernel values ``k`` of a number, into ``out``."""
    if mode == SQUARED:
        for m in range(len(out)):
            out[m] = -width * ((x - z[m]) ** 2 + (x_gap - z_gap[m]) ** 2) * k[m]
    else:
        for m in range(len(out)):
            out[m] = -width * (abs(x - z[m]) + abs(x_gap - z_gap[m])) * k[m]


@compiled(fastmath=_FAST)
def column_means(means, gradients, mode, width, rows, points, weights):
    """m(x) and ∂m / ∂log s of the entries of one column, given its points and their probabilities.

    ``rows`` and ``points`` are values, gaps, up and down.
    """
    values, gaps, up, down = rows
    z, z_gap, z_up, z_down = points
    k, change = np.empty(len(z)), np.empty(len(z))
    for i in range(len(values)):
        _fill(k, mode, width, values[i], gaps[i], up[i], down[i], z, z_gap, z_up, z_down)
        _gradients(change, k, mode, width, values[i], gaps[i], z, z_gap)
        first, second = 0.0, 0.0
        for m in range(len(z)):
            first += weights[m] * k[m]
            second += weights[m] * change[m]
        means[i], gradients[i] = first, second


@compiled(fastmath=_FAST)
def _centred(k, i, j, X, Z, form):
    """b (k − m(x) m(z) / M) of column j between row i and all rows of Z, into ``k``."""
    _fill(
        k,
        form.modes[j],
        form.widths[j],
        X.values[j, i],
        X.gaps[j, i],
        X.up[j, i],
        X.down[j, i],
        Z.values[j],
        Z.gaps[j],
        Z.up[j],
        Z.down[j],
    )
    share, means, b = X.means[j, i] / form.overall[j], Z.means[j], form.amplitudes[j]
    for m in range(len(k)):
        k[m] = b * (k[m] - share * means[m])


@compiled(fastmath=_FAST)
def _power_sums(total, squares, k, i, X, Z, form):
    """Σ_j k̃_j and Σ_j k̃_j² between row i and all rows of Z."""
    total[:] = 0.0
    squares[:] = 0.0
    for j in range(len(form.modes)):
        _centred(k, i, j, X, Z, form)
        for m in range(len(k)):
            total[m] += k[m]
            squares[m] += k[m] * k[m]


@compiled(fastmath=_FAST)
def additive_values(X, Z, form, only_pairs):
    """Kernel values of all pairs of rows; ``only_pairs``: without main effects."""
    n, size = X.values.shape[1], Z.values.shape[1]
    out = np.empty((n, size))
    k, total, squares = np.empty(size), np.empty(size), np.empty(size)
    one, two = 0.0 if only_pairs else form.orders[0], 0.5 * form.orders[1]
    for i in range(n):
        _power_sums(total, squares, k, i, X, Z, form)
        for m in range(size):
            out[i, m] = one * total[m] + two * (total[m] * total[m] - squares[m])
    return out


@compiled(fastmath=_FAST)
def additive_gradient(X, Z, form, upstream):
    """Derivatives of an objective in log σ₁, log σ₂, all log b_j and all log s_j, given those in the values.

    With u_ij the derivative in k̃_j(x, z), the one in log s_j has the parts of ∂k, of ∂m(x), ∂m(z) and ∂M.
    """
    n, size, d = X.values.shape[1], Z.values.shape[1], len(form.modes)
    one, two = form.orders
    orders, amplitudes, widths = np.zeros(2), np.zeros(d), np.zeros(d)
    k, total, squares = np.empty(size), np.empty(size), np.empty(size)
    change, part, by_z = np.empty(size), np.empty(size), np.zeros((d, size))
    for i in range(n):
        _power_sums(total, squares, k, i, X, Z, form)
        for m in range(size):
            orders[0] += upstream[i, m] * total[m]
            orders[1] += upstream[i, m] * (total[m] * total[m] - squares[m])
        for j in range(d):
            _centred(k, i, j, X, Z, form)
            found = 0.0
            for m in range(size):
                part[m] = upstream[i, m] * (one + two * (total[m] - k[m]))
                found += part[m] * k[m]
            amplitudes[j] += found
            if form.modes[j] != CATEGORY:
                widths[j] += _row_by_width(change, k, part, by_z[j], i, j, X, Z, form)
    for j in range(d):
        if form.modes[j] != CATEGORY:
            found = 0.0
            for m in range(size):
                found += by_z[j, m] * Z.gradients[j, m]
            widths[j] -= found / form.overall[j]
            widths[j] *= form.amplitudes[j]
    orders[0] *= one
    orders[1] *= 0.5 * two
    return orders, amplitudes, widths


@compiled(fastmath=_FAST)
def _row_by_width(change, k, part, by_z, i, j, X, Z, form):
    """What row i adds to the derivative in log s_j over b_j, but for that by m(z), which goes to ``by_z``."""
    M, mean, b = form.overall[j], X.means[j, i], form.amplitudes[j]
    means = Z.means[j]
    for m in range(len(k)):
        k[m] = k[m] / b + mean / M * means[m]
    _gradients(change, k, form.modes[j], form.widths[j], X.values[j, i], X.gaps[j, i], Z.values[j], Z.gaps[j])
    direct, weighted = 0.0, 0.0
    for m in range(len(k)):
        direct += part[m] * change[m]
        weighted += part[m] * means[m]
        by_z[m] += part[m] * mean
    return direct - X.gradients[j, i] * weighted / M + mean * weighted * form.gradients[j] / (M * M)
