"""Leaves of flat trees that the rows of a box can reach, predictions within a tolerance; compiled.

Importing this module imports numba: do it where the functions are called.
"""

import numpy as np

from ...numerics.jit import compiled
from .compiled_sums import WIDTH, cell_of, checked_row, one_tree, row_lists, traverse_eight

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


@compiled
def _known(score, rest, motion, scale, shift, exponential, tolerance):
    """Whether a number is known within the tolerance, and its estimate: by certificate, or by the rule."""
    low, high = score + rest[0], score + rest[1]
    if exponential:
        low, high = np.exp(low), np.exp(high)
    if high - low <= 2 * tolerance:
        return True, (low + high) / 2
    estimate, step = score + shift, scale * motion
    if exponential:
        estimate = np.exp(estimate)
        step *= estimate
    return step <= tolerance, estimate


@compiled
def evaluate_values(trees, roots, router, rest, rule, X, general, block, link, values, queries):
    """Enter the numbers and the trees evaluated of every row, block by block of rows.

    ``rest[cell, t]`` bounds what the trees after t add; ``rule`` has scale and shift by trees evaluated and
    the memory of the motion, ``link`` whether the number is the exponential of the score, and the tolerance.
    """
    scale, shift, memory = rule
    for start in range(0, X.shape[0], block):
        n_rows = min(block, X.shape[0] - start)
        rows, leaves = row_lists(start, start + n_rows)
        cells, motion = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows)
        for place in range(0 if general else n_rows):
            cells[place] = cell_of(router, X[start + place])
        for tree in range(roots.size):
            one_tree(trees, general, roots[tree], X, rows, n_rows, leaves)
            n_left, done = 0, tree + 1
            for place in range(n_rows):
                row = rows[place]
                added, own = trees[1][leaves[place], 0], row - start
                values[row] += added
                motion[own] = memory * motion[own] + (1 - memory) * abs(added)
                known, estimate = _known(
                    values[row],
                    rest[cells[own], done],
                    motion[own],
                    scale[done],
                    shift[done],
                    link[0],
                    link[1],
                )
                if known:
                    values[row], queries[row] = estimate, done
                else:
                    rows[n_left] = row
                    n_left += 1
            n_rows = n_left
            if n_rows == 0:
                break


@compiled
def evaluate_row_value(X, single, nodes, leaf_values, roots, router, rest, rule, base, link):
    """Number and trees evaluated of a single row; (0, -1) if it is not finite."""
    x, finite = checked_row(X, single)
    if not finite:
        return 0.0, -1
    scale, shift, memory = rule
    score, motion, mine = base, 0.0, rest[cell_of(router, x[0])]
    leaves, places = np.empty(WIDTH, dtype=np.int32), np.zeros(WIDTH, dtype=np.int64)
    trees = np.empty(WIDTH, dtype=np.int32)
    for tree in range(roots.size):
        if tree % WIDTH == 0:
            for place in range(WIDTH):
                trees[place] = roots[min(tree + place, roots.size - 1)]
            traverse_eight(nodes, x, places, trees, leaves)
        added, done = leaf_values[leaves[tree % WIDTH], 0], tree + 1
        score += added
        motion = memory * motion + (1 - memory) * abs(added)
        known, estimate = _known(score, mine[done], motion, scale[done], shift[done], link[0], link[1])
        if known:
            return estimate, done
    return score, roots.size


@compiled
def trace_values(trees, roots, base, X, general, memory, scores, motions):
    """Enter score and motion of every row after each tree."""
    rows, leaves = row_lists(0, X.shape[0])
    for tree in range(roots.size):
        one_tree(trees, general, roots[tree], X, rows, X.shape[0], leaves)
        for row in range(X.shape[0]):
            added = trees[1][leaves[row], 0]
            scores[row, tree] = (scores[row, tree - 1] if tree else base) + added
            motions[row, tree] = memory * (motions[row, tree - 1] if tree else 0.0) + (1 - memory) * abs(
                added
            )
