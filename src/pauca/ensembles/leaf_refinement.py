"""New numbers in the leaves of the few trees that are kept, so that they predict nearly as the whole forest.

Two steps. Leaves are shrunk towards their ancestors (in the manner of Agarwal et al. 2022), with the strength
that is best for the whole forest on rows that its trees were not trained on; those of regressors follow the
line from the means of these rows to their targets, since means of forests lie too near to the middle (the
linear correction of Zhang & Lu 2012). Then the kept trees are moved together, by ridge regression with a step
for every node, until their average follows that of all trees on the training rows and on rows between
neighbours (in the manner of the global refinement of Ren et al. 2015, which fits the labels: those of the
training rows are in the leaves already).
"""

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from .members import Member, Members

# Strengths of the shrinkage that are tried, in rows. Set by hand.
_STRENGTHS = 0.0, 0.3, 1.0, 3.0, 10.0, 30.0
# Damping of the steps, chosen of 0.02, 0.05, 0.1 and 0.2 on splits 0-2 of 21 sets; steps of its solution.
_DAMPING, _STEPS = 0.05, 30
# New rows for each training row, most of both, and neighbours that a new row may be mixed with; the first and
# the last of 10 and 30 on the same splits.
_NEW_ROWS, _MAX_ROWS, _NEIGHBOURS = 30, 20_000, 30


@dataclass(frozen=True)
class RefinementRows:
    """Training rows and their targets: a column for each output, or ones at the classes.

    ``known`` masks the rows (columns) that were not used for each tree (row); None if all count.
    """

    X: NDArray
    targets: NDArray
    weights: NDArray
    known: NDArray | None


def refined(
    members: Members, kept: Members, selected: NDArray, rows: RefinementRows, classes: Any, rng: Any
) -> Members:
    """Kept members, those ``selected`` of all, with new numbers in their leaves; regressors: no classes."""
    _check_trees(members, rows.X)
    X = members.checked(rows.X)
    leaves = [_leaf_of(member, X) for member in members]
    numbers = _best_shrunk(members, leaves, rows, classes)
    X = members.checked(np.concatenate([rows.X, _rows_between(rows.X, rng)]))
    moved = _moved(kept, [numbers[place] for place in selected], X, _average(members, numbers, X))
    changed = [_with_numbers(member, values, classes) for member, values in zip(kept, moved, strict=True)]
    return replace(kept, members=changed, soft=classes is not None, refined=True)


def shrunk(tree: Any, strength: float) -> NDArray:
    """Numbers of all nodes of a tree, shape (n_nodes, n_outputs), shrunk towards those of their ancestors.

    A node of n rows counts n against ``strength`` rows of its parent's number.
    """
    values = tree.value.reshape(tree.node_count, -1).copy()
    share = tree.weighted_n_node_samples / (tree.weighted_n_node_samples + strength)
    for children, parents in _downwards(tree):
        own = share[children, None]
        values[children] = own * values[children] + (1 - own) * values[parents]
    return values


def _downwards(tree):
    """Children and their parents, level by level from the root."""
    level = np.array([0])
    while len(level):
        parents = level[tree.children_left[level] >= 0]
        sides = tree.children_left[parents], tree.children_right[parents]
        yield from ((children, parents) for children in sides)
        level = np.concatenate(sides)


def _check_trees(members, X):
    if not members.are_trees:
        raise ValueError("refit=True needs decision trees as members; set refit=False.")
    if sparse.issparse(X):
        raise ValueError("refit=True needs a dense X; use X.toarray(), or set refit=False.")


def _leaf_of(member, X):
    """Leaf of each checked row in a tree."""
    return member.estimator.tree_.apply(_columns(member, X))


def _columns(member, X):
    """Columns that a tree was trained on."""
    return X if member.features is None else X[:, member.features]


def _best_shrunk(members, leaves, rows, classes):
    """Numbers of the nodes of all trees, with the strength of least squared error on rows not used.

    Those of regressors are moved to the line from averages to targets, where rows were left out.
    """
    known = np.ones((len(members), len(rows.X)), bool) if rows.known is None else rows.known
    counts = members.shares @ known
    usable = counts > 0
    targets, weights = rows.targets[usable], rows.weights[usable]
    best: list[NDArray] = []
    averages, least = targets, np.inf
    for strength in _STRENGTHS:
        numbers = [_full(member, shrunk(member.estimator.tree_, strength), classes) for member in members]
        total = np.zeros_like(rows.targets, dtype=float)
        for share, values, leaf, mine in zip(members.shares, numbers, leaves, known, strict=True):
            total[mine] += share * values[leaf[mine]]
        average = total[usable] / counts[usable, None]
        error = np.average(np.square(average - targets).sum(axis=1), weights=weights)
        if error < least:
            best, averages, least = numbers, average, error
    if classes is None and rows.known is not None:
        factor, constant = line_to_targets(averages, targets, weights)
        best = [factor * values + constant for values in best]
    return best


def line_to_targets(averages: NDArray, targets: NDArray, weights: NDArray) -> tuple[NDArray, NDArray]:
    """Factor and constant of the regression of each column of the targets on that of the averages.

    Factor 1 and constant 0 where the error of leaving one row out is no smaller with the line. No factor is
    negative: an average without a row falls with its target where nothing can be learned.
    """
    share = (weights / weights.sum())[:, None]
    middle, goal = (share * averages).sum(axis=0), (share * targets).sum(axis=0)
    x, y = averages - middle, targets - goal
    spread = (share * x**2).sum(axis=0)
    known = spread > np.finfo(float).eps * (share * averages**2).sum(axis=0)
    spread = np.where(known, spread, 1.0)
    factor = np.maximum((share * x * y).sum(axis=0) / spread, 0.0)
    room = np.maximum(1 - share * (1 + x**2 / spread), np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        left_out = (share * ((y - factor * x) / room) ** 2).sum(axis=0)
    helps = known & (left_out < (share * (targets - averages) ** 2).sum(axis=0))
    factor = np.where(helps, factor, 1.0)
    return factor, np.where(helps, goal - factor * middle, 0.0)


def _full(member, values, classes):
    """Numbers of a tree's nodes with a column for every class of the ensemble."""
    if classes is None:
        return values
    full = np.zeros((len(values), len(classes)))
    full[:, member.class_codes(classes)] = values
    return full


def _rows_between(X, rng):
    """New rows: each takes every column from a training row or from one of the nearest neighbours of it."""
    if len(X) < 2:
        return X[:0]
    filled = np.nan_to_num(np.asarray(X, dtype=float))
    spread = filled.std(axis=0)
    scaled = filled / np.where(spread > np.finfo(float).eps * np.abs(filled).max(axis=0), spread, np.inf)
    n_new = max(0, min(_NEW_ROWS * len(X), _MAX_ROWS))
    near = NearestNeighbors(n_neighbors=min(_NEIGHBOURS, len(X))).fit(scaled)
    first = rng.randint(len(X), size=n_new)
    distinct, place = np.unique(first, return_inverse=True)
    neighbours = near.kneighbors(scaled[distinct], return_distance=False)
    second = neighbours[place, rng.randint(neighbours.shape[1], size=n_new)]
    return np.where(rng.random_sample((n_new, X.shape[1])) < 0.5, X[first], X[second])


def _average(members, numbers, X):
    """Average over trees, by their shares, of the numbers in the leaves of the rows."""
    parts = zip(members.shares, members, numbers, strict=True)
    return sum(share * values[_leaf_of(member, X)] for share, member, values in parts)


def _moved(members, numbers, X, goal):
    """Numbers of the nodes of trees after ridge regression of what their average lacks to the goal at X.

    Every node has a step, which all leaves below it take: leaves that few rows reach follow their ancestors.
    """
    trees = [member.estimator.tree_ for member in members]
    paths = [tree.decision_path(_columns(member, X)) for tree, member in zip(trees, members, strict=True)]
    design = sparse.hstack(
        [share * path for share, path in zip(members.shares, paths, strict=True)], format="csr"
    )
    steps = _ridge(design, goal - _average(members, numbers, X), _DAMPING**2 * len(trees))
    steps = np.split(steps, np.cumsum([tree.node_count for tree in trees])[:-1])
    return [values + _summed(tree, own) for tree, values, own in zip(trees, numbers, steps, strict=True)]


def _summed(tree, steps):
    """Sum of the steps of each node and of its ancestors."""
    total = steps.copy()
    for children, parents in _downwards(tree):
        total[children] += total[parents]
    return total


def _ridge(design, targets, penalty):
    """Ridge regression of all columns of the targets by conjugate gradients."""
    solution = np.zeros((design.shape[1], targets.shape[1]))
    residual = design.T @ targets
    direction, norm = residual.copy(), np.square(residual).sum(axis=0)
    for _ in range(_STEPS):
        image = design.T @ (design @ direction) + penalty * direction
        curvature = (direction * image).sum(axis=0)
        step = np.divide(norm, curvature, out=np.zeros_like(norm), where=curvature > 0)
        solution += step * direction
        residual -= step * image
        last, norm = norm, np.square(residual).sum(axis=0)
        direction = residual + np.divide(norm, last, out=np.zeros_like(norm), where=last > 0) * direction
    return solution


def _with_numbers(member, values, classes):
    """Copy of a member whose tree has the given numbers at its nodes."""
    estimator = deepcopy(member.estimator)
    own = values if classes is None else values[:, member.class_codes(classes)]
    estimator.tree_.value[:] = own.reshape(estimator.tree_.value.shape)
    return Member(estimator, member.features, member.coded, member.float32)
