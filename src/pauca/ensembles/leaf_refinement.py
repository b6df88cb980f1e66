"""New numbers in the leaves of the few trees that are kept, so that they predict nearly as the whole forest.

Two steps. Leaves are shrunk towards their ancestors (in the manner of Agarwal et al. 2022), with the strength
that is best for the whole forest on rows that its trees were not trained on. Then the leaves of the kept
trees are moved together, by ridge regression, until their average follows the average of all shrunk trees on
the training rows and on rows between neighbours (in the manner of the global refinement of Ren et al. 2015,
which fits the labels: those of the training rows are in the leaves already).
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
# Damping of the leaves, chosen of 0.02, 0.05, 0.1 and 0.2 on splits 0-2 of 15 sets; steps of its solution.
_DAMPING, _STEPS = 0.1, 30
# New rows for each training row, most of both, and neighbours that a new row may be mixed with. Set by hand.
_NEW_ROWS, _MAX_ROWS, _NEIGHBOURS = 10, 20_000, 10


@dataclass(frozen=True)
class RefinementRows:
    """Training rows and their targets: a column for each output, or ones at the classes.

    ``known`` masks the rows (columns) that were not used for each tree (row); None if all count.
    """

    X: NDArray
    targets: NDArray
    weights: NDArray
    known: NDArray | None


def refined(members: Members, selected: NDArray, rows: RefinementRows, classes: Any, rng: Any) -> Members:
    """Kept members with new numbers in their leaves; ``classes`` is None for regressors."""
    _check_trees(members, rows.X)
    X = members.checked(rows.X)
    leaves = [_leaf_of(member, X) for member in members]
    numbers = _best_shrunk(members, leaves, rows, classes)
    kept = [numbers[place] for place in selected]
    X = members.checked(np.concatenate([rows.X, _rows_between(rows.X, rng)]))
    goal = sum(values[_leaf_of(member, X)] for member, values in zip(members, numbers, strict=True))
    places = [_leaf_of(members.members[place], X) for place in selected]
    moved = _moved(kept, places, goal / len(members))
    changed = [
        _with_numbers(members.members[place], values, classes)
        for place, values in zip(selected, moved, strict=True)
    ]
    return replace(members, members=changed, soft=classes is not None, refined=True)


def shrunk(tree: Any, strength: float) -> NDArray:
    """Numbers of all nodes of a tree, shape (n_nodes, n_outputs), shrunk towards those of their ancestors.

    A node of n rows counts n against ``strength`` rows of its parent's number.
    """
    values = tree.value.reshape(tree.node_count, -1).copy()
    share = tree.weighted_n_node_samples / (tree.weighted_n_node_samples + strength)
    level = np.array([0])
    while len(level):
        parents = level[tree.children_left[level] >= 0]
        for children in (tree.children_left[parents], tree.children_right[parents]):
            own = share[children, None]
            values[children] = own * values[children] + (1 - own) * values[parents]
        level = np.concatenate([tree.children_left[parents], tree.children_right[parents]])
    return values


def _check_trees(members, X):
    if not members.are_trees:
        raise ValueError("refit=True needs decision trees as members; set refit=False.")
    if sparse.issparse(X):
        raise ValueError("refit=True needs a dense X; use X.toarray(), or set refit=False.")


def _leaf_of(member, X):
    """Leaf of each checked row in a tree."""
    return member.estimator.tree_.apply(X if member.features is None else X[:, member.features])


def _best_shrunk(members, leaves, rows, classes):
    """Numbers of the nodes of all trees, with the strength of least squared error on rows not used."""
    known = np.ones((len(members), len(rows.X)), bool) if rows.known is None else rows.known
    counts = known.sum(axis=0)
    usable = counts > 0
    best, least = None, np.inf
    for strength in _STRENGTHS:
        numbers = [_full(member, shrunk(member.estimator.tree_, strength), classes) for member in members]
        total = np.zeros_like(rows.targets, dtype=float)
        for values, leaf, mine in zip(numbers, leaves, known, strict=True):
            total[mine] += values[leaf[mine]]
        errors = np.square(total[usable] / counts[usable, None] - rows.targets[usable]).sum(axis=1)
        error = np.average(errors, weights=rows.weights[usable])
        if error < least:
            best, least = numbers, error
    return best


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


def _moved(kept, places, goal):
    """Numbers of the kept trees after ridge regression of what their average lacks to the goal."""
    edges = np.concatenate([[0], np.cumsum([len(values) for values in kept])])
    n_rows, n_trees = len(goal), len(kept)
    columns = np.concatenate([place + edge for place, edge in zip(places, edges, strict=False)])
    rows = np.tile(np.arange(n_rows), n_trees)
    design = sparse.csr_matrix(
        (np.full(len(columns), 1 / n_trees), (rows, columns)), shape=(n_rows, edges[-1])
    )
    numbers = np.concatenate(kept)
    numbers = numbers + _ridge(design, goal - design @ numbers, _DAMPING**2 * n_trees)
    return np.split(numbers, edges[1:-1])


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
