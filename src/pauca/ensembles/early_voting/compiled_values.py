"""Traversal of flat forests of regressors with early stopping of rows whose mean is known; compiled.

Importing this module imports numba: do it where the functions are called.
"""

import numpy as np

from ...numerics.jit import compiled
from .compiled_votes import WIDTH, as_float32, next_label, one_tree, row_lists, sort_out


@compiled
def is_known(totals, squares, n_evaluated, spread, fixed, ranges, tolerance):
    """Whether the mean of all members lies within the tolerance, for every output.

    The half width of the interval is ``spread`` standard deviations of the members seen plus ``fixed`` times
    the range of the members, both by members evaluated. Two imaginary members, two tolerances above and below
    the mean, keep the standard deviation of members that agree above zero.
    """
    if not np.isfinite(spread[n_evaluated]):
        return False
    for output in range(totals.size):
        room = tolerance[output] - fixed[n_evaluated] * ranges[output]
        if room < 0:
            return False
        total = totals[output]
        deviations = squares[output] - total * total / n_evaluated + 8.0 * tolerance[output] ** 2
        if spread[n_evaluated] ** 2 * deviations > room * room * max(n_evaluated - 1, 1):
            return False
    return True


@compiled
def add_values(labels, values, n_evaluated, rows, n_rows, rule, totals, squares, queries):
    """Add the ``n_evaluated``-th numbers of each undecided row; rows whose mean is known leave the list."""
    n_left, last = 0, n_evaluated == rule[0].size - 1
    for place in range(n_rows):
        row, added = rows[place], values[labels[place]]
        for output in range(added.size):
            totals[row, output] += added[output]
            squares[row, output] += added[output] * added[output]
        known = last or is_known(totals[row], squares[row], n_evaluated, *rule)
        n_left = sort_out(row, known, n_evaluated, rows, n_left, queries)
    return n_left


@compiled
def evaluate_values(
    nodes, right_if_missing, roots, values, X, has_missing, block, rule, totals, squares, queries
):
    """Enter sums, sums of squares and trees evaluated of each row, block by block of rows."""
    for start in range(0, X.shape[0], block):
        n_rows = min(block, X.shape[0] - start)
        rows, labels = row_lists(start, start + n_rows)
        for tree in range(roots.size):
            one_tree(nodes, right_if_missing, has_missing, roots[tree], X, rows, n_rows, labels)
            n_rows = add_values(labels, values, tree + 1, rows, n_rows, rule, totals, squares, queries)
            if n_rows == 0:
                break


@compiled
def evaluate_row_values(X, nodes, roots, values, shift, spread, fixed, ranges, tolerance):
    """Sums and trees evaluated of a single row; no trees if it is not finite."""
    x, finite = as_float32(X)
    totals, squares = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    if not finite:
        return totals, 0
    labels, n_evaluated = np.empty(WIDTH, dtype=np.int32), 0
    while n_evaluated < roots.size:
        added = values[next_label(nodes, roots, x, n_evaluated, labels)]
        totals += added
        squares += added * added
        n_evaluated += 1
        if is_known(totals, squares, n_evaluated, spread, fixed, ranges, tolerance):
            break
    return totals / n_evaluated + shift, n_evaluated
