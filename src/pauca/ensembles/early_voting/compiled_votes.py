"""Traversal of flat forests with early stopping of decided rows; compiled.

Eight traversals go side by side, so that they wait for memory together: eight rows through one tree or, for a
single row, one row through eight trees. ``rows`` lists the undecided rows: adding a member's answers enters
the number of members evaluated of the rows it decides, closes the gaps in the list and returns how many
remain.

All of it is in one file, because numba's cache does not notice changes in another one. Importing this module
imports numba: do it where the functions are called.
"""

import numpy as np

from ...numerics.jit import compiled

# Traversals side by side; the unrolled loop of `traverse_eight` has as many.
WIDTH = 8
# Columns of the standing of a row in a vote: the leading class, its votes, the votes of the runner-up.
LEADER, LEAD, SECOND = 0, 1, 2
# Tails of Student's t are tabulated in steps of 1 / STEPS standard errors. Set by hand, not tuned.
STEPS = 16


@compiled
def cast(votes, standing, label):
    """Add a vote to the counts of a row and update its leader, and the counts of leader and runner-up."""
    votes[label] += 1
    if label == standing[LEADER]:
        standing[LEAD] = votes[label]
    elif votes[label] > standing[LEAD]:
        standing[SECOND] = standing[LEAD]
        standing[LEAD] = votes[label]
        standing[LEADER] = label
    elif votes[label] > standing[SECOND]:
        standing[SECOND] = votes[label]


@compiled
def sort_out(row, decided, n_evaluated, rows, n_left, queries):
    """Store the number of members evaluated of a decided row, or keep the row in the list of the others."""
    if decided:
        queries[row] = n_evaluated
        return n_left
    rows[n_left] = row
    return n_left + 1


@compiled
def add_votes(labels, n_evaluated, rows, n_rows, thresholds, votes, standing, queries):
    """Add the ``n_evaluated``-th vote of each undecided row; decided rows leave the list."""
    n_left, by_second = 0, thresholds.shape[1] > 1
    last = n_evaluated == thresholds.shape[0] - 1
    for place in range(n_rows):
        row = rows[place]
        cast(votes[row], standing[row], labels[place])
        column = standing[row, SECOND] if by_second else 0
        decided = last or standing[row, LEAD] >= thresholds[n_evaluated, column]
        n_left = sort_out(row, decided, n_evaluated, rows, n_left, queries)
    return n_left


@compiled
def add_votes_of_two(labels, n_evaluated, rows, n_rows, thresholds, votes, queries):
    """Add votes of two classes, as in `add_votes`: the runner-up has all votes that the leader has not."""
    n_left, last = 0, n_evaluated == thresholds.shape[0] - 1
    for place in range(n_rows):
        row = rows[place]
        votes[row, labels[place]] += 1
        decided = last or max(votes[row, 0], votes[row, 1]) >= thresholds[n_evaluated, 0]
        n_left = sort_out(row, decided, n_evaluated, rows, n_left, queries)
    return n_left


@compiled
def add_probabilities(labels, probabilities, n_evaluated, rows, n_rows, rule, totals, squares, queries):
    """Add the ``n_evaluated``-th probabilities of each undecided row; decided rows leave the list."""
    n_left = 0
    for place in range(n_rows):
        row, added = rows[place], probabilities[labels[place]]
        for label in range(added.size):
            totals[row, label] += added[label]
            squares[row, label] += added[label] * added[label]
        decided = is_decided(totals[row], squares[row], n_evaluated, *rule)
        n_left = sort_out(row, decided, n_evaluated, rows, n_left, queries)
    return n_left


@compiled
def is_decided(totals, squares, n_evaluated, critical, tails, risk):
    """Whether the mean of all members has the same leader, with a probability of error of at most ``risk``.

    Each rival's probability to overtake is the tail of Student's t at the mean lead over its standard error;
    ``critical`` has the squares of t at which one probability alone is the risk, ``tails`` the probabilities
    for a sum over several rivals.
    """
    left, leader, probability = critical.size - 1 - n_evaluated, _largest(totals), 0.0
    if left == 0:
        return True
    for rival in range(totals.size):
        lead = totals[leader] - totals[rival]
        if rival == leader or lead > left:
            continue
        # Two imaginary opposite votes keep the variance of members that agree above zero.
        spread = _squared_lead_sum(totals, squares, leader, rival) - lead * lead / n_evaluated + 2.0
        signal, noise = lead * lead * (n_evaluated + 1) * (n_evaluated + left), n_evaluated * left * spread
        if signal < critical[n_evaluated] * noise:
            return False
        if totals.size > 2:
            probability += tails[n_evaluated, min(int(STEPS * np.sqrt(signal / noise)), tails.shape[1] - 1)]
            if probability > risk:
                return False
    return True


@compiled
def _largest(totals):
    """Index of the first largest entry."""
    place = 0
    for label in range(1, totals.size):
        if totals[label] > totals[place]:
            place = label
    return place


@compiled
def _squared_lead_sum(totals, squares, leader, rival):
    """Sum of squared leads over a rival; for more than two classes an upper bound without the mixed term."""
    both = squares[leader] + squares[rival]
    return both - 2 * (totals[leader] - squares[leader]) if totals.size == 2 else both


@compiled
def _step(nodes, x, node):
    """Next node of a row; a leaf leads to itself."""
    return nodes[node].child + np.int32(x[nodes[node].feature] > nodes[node].threshold)


@compiled
def traverse_eight(nodes, X, rows, roots, labels):
    """Labels of the leaves in which eight rows of X end, each in its own tree."""
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
    labels[0], labels[1], labels[2], labels[3] = (
        *(nodes[a].label, nodes[b].label),
        *(nodes[c].label, nodes[d].label),
    )
    labels[4], labels[5], labels[6], labels[7] = (
        *(nodes[e].label, nodes[f].label),
        *(nodes[g].label, nodes[h].label),
    )


@compiled
def _traverse_with_missing(nodes, right_if_missing, x, node):
    """Label of the leaf that a row with missing values ends in."""
    while True:
        following = nodes[node].child
        if following == node:
            return nodes[node].label
        value = x[nodes[node].feature]
        right = right_if_missing[node] if np.isnan(value) else value > nodes[node].threshold
        node = following + np.int32(right)


@compiled
def one_tree(nodes, right_if_missing, has_missing, root, X, rows, n_rows, labels):
    """Labels in one tree of the first ``n_rows`` listed rows; lists have room for whole groups of WIDTH."""
    if has_missing:
        for place in range(n_rows):
            labels[place] = _traverse_with_missing(nodes, right_if_missing, X[rows[place]], root)
        return
    roots = np.full(WIDTH, root, dtype=np.int32)
    rows[n_rows : -(-n_rows // WIDTH) * WIDTH] = rows[0]
    for place in range(0, n_rows, WIDTH):
        traverse_eight(nodes, X, rows[place : place + WIDTH], roots, labels[place : place + WIDTH])


@compiled
def row_lists(start, stop):
    """List of the rows of a block, and of their labels, with room for whole groups of WIDTH."""
    n_places = (stop - start) + WIDTH
    return np.arange(start, start + n_places), np.empty(n_places, dtype=np.int32)


@compiled
def evaluate_by_votes(nodes, right_if_missing, roots, X, has_missing, block, thresholds, votes, queries):
    """Enter votes and trees evaluated of each row: block by block of rows, tree by tree within a block."""
    standing = np.zeros((X.shape[0], 3), dtype=np.int32)
    for start in range(0, X.shape[0], block):
        n_rows = min(block, X.shape[0] - start)
        rows, labels = row_lists(start, start + n_rows)
        for tree in range(roots.size):
            one_tree(nodes, right_if_missing, has_missing, roots[tree], X, rows, n_rows, labels)
            if votes.shape[1] == 2:
                n_rows = add_votes_of_two(labels, tree + 1, rows, n_rows, thresholds, votes, queries)
            else:
                n_rows = add_votes(labels, tree + 1, rows, n_rows, thresholds, votes, standing, queries)
            if n_rows == 0:
                break


@compiled
def evaluate_by_means(
    nodes, right_if_missing, roots, probabilities, X, has_missing, block, rule, totals, squares, queries
):
    """Enter summed probabilities, summed squares and trees evaluated of each row, block by block."""
    for start in range(0, X.shape[0], block):
        n_rows = min(block, X.shape[0] - start)
        rows, labels = row_lists(start, start + n_rows)
        for tree in range(roots.size):
            one_tree(nodes, right_if_missing, has_missing, roots[tree], X, rows, n_rows, labels)
            n_rows = add_probabilities(
                labels, probabilities, tree + 1, rows, n_rows, rule, totals, squares, queries
            )
            if n_rows == 0:
                break


@compiled
def as_float32(X):
    """Single row in single precision, and whether all of it is finite."""
    x, finite = np.empty((1, X.shape[1]), dtype=np.float32), True
    for feature in range(X.shape[1]):
        x[0, feature] = X[0, feature]
        finite &= np.isfinite(x[0, feature])
    return x, finite


@compiled
def next_label(nodes, roots, x, n_evaluated, labels):
    """Label of a single row in the next tree; every WIDTH trees are traversed at once."""
    if n_evaluated % WIDTH == 0:
        trees = np.minimum(np.arange(n_evaluated, n_evaluated + WIDTH), roots.size - 1)
        traverse_eight(nodes, x, np.zeros(WIDTH, dtype=np.int64), roots[trees], labels)
    return labels[n_evaluated % WIDTH]


@compiled
def evaluate_row_by_votes(X, nodes, roots, thresholds, n_classes):
    """Label and trees evaluated of a single row by votes; (-1, 0) if it is not finite."""
    x, finite = as_float32(X)
    if not finite:
        return -1, 0
    by_second = thresholds.shape[1] > 1
    votes, standing = np.zeros(n_classes, dtype=np.int32), np.zeros(3, dtype=np.int32)
    labels = np.empty(WIDTH, dtype=np.int32)
    for n_evaluated in range(roots.size):
        cast(votes, standing, next_label(nodes, roots, x, n_evaluated, labels))
        column = standing[SECOND] if by_second else 0
        if standing[LEAD] >= thresholds[n_evaluated + 1, column]:
            return standing[LEADER], n_evaluated + 1
    return np.argmax(votes), roots.size


@compiled
def evaluate_row_by_means(X, nodes, roots, probabilities, critical, tails, risk):
    """Label and trees evaluated of a single row by mean probabilities; (-1, 0) if it is not finite."""
    x, finite = as_float32(X)
    if not finite:
        return -1, 0
    totals, squares = np.zeros(probabilities.shape[1]), np.zeros(probabilities.shape[1])
    labels, n_evaluated = np.empty(WIDTH, dtype=np.int32), 0
    while n_evaluated < roots.size:
        added = probabilities[next_label(nodes, roots, x, n_evaluated, labels)]
        totals += added
        squares += added * added
        n_evaluated += 1
        if is_decided(totals, squares, n_evaluated, critical, tails, risk):
            break
    return np.argmax(totals), n_evaluated
