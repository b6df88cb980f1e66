"""Leaves of flat trees that the rows of a box can reach, and probabilities within a tolerance; compiled.

Importing this module imports numba: do it where the functions are called.
"""

import numpy as np

from ...numerics.jit import compiled
from .compiled_sums import one_tree, row_lists

# Kinds of nodes up to this compare numbers, as in additive_trees.
_MISSING_IS_ZERO = 1
# Codes of the links from scores to probabilities; all others are sigmoids.
SOFTMAX = 1


@compiled
def reachable(nodes, values, kinds, root, low, high, stack, least, most):
    """Enter the least and the largest value of the leaves that rows in the box (low, high] can reach."""
    least[:], most[:] = np.inf, -np.inf
    stack[0], height = root, 1
    while height:
        height -= 1
        node = stack[height]
        child = nodes[node].child
        if child == node:
            for column in range(values.shape[1]):
                least[column] = min(least[column], values[node, column])
                most[column] = max(most[column], values[node, column])
            continue
        feature, threshold = nodes[node].feature, nodes[node].threshold
        if kinds[node] > _MISSING_IS_ZERO or low[feature] < threshold:
            stack[height] = child
            height += 1
        if kinds[node] > _MISSING_IS_ZERO or high[feature] > threshold:
            stack[height] = child + 1
            height += 1


@compiled
def ranges(nodes, values, kinds, roots, low, high, least, most):
    """Enter the least and the largest value of every tree in a box, shapes (n_trees, width)."""
    stack = np.empty(nodes.size + 1, dtype=np.int32)
    for tree in range(roots.size):
        reachable(nodes, values, kinds, roots[tree], low, high, stack, least[tree], most[tree])


@compiled
def _sigmoid(score):
    return 1.0 / (1.0 + np.exp(-score))


@compiled
def _is_close(scores, least, most, link, steepness, tolerance):
    """Whether all probabilities, with the remaining trees anywhere in their bounds, are within the tolerance.

    The estimate takes the middle of the bounds; it lies between the extremes of every class.
    """
    middle = (least + most) / 2
    if link != SOFTMAX:
        for output in range(scores.size):
            share = _sigmoid(steepness * (scores[output] + middle[output]))
            smallest = _sigmoid(steepness * (scores[output] + least[output]))
            largest = _sigmoid(steepness * (scores[output] + most[output]))
            if max(largest - share, share - smallest) > tolerance:
                return False
        return True
    top = (scores + most).max()
    low, high = np.exp(scores + least - top), np.exp(scores + most - top)
    shares = np.exp(scores + middle - top)
    shares /= shares.sum()
    for output in range(scores.size):
        largest = high[output] / (high[output] + low.sum() - low[output])
        smallest = low[output] / (low[output] + high.sum() - high[output])
        if max(largest - shares[output], shares[output] - smallest) > tolerance:
            return False
    return True


@compiled
def evaluate_probabilities(
    trees, roots, outputs, least, most, X, general, link, steepness, tolerance, scores, queries
):
    """Enter scores whose probabilities are within the tolerance, and the trees evaluated of every row.

    ``least`` and ``most`` bound what the trees after each round add to every output.
    """
    width = trees[1].shape[1]
    per_round, n_rows = scores.shape[1] // width, X.shape[0]
    rows, leaves = row_lists(0, n_rows)
    for tree in range(roots.size):
        one_tree(trees, general, roots[tree], X, rows, n_rows, leaves)
        for place in range(n_rows):
            for column in range(width):
                scores[rows[place], outputs[tree] + column] += trees[1][leaves[place], column]
        if (tree + 1) % per_round:
            continue
        done, n_left = (tree + 1) // per_round, 0
        for place in range(n_rows):
            row = rows[place]
            if _is_close(scores[row], least[done], most[done], link, steepness, tolerance):
                queries[row] = tree + 1
                scores[row] += (least[done] + most[done]) / 2
            else:
                rows[n_left] = row
                n_left += 1
        n_rows = n_left
        if n_rows == 0:
            break
