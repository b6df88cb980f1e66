"""Rows through the trees of a flat forest, with an early end for rows that are decided; compiled."""

import numpy as np

from .compiled import compiled
from .counting import LEAD, LEADER, SECOND, cast, count_shares, count_votes


@compiled
def _walk(nodes, x, node):
    """The label of the leaf that a row ends in."""
    while True:
        following = nodes[node].child + np.int32(x[nodes[node].feature] > nodes[node].threshold)
        if following == node:
            return nodes[node].label
        node = following


@compiled
def _walk_with_gaps(nodes, right_if_missing, x, node):
    """As `_walk`, for rows with missing values."""
    while True:
        value = x[nodes[node].feature]
        right = right_if_missing[node] if np.isnan(value) else value > nodes[node].threshold
        following = nodes[node].child
        if following == node:
            return nodes[node].label
        node = following + np.int32(right)


@compiled
def _four_rows(nodes, X, rows, root, labels):
    """Four rows through one tree, side by side, so that they wait for memory together."""
    x0, x1, x2, x3 = X[rows[0]], X[rows[1]], X[rows[2]], X[rows[3]]
    a = b = c = d = root
    while True:
        a_next = nodes[a].child + np.int32(x0[nodes[a].feature] > nodes[a].threshold)
        b_next = nodes[b].child + np.int32(x1[nodes[b].feature] > nodes[b].threshold)
        c_next = nodes[c].child + np.int32(x2[nodes[c].feature] > nodes[c].threshold)
        d_next = nodes[d].child + np.int32(x3[nodes[d].feature] > nodes[d].threshold)
        if ((a_next ^ a) | (b_next ^ b) | (c_next ^ c) | (d_next ^ d)) == 0:
            break
        a, b, c, d = a_next, b_next, c_next, d_next
    labels[0], labels[1] = nodes[a].label, nodes[b].label
    labels[2], labels[3] = nodes[c].label, nodes[d].label


@compiled
def one_tree(nodes, right_if_missing, has_gaps, root, X, rows, n_rows, labels):
    """Labels of the leaves of one tree in which the listed rows end."""
    place = 0
    if not has_gaps:
        while place + 4 <= n_rows:
            _four_rows(nodes, X, rows[place : place + 4], root, labels[place : place + 4])
            place += 4
    while place < n_rows:
        x = X[rows[place]]
        if has_gaps:
            labels[place] = _walk_with_gaps(nodes, right_if_missing, x, root)
        else:
            labels[place] = _walk(nodes, x, root)
        place += 1


@compiled
def all_labels(nodes, right_if_missing, roots, X, has_gaps, labels):
    """Labels of all rows (columns) in all trees (rows)."""
    rows = np.arange(X.shape[0])
    for tree in range(roots.size):
        one_tree(nodes, right_if_missing, has_gaps, roots[tree], X, rows, rows.size, labels[tree])


@compiled
def poll_votes(nodes, right_if_missing, roots, X, has_gaps, block, thresholds, votes, queries):
    """Votes and number of queries of each row, block by block of rows, tree by tree within a block."""
    standing = np.zeros((X.shape[0], 3), dtype=np.int32)
    for start in range(0, X.shape[0], block):
        rows = np.arange(start, min(start + block, X.shape[0]))
        labels = np.empty(rows.size, dtype=np.int32)
        n_rows = rows.size
        for tree in range(roots.size):
            one_tree(nodes, right_if_missing, has_gaps, roots[tree], X, rows, n_rows, labels)
            n_rows = count_votes(labels, tree + 1, rows, n_rows, thresholds, votes, standing, queries)
            if n_rows == 0:
                break


@compiled
def poll_shares(
    nodes, right_if_missing, roots, shares, X, has_gaps, block, tails, risk, totals, squares, queries
):
    """Summed shares, their squares and the number of queries of each row."""
    for start in range(0, X.shape[0], block):
        rows = np.arange(start, min(start + block, X.shape[0]))
        labels = np.empty(rows.size, dtype=np.int32)
        n_rows = rows.size
        for tree in range(roots.size):
            one_tree(nodes, right_if_missing, has_gaps, roots[tree], X, rows, n_rows, labels)
            n_rows = count_shares(
                labels, shares, tree + 1, rows, n_rows, tails, risk, totals, squares, queries
            )
            if n_rows == 0:
                break


@compiled
def _four_trees(nodes, roots, x, labels):
    """One row through four trees side by side."""
    a, b, c, d = roots[0], roots[1], roots[2], roots[3]
    while True:
        a_next = nodes[a].child + np.int32(x[nodes[a].feature] > nodes[a].threshold)
        b_next = nodes[b].child + np.int32(x[nodes[b].feature] > nodes[b].threshold)
        c_next = nodes[c].child + np.int32(x[nodes[c].feature] > nodes[c].threshold)
        d_next = nodes[d].child + np.int32(x[nodes[d].feature] > nodes[d].threshold)
        if ((a_next ^ a) | (b_next ^ b) | (c_next ^ c) | (d_next ^ d)) == 0:
            break
        a, b, c, d = a_next, b_next, c_next, d_next
    labels[0], labels[1] = nodes[a].label, nodes[b].label
    labels[2], labels[3] = nodes[c].label, nodes[d].label


@compiled
def single(X):
    """The only row of X in single precision, and whether all of it is finite."""
    x, finite = np.empty(X.shape[1], dtype=np.float32), True
    for feature in range(x.size):
        x[feature] = X[0, feature]
        finite &= np.isfinite(x[feature])
    return x, finite


@compiled
def poll_one_row(nodes, roots, X, thresholds, n_classes):
    """Label and number of queries of a single row; (-1, 0) if it is not finite."""
    x, finite = single(X)
    if not finite:
        return -1, 0
    by_second = thresholds.shape[1] > 1
    votes, standing = np.zeros(n_classes, dtype=np.int32), np.zeros(3, dtype=np.int32)
    labels = np.empty(4, dtype=np.int32)
    for asked in range(roots.size):
        place = asked % 4
        if place == 0 and asked + 4 <= roots.size:
            _four_trees(nodes, roots[asked : asked + 4], x, labels)
        elif asked >= roots.size // 4 * 4:
            labels[place] = _walk(nodes, x, roots[asked])
        cast(votes, standing, labels[place])
        column = standing[SECOND] if by_second else 0
        if standing[LEAD] >= thresholds[asked + 1, column]:
            return standing[LEADER], asked + 1
    return np.argmax(votes), roots.size
