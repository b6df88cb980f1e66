"""What trees lack on rows that they were not trained on, given to their nodes.

The bootstrap samples of a forest leave out more than a third of the rows for each tree. Ridge regression of
the errors of the out-of-bag averages, with a step for every node of every tree and with the steps of those
trees only that left a row out, corrects all trees together by rows that are new to them: boosting, global
refinement (Ren et al. 2015) and honest leaves (Wager & Athey 2018) in one. For numbers only: probabilities
come nearer to the classes by it, but where labels are noisy more rows fall to a wrong one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..members import Members
from .rows import RefinementRows
from .trees import moved_by, paths, ridge

# Penalties that are tried, times the mean squared length of the rows; chosen of 0.03 to 10, and none, on
# splits 0-3 of nine sets.
_PENALTIES = 0.1, 0.3, 1.0, 3.0
# Least rows to learn from, and most rows by which the penalty is chosen. Set by hand.
_FEWEST, _MOST = 10, 1000


def corrected(
    members: Members, leaves: list[NDArray], numbers: list[NDArray], rows: RefinementRows, rng: Any
) -> list[NDArray]:
    """Numbers of the nodes of all trees, corrected by the errors of their averages on rows left out."""
    usable = rows.usable(members)
    usable = usable[rows.weights[usable] > 0]
    if rows.known is None or len(usable) < _FEWEST:
        return numbers
    lacking = (rows.targets - rows.averages(members, numbers, leaves))[usable]
    root = np.sqrt(rows.weights[usable] / rows.weights[usable].mean())
    trees = paths(members, members.checked(rows.X)[usable])
    left_out = _design(trees, rows.counted(members)[:, usable])
    design = sparse.diags(root) @ left_out
    some = np.sort(rng.permutation(len(usable))[:_MOST])
    whole = _design([path[some] for path in trees], np.repeat(members.shares[:, None], len(some), axis=1))
    penalty = _best_penalty(design[some], whole, lacking[some], root[some])
    return moved_by(members, numbers, ridge(design, root[:, None] * lacking, penalty))


def _design(trees, shares):
    """Nodes of all trees on the paths of the rows, times the shares of the trees."""
    return sparse.hstack(
        [sparse.diags(share) @ path for share, path in zip(shares, trees, strict=True)], format="csr"
    )


def _best_penalty(design, whole, lacking, root):
    """Penalty of the least squared error of leaving each row out.

    Steps are learned from rows, times the roots of their weights, with the trees that left them out; a new
    row has all trees, as in ``whole``. With K the products of the former among themselves and
    a = (K + penalty)^-1 root * lacking, leaving row i out changes a by the i-th column of the inverse, times
    a_i over its i-th diagonal entry.
    """
    lengths, vectors = np.linalg.eigh((design @ design.T).toarray())
    lengths = np.maximum(lengths, 0.0)
    unit = lengths.sum() / len(lengths)
    across = (whole @ design.T).toarray()
    errors = []
    for penalty in _PENALTIES:
        inverse = (vectors / (lengths + penalty * unit)) @ vectors.T
        answers = inverse @ (root[:, None] * lacking)
        own = (across * inverse.T).sum(axis=1) / inverse.diagonal()
        predicted = across @ answers - own[:, None] * answers
        errors.append(np.sum(np.square(root[:, None] * (lacking - predicted))))
    return _PENALTIES[int(np.argmin(errors))] * unit
