"""Rows through the trees of a flat forest, and the rules by which they are decided early; compiled.

Eight walks go side by side, so that they wait for memory together: eight rows through one tree or, for a
single row, one row through eight trees. ``rows`` lists the rows that are undecided: counting a member's
answers enters the number of queries of the rows it decides, closes the gaps in the list and returns how
many remain.

All of it is in one file, because numba's cache does not notice changes in another one.
"""

import numpy as np

from .jit import compiled

WALKS = 8
# Columns of the standing of a row in a vote.
LEADER, LEAD, SECOND = 0, 1, 2
# Differences of means in units of their standard error are looked up in steps of 1 / STEPS.
STEPS = 16


@compiled
def cast(votes, standing, label):
    """Enter a vote: counts of a row, its leader and the counts of the leader and the runner-up."""
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
def count_votes(labels, asked, rows, n_rows, thresholds, votes, standing, queries):
    """Enter the ``asked``-th vote of each undecided row; decided rows leave the list."""
    n_left, by_second = 0, thresholds.shape[1] > 1
    last = asked == thresholds.shape[0] - 1
    for place in range(n_rows):
        row = rows[place]
        cast(votes[row], standing[row], labels[place])
        column = standing[row, SECOND] if by_second else 0
        if last or standing[row, LEAD] >= thresholds[asked, column]:
            queries[row] = asked
        else:
            rows[n_left] = row
            n_left += 1
    return n_left


@compiled
def count_two(labels, asked, rows, n_rows, thresholds, votes, queries):
    """As `count_votes`, for two classes: the runner-up has all the votes that the leader has not."""
    n_left, last = 0, asked == thresholds.shape[0] - 1
    for place in range(n_rows):
        row = rows[place]
        votes[row, labels[place]] += 1
        if last or max(votes[row, 0], votes[row, 1]) >= thresholds[asked, 0]:
            queries[row] = asked
        else:
            rows[n_left] = row
            n_left += 1
    return n_left


@compiled
def count_shares(labels, shares, asked, rows, n_rows, critical, tails, risk, totals, squares, queries):
    """Enter the ``asked``-th member's shares of each undecided row; decided rows leave the list."""
    n_left = 0
    for place in range(n_rows):
        row, given = rows[place], shares[labels[place]]
        for label in range(given.size):
            totals[row, label] += given[label]
            squares[row, label] += given[label] * given[label]
        if is_settled(totals[row], squares[row], asked, critical, tails, risk):
            queries[row] = asked
        else:
            rows[n_left] = row
            n_left += 1
    return n_left


@compiled
def is_settled(totals, squares, asked, critical, tails, risk):
    """Whether the mean of all members has the same leader, with a chance of at most ``risk`` to be wrong.

    Each rival's chance is the tail of Student's t at the mean lead over its standard error; ``critical``
    has the squares of t at which one chance alone is the risk, ``tails`` the chances for a sum over
    several rivals.
    """
    left, leader, chance = critical.size - 1 - asked, _largest(totals), 0.0
    if left == 0:
        return True
    for rival in range(totals.size):
        lead = totals[leader] - totals[rival]
        if rival == leader or lead > left:
            continue
        # Two imaginary opposite votes keep the variance of members that agree above zero.
        spread = _squared_leads(totals, squares, leader, rival) - lead * lead / asked + 2.0
        signal, noise = lead * lead * (asked + 1) * (asked + left), asked * left * spread
        if signal < critical[asked] * noise:
            return False
        if totals.size > 2:
            chance += tails[asked, min(int(STEPS * np.sqrt(signal / noise)), tails.shape[1] - 1)]
            if chance > risk:
                return False
    return True


@compiled
def _largest(totals):
    """Place of the first largest entry."""
    place = 0
    for label in range(1, totals.size):
        if totals[label] > totals[place]:
            place = label
    return place


@compiled
def _squared_leads(totals, squares, leader, rival):
    """Sum of squared leads over a rival; for more than two classes without the mixed term: not less."""
    both = squares[leader] + squares[rival]
    return both - 2 * (totals[leader] - squares[leader]) if totals.size == 2 else both


@compiled
def _step(nodes, x, node):
    """The next node of a row; a leaf leads to itself."""
    return nodes[node].child + np.int32(x[nodes[node].feature] > nodes[node].threshold)


@compiled
def _eight_walks(nodes, X, rows, roots, labels):
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
def _walk_with_gaps(nodes, right_if_missing, x, node):
    """The label of the leaf that a row with missing values ends in."""
    while True:
        following = nodes[node].child
        if following == node:
            return nodes[node].label
        value = x[nodes[node].feature]
        right = right_if_missing[node] if np.isnan(value) else value > nodes[node].threshold
        node = following + np.int32(right)


@compiled
def _one_tree(nodes, right_if_missing, has_gaps, root, X, rows, n_rows, labels):
    """Labels in one tree of the first ``n_rows`` listed rows; lists have room for whole groups of walks."""
    if has_gaps:
        for place in range(n_rows):
            labels[place] = _walk_with_gaps(nodes, right_if_missing, X[rows[place]], root)
        return
    roots = np.full(WALKS, root, dtype=np.int32)
    rows[n_rows : -(-n_rows // WALKS) * WALKS] = rows[0]
    for place in range(0, n_rows, WALKS):
        _eight_walks(nodes, X, rows[place : place + WALKS], roots, labels[place : place + WALKS])


@compiled
def _lists(start, stop):
    """The rows of a block, and their labels, with room for whole groups of walks."""
    n_places = (stop - start) + WALKS
    return np.arange(start, start + n_places), np.empty(n_places, dtype=np.int32)


@compiled
def all_labels(nodes, right_if_missing, roots, X, has_gaps, answers):
    """Labels of all rows (columns) in all trees (rows), into ``answers``."""
    rows, labels = _lists(0, X.shape[0])
    for tree in range(roots.size):
        _one_tree(nodes, right_if_missing, has_gaps, roots[tree], X, rows, X.shape[0], labels)
        answers[tree] = labels[: X.shape[0]]


@compiled
def poll_votes(nodes, right_if_missing, roots, X, has_gaps, block, thresholds, votes, queries):
    """Votes and number of queries of each row: block by block of rows, tree by tree within a block."""
    standing = np.zeros((X.shape[0], 3), dtype=np.int32)
    for start in range(0, X.shape[0], block):
        n_rows = min(block, X.shape[0] - start)
        rows, labels = _lists(start, start + n_rows)
        for tree in range(roots.size):
            _one_tree(nodes, right_if_missing, has_gaps, roots[tree], X, rows, n_rows, labels)
            if votes.shape[1] == 2:
                n_rows = count_two(labels, tree + 1, rows, n_rows, thresholds, votes, queries)
            else:
                n_rows = count_votes(labels, tree + 1, rows, n_rows, thresholds, votes, standing, queries)
            if n_rows == 0:
                break


@compiled
def poll_shares(
    nodes,
    right_if_missing,
    roots,
    shares,
    X,
    has_gaps,
    block,
    critical,
    tails,
    risk,
    totals,
    squares,
    queries,
):
    """Summed shares, their squares and the number of queries of each row, in the same order of work."""
    for start in range(0, X.shape[0], block):
        n_rows = min(block, X.shape[0] - start)
        rows, labels = _lists(start, start + n_rows)
        for tree in range(roots.size):
            _one_tree(nodes, right_if_missing, has_gaps, roots[tree], X, rows, n_rows, labels)
            n_rows = count_shares(
                labels, shares, tree + 1, rows, n_rows, critical, tails, risk, totals, squares, queries
            )
            if n_rows == 0:
                break


@compiled
def _single(X):
    """X, which has one row, in single precision, and whether all of it is finite."""
    x, finite = np.empty((1, X.shape[1]), dtype=np.float32), True
    for feature in range(X.shape[1]):
        x[0, feature] = X[0, feature]
        finite &= np.isfinite(x[0, feature])
    return x, finite


@compiled
def _next_label(nodes, roots, x, asked, labels):
    """Label of the only row in the tree that is asked next."""
    if asked % WALKS == 0:
        trees = np.minimum(np.arange(asked, asked + WALKS), roots.size - 1)
        _eight_walks(nodes, x, np.zeros(WALKS, dtype=np.int64), roots[trees], labels)
    return labels[asked % WALKS]


@compiled
def poll_row_votes(X, nodes, roots, thresholds, n_classes):
    """Label and number of queries of a single row by votes; (-1, 0) if it is not finite."""
    x, finite = _single(X)
    if not finite:
        return -1, 0
    by_second = thresholds.shape[1] > 1
    votes, standing = np.zeros(n_classes, dtype=np.int32), np.zeros(3, dtype=np.int32)
    labels = np.empty(WALKS, dtype=np.int32)
    for asked in range(roots.size):
        cast(votes, standing, _next_label(nodes, roots, x, asked, labels))
        column = standing[SECOND] if by_second else 0
        if standing[LEAD] >= thresholds[asked + 1, column]:
            return standing[LEADER], asked + 1
    return np.argmax(votes), roots.size


@compiled
def poll_row_shares(X, nodes, roots, shares, critical, tails, risk):
    """Label and number of queries of a single row by mean shares; (-1, 0) if it is not finite."""
    x, finite = _single(X)
    if not finite:
        return -1, 0
    totals, squares = np.zeros(shares.shape[1]), np.zeros(shares.shape[1])
    labels, asked = np.empty(WALKS, dtype=np.int32), 0
    while asked < roots.size:
        given = shares[_next_label(nodes, roots, x, asked, labels)]
        totals += given
        squares += given * given
        asked += 1
        if is_settled(totals, squares, asked, critical, tails, risk):
            break
    return np.argmax(totals), asked
