"""Ordered aggregation: members in the order in which each lowers the criterion most."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_outputs
from .criteria import criterion_matrix, path_criterion


@dataclass(frozen=True)
class Ordering:
    """Members in order of aggregation.

    Attributes
    ----------
    order : ndarray of int of shape (n_members,)
        Indices of all members.
    criterion : ndarray of shape (n_members,)
        Criterion of the first u members, u = 1, ..., M.
    """

    order: NDArray
    criterion: NDArray


def ordered_aggregation(
    outputs: ArrayLike,
    y: ArrayLike,
    *,
    task: str = "regression",
    sample_weight: ArrayLike | None = None,
    known: ArrayLike | None = None,
) -> Ordering:
    """Order members greedily: each step adds the one that leaves the smallest criterion (thesis, eq. 3.17).

    One run gives a sub-ensemble of every size, each within the next. After the M x M matrix of
    `error_products` or `common_errors` the cost is O(M²). Ties go to the lowest index.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples) or (n_members, n_samples, n_outputs)
        Predictions of each member: numbers, or classes.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Targets.
    task : {"regression", "classification"}, default="regression"
        Whether outputs are averaged numbers or votes for classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    known : boolean array-like of shape (n_members, n_samples), default=None
        Rows that count for a member, such as those it was not trained on; all rows by default.

    Returns
    -------
    Ordering
        ``order``, and ``criterion`` for every size: in regression the mean squared error.

    References
    ----------
    Hernández-Lobato, Martínez-Muñoz & Suárez, "Pruning in ordered regression bagging ensembles", IJCNN
    (2006).

    Examples
    --------
    >>> from pauca.ensembles import ordered_aggregation
    >>> ordered_aggregation([[1.0, 1.0], [0.5, -0.5], [-0.4, 0.6]], [0.0, 0.0]).order
    array([1, 2, 0])
    """
    C = criterion_matrix(check_outputs(outputs, y, task, sample_weight, known))
    order = greedy_order(C)
    return Ordering(order, path_criterion(C, order))


def greedy_order(C: NDArray, first: NDArray | None = None) -> NDArray:
    """Greedy order of all members; the members in ``first``, if given, come before the others."""
    everything = np.arange(len(C))
    stages = [everything] if first is None else [first, np.setdiff1d(everything, first)]
    twice, cost = 2 * C, C.diagonal().copy()
    order: list[int] = []
    for stage in stages:
        closed = np.full(len(C), np.inf)
        closed[stage] = 0.0
        for _ in stage:
            # cost_k = 2 sum_{i in S} C_ik + C_kk is all of (3.17) that depends on k.
            best = int(np.argmin(cost + closed))
            order.append(best)
            closed[best] = np.inf
            cost += twice[best]
    return np.array(order, dtype=int)
