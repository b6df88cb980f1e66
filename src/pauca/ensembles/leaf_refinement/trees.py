"""Leaves, paths and sums over the nodes of several trees, and ridge regression on them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..members import Member, Members

# Steps of conjugate gradients. Set by hand.
_STEPS = 30


def downwards(tree: Any) -> Iterator[tuple[NDArray, NDArray]]:
    """Children and their parents, level by level from the root."""
    level = np.array([0])
    while len(level):
        parents = level[tree.children_left[level] >= 0]
        sides = tree.children_left[parents], tree.children_right[parents]
        yield from ((children, parents) for children in sides)
        level = np.concatenate(sides)


def columns(member: Member, X: NDArray) -> NDArray:
    """Columns that a tree was trained on."""
    return X if member.features is None else X[:, member.features]


def leaf_of(member: Member, X: NDArray) -> NDArray:
    """Leaf of each checked row in a tree."""
    return member.estimator.tree_.apply(columns(member, X))


def average(members: Members, numbers: list[NDArray], X: NDArray) -> NDArray:
    """Average over trees, by their shares, of the numbers in the leaves of the rows."""
    parts = zip(members.shares, members, numbers, strict=True)
    return sum(share * values[leaf_of(member, X)] for share, member, values in parts)


def paths(members: Members, X: NDArray) -> list[sparse.csr_matrix]:
    """Nodes on the path of each row in each tree, as sparse matrices of ones."""
    return [member.estimator.tree_.decision_path(columns(member, X)) for member in members]


def moved_by(members: Members, numbers: list[NDArray], steps: NDArray) -> list[NDArray]:
    """Numbers of the nodes of trees plus the steps of the nodes and of their ancestors, tree after tree."""
    trees = [member.estimator.tree_ for member in members]
    own = np.split(steps, np.cumsum([tree.node_count for tree in trees])[:-1])
    return [values + summed(tree, part) for tree, values, part in zip(trees, numbers, own, strict=True)]


def summed(tree: Any, steps: NDArray) -> NDArray:
    """Sum of the steps of each node and of its ancestors."""
    total = steps.copy()
    for children, parents in downwards(tree):
        total[children] += total[parents]
    return total


def ridge(design: Any, targets: NDArray, penalty: float) -> NDArray:
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
