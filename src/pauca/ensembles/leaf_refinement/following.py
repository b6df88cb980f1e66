"""Numbers of the kept trees that follow those of all trees, on training rows and rows between them."""

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from ..members import Member, Members
from .trees import average, moved_by, paths, ridge

# Damping of the steps, chosen of 0.02, 0.05, 0.1 and 0.2 on splits 0-2 of 21 sets.
_DAMPING = 0.05
# New rows for each training row, most of both, and neighbours that a new row may be mixed with; the first and
# the last of 10 and 30 on the same splits.
_NEW_ROWS, _MAX_ROWS, _NEIGHBOURS = 30, 20_000, 30


def rows_between(X: NDArray, rng: Any) -> NDArray:
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


def moved(members: Members, numbers: list[NDArray], X: NDArray, goal: NDArray) -> list[NDArray]:
    """Numbers of the nodes of trees after ridge regression of what their average lacks to the goal at X.

    Every node has a step, which all leaves below it take: leaves that few rows reach follow their ancestors.
    """
    parts = [share * path for share, path in zip(members.shares, paths(members, X), strict=True)]
    lacking = goal - average(members, numbers, X)
    steps = ridge(sparse.hstack(parts, format="csr"), lacking, _DAMPING**2 * len(members))
    return moved_by(members, numbers, steps)


def with_numbers(member: Member, values: NDArray, classes: Any) -> Member:
    """Copy of a member whose tree has the given numbers at its nodes."""
    estimator = deepcopy(member.estimator)
    own = values if classes is None else values[:, member.class_codes(classes)]
    estimator.tree_.value[:] = own.reshape(estimator.tree_.value.shape)
    return Member(estimator, member.features, member.coded, member.float32)
