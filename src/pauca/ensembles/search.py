"""One door to all searches: from checked outputs to the members to keep."""

from dataclasses import dataclass

import numpy as np

from .evidence import chosen_by_evidence
from .exhaustive import best_choice
from .matrices import criterion_matrix, path_criterion
from .ordered import greedy_order
from .orderings import VOTE_ORDERINGS, vote_errors
from .sdp import relaxed_choice

METHODS = {
    "regression": ("ordered", "sdp", "exhaustive", "evidence"),
    "classification": ("ordered", "sdp", "exhaustive", "evidence", *VOTE_ORDERINGS),
}


@dataclass(frozen=True)
class Choice:
    """All members in order, the first ``count`` of them to be kept.

    ``errors[u - 1]`` is the error of the first u on the rows of the search; ``lower_bound`` bounds the
    criterion of every set of ``count`` members, where the method knows it.
    """

    order: np.ndarray
    errors: np.ndarray
    count: int
    lower_bound: float | None = None


def search(data, method, count, random_state=None):
    """Choose ``count`` members, or with None as many as leave the smallest error ("evidence": as it says)."""
    C = criterion_matrix(data)
    if method in ("ordered", *VOTE_ORDERINGS):
        order = greedy_order(C) if method == "ordered" else VOTE_ORDERINGS[method](data)
        errors = errors_along(data, C, order)
        return Choice(order, errors, count or 1 + int(np.argmin(errors)))
    if method == "evidence":
        selected, bound = _worthwhile(C, data), None
        count = min(count or len(selected), len(selected))
    else:
        found = best_choice(C, count) if method == "exhaustive" else _relaxed(C, data, count, random_state)
        selected, bound, count = found.selected, found.lower_bound, len(found.selected)
    order = greedy_order(C, first=selected)
    return Choice(order, errors_along(data, C, order), count, bound)


def errors_along(data, C, order):
    """Mean squared error of the average, or error rate of the vote, of the first u members for every u."""
    return path_criterion(C, order) if data.task == "regression" else vote_errors(data, order)


def _relaxed(C, data, count, random_state):
    """The size is that of the best greedy sub-ensemble unless it is given."""
    count = count or 1 + int(np.argmin(errors_along(data, C, greedy_order(C))))
    return relaxed_choice(C, count, random_state)


def _worthwhile(C, data):
    """The members that the evidence keeps, or the best one if it keeps none."""
    selected = chosen_by_evidence(data).selected
    return selected if len(selected) else greedy_order(C)[:1]
