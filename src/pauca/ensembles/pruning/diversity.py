"""Orders of members by criteria other than the error of their average: ambiguity and decorrelation.

Both work on the matrix of mean error products C of numbers, or of votes as ones at the classes. With Ē the
mean error of the members of a set and Ā their ambiguity, the mean squared distance to their average, the
error of the average is Ē - Ā (Krogh & Vedelsby 1995), so that both follow from C.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..checks import MemberOutputs
from .criteria import criterion_matrix

# Weight of the ambiguity beside the mean error, 1 for the error of the average. Set by hand.
_AMBIGUITY = 1.5
# Weight of the error product with the member before (Rosen 1996). Set by hand.
_DECORRELATION = 1.0


def numeric_products(data: MemberOutputs) -> NDArray:
    """Mean error products of numbers, or of votes as ones at the classes."""
    if data.task == "regression":
        return criterion_matrix(data)
    codes = np.eye(data.n_classes)
    return criterion_matrix(replace(data, task="regression", outputs=codes[data.outputs], y=codes[data.y]))


def ambiguity_order(C: NDArray) -> NDArray:
    """Greedy order by the mean error less a multiple of the ambiguity, Ē - kĀ = (1 - k) Ē + k (Ē - Ā)."""
    own, sums, total, mean = C.diagonal(), np.zeros(len(C)), 0.0, 0.0
    left, order = np.arange(len(C)), []
    for size in range(1, len(C) + 1):
        joint = (total + 2 * sums[left] + own[left]) / size**2
        scores = (1 - _AMBIGUITY) * (mean + own[left]) / size + _AMBIGUITY * joint
        # A single member has no ambiguity: the first is the best one.
        best = left[int(np.argmin(scores if size > 1 else own[left]))]
        total += 2 * sums[best] + own[best]
        mean += own[best]
        sums += C[best]
        order.append(best)
        left = left[left != best]
    return np.array(order, dtype=int)


def decorrelation_order(C: NDArray) -> NDArray:
    """Greedy order by each member's error plus its error product with the member before (Rosen 1996)."""
    own, left, order = C.diagonal(), np.arange(len(C)), []
    penalty = np.zeros(len(C))
    while len(left):
        best = left[int(np.argmin(own[left] + _DECORRELATION * penalty[left]))]
        order.append(best)
        penalty = C[best]
        left = left[left != best]
    return np.array(order, dtype=int)


def best_weights(C: NDArray) -> NDArray:
    """Weights of members, none negative and with sum one, of the least error w'Cw of their weighted average.

    Active set of the quadratic program: members whose weight would be negative leave, those that would lower
    the error enter.
    """
    n = len(C)
    ridge = C + 1e-10 * max(np.trace(C) / n, np.finfo(float).tiny) * np.eye(n)
    weights = np.zeros(n)
    weights[int(np.argmin(ridge.diagonal()))] = 1.0
    for _ in range(10 * n):
        gradient = ridge @ weights
        level = float(weights @ gradient)
        entering = int(np.argmin(gradient))
        if gradient[entering] >= level - 1e-12 * max(abs(level), np.finfo(float).tiny):
            break
        weights = _solved(ridge, weights, np.append(np.flatnonzero(weights), entering))
    return weights


def _solved(C, weights, active):
    """Best weights of the active members; those that would become negative leave one by one."""
    while True:
        goal = np.linalg.solve(C[np.ix_(active, active)], np.ones(len(active)))
        goal = goal / goal.sum()
        if (goal > 0).all():
            solved = np.zeros_like(weights)
            solved[active] = goal
            return solved
        now, falling = weights[active], goal <= 0
        step = np.min(now[falling] / (now[falling] - goal[falling]))
        moved = now + step * (goal - now)
        moved[np.flatnonzero(falling)[np.argmin(now[falling] / (now[falling] - goal[falling]))]] = 0.0
        weights = np.zeros_like(weights)
        weights[active] = np.maximum(moved, 0.0)
        active = active[moved > 0]


DIVERSITY_ORDERS: dict[str, Callable[[NDArray], NDArray]] = {
    "ambiguity": ambiguity_order,
    "decorrelation": decorrelation_order,
}
