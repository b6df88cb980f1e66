"""Dispatch of pruning methods: from checked member outputs to the members to keep."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import MemberOutputs
from .criteria import criterion_matrix, path_criterion
from .diversity import DIVERSITY_ORDERS, numeric_products
from .evidence import select_by_evidence
from .exhaustive import select_exhaustively
from .ordered import greedy_order
from .sdp import select_by_sdp
from .vote_orders import VOTE_ORDERINGS, vote_errors

METHODS = {
    "regression": ("ordered", "sdp", "exhaustive", "evidence", *DIVERSITY_ORDERS),
    "classification": ("ordered", "sdp", "exhaustive", "evidence", *DIVERSITY_ORDERS, *VOTE_ORDERINGS),
}


@dataclass(frozen=True)
class PruningResult:
    """Members in order, of which the first ``count`` are kept.

    ``errors[u - 1]`` is the error of the first u on the rows of the search; ``lower_bound`` bounds the
    criterion of every set of ``count`` members, where the method has such a bound.
    """

    order: NDArray
    errors: NDArray
    count: int
    lower_bound: float | None = None


def select_members(
    data: MemberOutputs, method: str, count: int | None, random_state: Any = None
) -> PruningResult:
    """Select ``count`` members; with None the number is chosen by the smallest error, or by the evidence.

    Members that no row counts for cannot be chosen: they come last in the order, and the error stays there.
    """
    usable = np.flatnonzero(data.rows_of_members > 0)
    if len(usable) == data.n_members:
        return _selected(data, method, count, random_state)
    found = _selected(data.subset(usable), method, count and min(count, len(usable)), random_state)
    others = np.setdiff1d(np.arange(data.n_members), usable)
    errors = np.append(found.errors, np.full(len(others), found.errors[-1]))
    return replace(found, order=np.append(usable[found.order], others), errors=errors)


def _selected(data, method, count, random_state):
    """Selection among members that each have rows that count."""
    C = criterion_matrix(data)
    if method in ("ordered", *DIVERSITY_ORDERS, *VOTE_ORDERINGS):
        order = _order(C, data, method)
        errors = _errors_along(data, C, order)
        return PruningResult(order, errors, count or 1 + int(np.argmin(errors)))
    if method == "evidence":
        selected, bound = _by_evidence(C, data), None
        count = min(count or len(selected), len(selected))
    else:
        found = (
            select_exhaustively(C, count) if method == "exhaustive" else _by_sdp(C, data, count, random_state)
        )
        selected, bound, count = found.selected, found.lower_bound, len(found.selected)
    order = greedy_order(C, first=selected)
    return PruningResult(order, _errors_along(data, C, order), count, bound)


def _order(C, data, method):
    """Order of all members by one of the greedy methods."""
    if method == "ordered":
        return greedy_order(C)
    if method in DIVERSITY_ORDERS:
        return DIVERSITY_ORDERS[method](numeric_products(data))
    return VOTE_ORDERINGS[method](data)


def _errors_along(data, C, order):
    """Mean squared error of the average, or error rate of the vote, of the first u members for every u."""
    return path_criterion(C, order) if data.task == "regression" else vote_errors(data, order)


def _by_sdp(C, data, count, random_state):
    """Sub-ensemble by the relaxation; without a size, as large as the best greedy sub-ensemble."""
    count = count or 1 + int(np.argmin(_errors_along(data, C, greedy_order(C))))
    return select_by_sdp(C, count, random_state)


def _by_evidence(C, data):
    """Members that the evidence keeps, or the single best one if it keeps none."""
    selected = select_by_evidence(data).selected
    return selected if len(selected) else greedy_order(C)[:1]
