"""New numbers in the leaves of the few trees that are kept, so that they predict nearly as the whole forest.

Three steps. Leaves are shrunk towards their ancestors (in the manner of Agarwal et al. 2022), with the
strength that is best for the whole forest on rows that its trees were not trained on; those of regressors
follow the line from the means of these rows to their targets, since means of forests lie too near to the
middle (the linear correction of Zhang & Lu 2012), and what a forest of regressors still lacks on these rows
is given to the nodes of all trees together. Then the kept trees are moved, by ridge regression with a step
for every node, until their average follows that of all trees on the training rows and on rows between
neighbours (in the manner of the global refinement of Ren et al. 2015).
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..members import Members
from .following import moved, rows_between, with_numbers
from .left_out import corrected
from .rows import RefinementRows
from .shrinkage import best_shrunk
from .trees import average, leaf_of

__all__ = ["RefinementRows", "refined"]


def refined(
    members: Members, kept: Members, selected: NDArray, rows: RefinementRows, classes: Any, rng: Any
) -> Members:
    """Kept members, those ``selected`` of all, with new numbers in their leaves; regressors: no classes."""
    _check_trees(members, rows.X)
    X = members.checked(rows.X)
    leaves = [leaf_of(member, X) for member in members]
    numbers = best_shrunk(members, leaves, rows, classes)
    if classes is None:
        numbers = corrected(members, leaves, numbers, rows, rng)
    X = members.checked(np.concatenate([rows.X, rows_between(rows.X, rng)]))
    new = moved(kept, [numbers[place] for place in selected], X, average(members, numbers, X))
    changed = [with_numbers(member, values, classes) for member, values in zip(kept, new, strict=True)]
    return replace(kept, members=changed, soft=classes is not None, refined=True)


def _check_trees(members, X):
    if not members.are_trees:
        raise ValueError("refit=True needs decision trees as members; set refit=False.")
    if sparse.issparse(X):
        raise ValueError("refit=True needs a dense X; use X.toarray(), or set refit=False.")
