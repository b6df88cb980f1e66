"""Traversal of flat additive trees with early stopping of decided rows; compiled.

Eight traversals go side by side, so that they wait for memory together: eight rows through one tree or, for a
single row, one row through eight trees. All of it is in one file, because numba's cache does not notice
changes in another one. Importing this module imports numba: do it where the functions are called.
"""

import numpy as np

from ...numerics.jit import compiled

# Traversals side by side; the unrolled loop of `traverse_eight` has as many.
WIDTH = 8
# Kinds of nodes, as in additive_trees.
_NUMBER, _MISSING_IS_ZERO, _ZERO_IS_MISSING, _CATEGORIES = 0, 1, 2, 3
# Numbers up to this size are zero to LightGBM.
_ZERO = 1e-35


@compiled
def _step(nodes, x, node):
    """Next node of a row; a leaf leads to itself."""
    return nodes[node].child + np.int32(x[nodes[node].feature] > nodes[node].threshold)


@compiled
def traverse_eight(nodes, X, rows, roots, leaves):
    """Leaves in which eight rows of X end, each in its own tree."""
    x0, x1, x2, x3, x4, x5, x6, x7 = (
        *(X[rows[0]], X[rows[1]], X[rows[2]], X[rows[3]]),
        *(X[rows[4]], X[rows[5]], X[rows[6]], X[rows[7]]),
    )
    a, b, c, d, e, f, g, h = (
        *(roots[0], roots[1], roots[2], roots[3]),
        *(roots[4], roots[5], roots[6], roots[7]),
    )
    moved = True
    while moved:
        a0, b0, c0, d0, e0, f0, g0, h0 = a, b, c, d, e, f, g, h
        a, b, c, d = _step(nodes, x0, a), _step(nodes, x1, b), _step(nodes, x2, c), _step(nodes, x3, d)
        e, f, g, h = _step(nodes, x4, e), _step(nodes, x5, f), _step(nodes, x6, g), _step(nodes, x7, h)
        moved = (a ^ a0 | b ^ b0 | c ^ c0 | d ^ d0 | e ^ e0 | f ^ f0 | g ^ g0 | h ^ h0) != 0
    leaves[0], leaves[1], leaves[2], leaves[3] = a, b, c, d
    leaves[4], leaves[5], leaves[6], leaves[7] = e, f, g, h


@compiled
def _is_member(words, place, value):
    """Whether a value, cut to an integer, is in the bit set of categories stored at ``place``."""
    if value <= -1.0 or value >= 32.0 * words[place]:
        return False
    code = int(value)
    return (words[place + 1 + code // 32] >> np.uint32(code % 32)) & np.uint32(1) == np.uint32(1)


@compiled
def _goes_right(value, threshold, kind, missing_right, words):
    """Whether a value of any kind, missing ones among them, goes to the right child."""
    if kind == _CATEGORIES:
        return missing_right if np.isnan(value) else not _is_member(words, int(threshold), value)
    if kind != _NUMBER and np.isnan(value):
        value = 0.0
    if np.isnan(value) or (kind == _ZERO_IS_MISSING and abs(value) <= _ZERO):
        return missing_right
    return value > threshold


@compiled
def _traverse_general(nodes, kinds, missing_right, words, x, node):
    """Leaf of a row in a tree with categories, or of a row with missing values."""
    while True:
        child = nodes[node].child
        if child == node:
            return node
        value = x[nodes[node].feature]
        right = _goes_right(value, nodes[node].threshold, kinds[node], missing_right[node], words)
        node = child + np.int32(right)


@compiled
def one_tree(trees, general, root, X, rows, n_rows, leaves):
    """Leaves in one tree of the first ``n_rows`` listed rows; lists have room for whole groups of WIDTH."""
    nodes, _, kinds, missing_right, words = trees
    if general:
        for place in range(n_rows):
            leaves[place] = _traverse_general(nodes, kinds, missing_right, words, X[rows[place]], root)
        return
    roots = np.full(WIDTH, root, dtype=np.int32)
    rows[n_rows : -(-n_rows // WIDTH) * WIDTH] = rows[0]
    for place in range(0, n_rows, WIDTH):
        traverse_eight(nodes, X, rows[place : place + WIDTH], roots, leaves[place : place + WIDTH])


@compiled
def leader_of(scores):
    """First largest score, and its lead over the second largest."""
    leader, second = 0, -1
    for output in range(1, scores.size):
        if scores[output] > scores[leader]:
            leader, second = output, leader
        elif second < 0 or scores[output] > scores[second]:
            second = output
    return leader, scores[leader] - scores[second]


@compiled
def _is_decided(scores, gains, enough):
    """Whether the leader is decided: by its lead, or since no rival can gain as much as it lacks."""
    leader, lead = leader_of(scores)
    if lead > enough:
        return True
    for rival in range(scores.size):
        if rival != leader and scores[leader] - scores[rival] <= gains[leader, rival]:
            return False
    return True


@compiled
def cell_of(router, x):
    """Cell of a row: the leaf of the router that it ends in, whose ``feature`` is the number of the cell."""
    node = 0
    while router[node].child != node:
        node = _step(router, x, node)
    return router[node].feature


@compiled
def row_lists(start, stop):
    """List of the rows of a block, and of their leaves, with room for whole groups of WIDTH."""
    n_places = (stop - start) + WIDTH
    return np.arange(start, start + n_places), np.zeros(n_places, dtype=np.int32)


@compiled
def evaluate_two(trees, roots, router, limits, X, general, block, scores, queries):
    """Enter the score and the trees evaluated of every row, one output, block by block of rows.

    ``limits[cell, t]`` has the scores below and above which a row of a cell is decided after t trees; rows
    of a general kind belong to cell 0, the whole space.
    """
    for start in range(0, X.shape[0], block):
        n_rows = min(block, X.shape[0] - start)
        rows, leaves = row_lists(start, start + n_rows)
        cells = np.zeros(n_rows, dtype=np.int64)
        for place in range(0 if general else n_rows):
            cells[place] = cell_of(router, X[start + place])
        for tree in range(roots.size):
            one_tree(trees, general, roots[tree], X, rows, n_rows, leaves)
            n_left = 0
            for place in range(n_rows):
                row = rows[place]
                scores[row, 0] += trees[1][leaves[place], 0]
                limit = limits[cells[row - start], tree + 1]
                if scores[row, 0] > limit[1] or scores[row, 0] < limit[0]:
                    scores[row, 0] = np.inf if scores[row, 0] > limit[1] else -np.inf
                    queries[row] = tree + 1
                else:
                    rows[n_left] = row
                    n_left += 1
            n_rows = n_left
            if n_rows == 0:
                break


@compiled
def evaluate_several(trees, roots, outputs, gains, leads, X, general, block, scores, queries):
    """Enter the scores and the trees evaluated of every row, several outputs, block by block of rows.

    After each round ``gains[round, k, j]`` bounds what the remaining trees add to output j beyond what they
    add to k; ``leads[round]`` is the lead that is enough.
    """
    values, n_outputs = trees[1], scores.shape[1]
    width = values.shape[1]
    per_round = n_outputs // width
    for start in range(0, X.shape[0], block):
        n_rows = min(block, X.shape[0] - start)
        rows, leaves = row_lists(start, start + n_rows)
        for tree in range(roots.size):
            one_tree(trees, general, roots[tree], X, rows, n_rows, leaves)
            for place in range(n_rows):
                for column in range(width):
                    scores[rows[place], outputs[tree] + column] += values[leaves[place], column]
            if (tree + 1) % per_round:
                continue
            done, n_left = (tree + 1) // per_round, 0
            for place in range(n_rows):
                row = rows[place]
                if _is_decided(scores[row], gains[done], leads[done]):
                    queries[row] = tree + 1
                else:
                    rows[n_left] = row
                    n_left += 1
            n_rows = n_left
            if n_rows == 0:
                break


@compiled
def checked_row(X, single):
    """Single row in double precision, rounded to single precision on request, and whether it is finite."""
    x, finite = np.empty((1, X.shape[1])), True
    for feature in range(X.shape[1]):
        x[0, feature] = np.float32(X[0, feature]) if single else X[0, feature]
        finite &= np.isfinite(x[0, feature])
    return x, finite


@compiled
def evaluate_row_of_two(X, single, nodes, values, roots, router, limits, base, positive_at_zero):
    """Class and trees evaluated of a single row, one output; (0, -1) if it is not finite."""
    x, finite = checked_row(X, single)
    if not finite:
        return 0, -1
    score, limit = base, limits[cell_of(router, x[0])]
    leaves, places = np.empty(WIDTH, dtype=np.int32), np.zeros(WIDTH, dtype=np.int64)
    whole = roots.size - roots.size % WIDTH
    for first in range(0, whole, WIDTH):
        traverse_eight(nodes, x, places, roots[first : first + WIDTH], leaves)
        for place in range(WIDTH):
            score += values[leaves[place], 0]
            if score > limit[first + place + 1, 1]:
                return 1, first + place + 1
            if score < limit[first + place + 1, 0]:
                return 0, first + place + 1
    for tree in range(whole, roots.size):
        node = roots[tree]
        while nodes[node].child != node:
            node = _step(nodes, x[0], node)
        score += values[node, 0]
        if score > limit[tree + 1, 1]:
            return 1, tree + 1
        if score < limit[tree + 1, 0]:
            return 0, tree + 1
    return int(positive_at_zero), roots.size


@compiled
def evaluate_row_of_several(X, single, nodes, values, roots, outputs, gains, leads, base):
    """Leader and trees evaluated of a single row, several outputs; (0, -1) if it is not finite."""
    x, finite = checked_row(X, single)
    if not finite:
        return 0, -1
    scores, width = base.copy(), values.shape[1]
    per_round = scores.size // width
    leaves, places = np.empty(WIDTH, dtype=np.int32), np.zeros(WIDTH, dtype=np.int64)
    trees = np.empty(WIDTH, dtype=np.int32)
    for tree in range(roots.size):
        if tree % WIDTH == 0:
            for place in range(WIDTH):
                trees[place] = roots[min(tree + place, roots.size - 1)]
            traverse_eight(nodes, x, places, trees, leaves)
        for column in range(width):
            scores[outputs[tree] + column] += values[leaves[tree % WIDTH], column]
        done = (tree + 1) // per_round
        if (tree + 1) % per_round == 0 and _is_decided(scores, gains[done], leads[done]):
            return leader_of(scores)[0], tree + 1
    return leader_of(scores)[0], roots.size


@compiled
def _standing(scores):
    """Leader of the scores and its lead; one output leads by its sign, and by its size."""
    if scores.size == 1:
        return int(scores[0] > 0), abs(scores[0])
    return leader_of(scores)


@compiled
def trace(trees, roots, outputs, base, X, general, leaders, leads):
    """Enter leader and lead of every row after each round."""
    n_outputs, values = base.size, trees[1]
    per_round = n_outputs // values.shape[1]
    rows, leaves = row_lists(0, X.shape[0])
    scores = np.zeros((X.shape[0], n_outputs)) + base
    for tree in range(roots.size):
        one_tree(trees, general, roots[tree], X, rows, X.shape[0], leaves)
        done = (tree + 1) // per_round - 1
        for row in range(X.shape[0]):
            for column in range(values.shape[1]):
                scores[row, outputs[tree] + column] += values[leaves[row], column]
            if (tree + 1) % per_round == 0:
                leaders[row, done], leads[row, done] = _standing(scores[row])


@compiled
def add_rounds(trees, roots, outputs, X, general, added):
    """Add what the trees of each round contribute, shape (n_rounds, n_rows, n_outputs)."""
    width, per_round = trees[1].shape[1], roots.size // added.shape[0]
    rows, leaves = row_lists(0, X.shape[0])
    for tree in range(roots.size):
        one_tree(trees, general, roots[tree], X, rows, X.shape[0], leaves)
        for row in range(X.shape[0]):
            for column in range(width):
                added[tree // per_round, row, outputs[tree] + column] += trees[1][leaves[row], column]
