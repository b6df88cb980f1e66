"""Leaves shrunk towards their ancestors, and the line from averages to targets."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..members import Member, Members
from .rows import RefinementRows
from .trees import downwards

# Strengths of the shrinkage that are tried, in rows. Set by hand.
_STRENGTHS = 0.0, 0.3, 1.0, 3.0, 10.0, 30.0


def shrunk(tree: Any, strength: float) -> NDArray:
    """Numbers of all nodes of a tree, shape (n_nodes, n_outputs), shrunk towards those of their ancestors.

    A node of n rows counts n against ``strength`` rows of its parent's number.
    """
    values = tree.value.reshape(tree.node_count, -1).copy()
    share = tree.weighted_n_node_samples / (tree.weighted_n_node_samples + strength)
    for children, parents in downwards(tree):
        own = share[children, None]
        values[children] = own * values[children] + (1 - own) * values[parents]
    return values


def best_shrunk(members: Members, leaves: list[NDArray], rows: RefinementRows, classes: Any) -> list[NDArray]:
    """Numbers of the nodes of all trees, with the strength of least squared error on rows not used.

    Those of regressors are moved to the line from averages to targets, where rows were left out.
    """
    usable = rows.usable(members)
    targets, weights = rows.targets[usable], rows.weights[usable]
    best: list[NDArray] = []
    averages, least = targets, np.inf
    for strength in _STRENGTHS:
        numbers = [full(member, shrunk(member.estimator.tree_, strength), classes) for member in members]
        average = rows.averages(members, numbers, leaves)[usable]
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


def full(member: Member, values: NDArray, classes: Any) -> NDArray:
    """Numbers of a tree's nodes with a column for every class of the ensemble."""
    if classes is None:
        return values
    full = np.zeros((len(values), len(classes)))
    full[:, member.class_codes(classes)] = values
    return full
