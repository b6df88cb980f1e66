"""Classical greedy orders of voting members (compared by Martínez-Muñoz et al. 2009)."""

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...validation import check_option
from ..checks import MemberOutputs, check_outputs

# Margin, small and positive, that "margin-distance" aims at on every row: Martínez-Muñoz & Suárez (2006).
_TARGET_MARGIN = 0.075


def vote_ordering(
    outputs: ArrayLike,
    y: ArrayLike,
    method: str,
    *,
    sample_weight: ArrayLike | None = None,
    known: ArrayLike | None = None,
) -> NDArray:
    """Order the members of a voting ensemble by one of the classical greedy rules.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples)
        Class that each member votes for.
    y : array-like of shape (n_samples,)
        Classes.
    method : {"reduce-error", "complementarity", "margin-distance", "boosting"}
        Quantity that the next member maximises:

        - "reduce-error": right votes of the enlarged ensemble (Margineantu & Dietterich 1997);
        - "complementarity": right votes on rows where the ensemble so far is wrong
          (Martínez-Muñoz & Suárez 2004);
        - "margin-distance": closeness of the margins to a point with all of them small and positive
          (Martínez-Muñoz & Suárez 2006);
        - "boosting": right votes under AdaBoost's weights, which start anew when no member is better than
          chance (Martínez-Muñoz & Suárez 2007).

        Ties go to the lowest index; tied votes to the first class.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    known : boolean array-like of shape (n_members, n_samples), default=None
        Rows that a member votes on, such as those it was not trained on; all rows by default.

    Returns
    -------
    order : ndarray of shape (n_members,)
        Indices of all members.

    References
    ----------
    Martínez-Muñoz, Hernández-Lobato & Suárez, "An analysis of ensemble pruning techniques based on ordered
    aggregation", IEEE PAMI 31 (2009).
    """
    check_option("method", method, VOTE_ORDERINGS)
    return VOTE_ORDERINGS[method](check_outputs(outputs, y, "classification", sample_weight, known))


def vote_errors(data: MemberOutputs, order: NDArray) -> NDArray:
    """Error rate of the vote of the first u members of an order, for every u."""
    ballot = Ballot(data)
    return np.array([ballot.add(member).error() for member in order])


class Ballot:
    """Votes counted row by row; ties go to the first class. Rows without a vote do not count."""

    def __init__(self, data: MemberOutputs):
        self.data = data
        self.rows = np.arange(len(data.y))
        self.counts = np.zeros((len(data.y), data.n_classes))
        self.casts = np.ones(data.outputs.shape) if data.known is None else data.known.astype(float)

    def add(self, member: int) -> Self:
        """Count the votes of one more member."""
        self.counts[self.rows, self.data.outputs[member]] += self.casts[member]
        return self

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Mask of the rows that the vote gets wrong."""
        return self.counts.argmax(axis=1) != self.data.y

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Mask of the rows without a vote."""
        return np.asarray(~self.counts.any(axis=1))

    def error(self) -> float:
        """Weighted share of wrong rows among those with votes."""
        return float(_share(self.wrong, ~self.empty * self.data.weights))

    def errors_with(self, members: NDArray) -> NDArray:
        """Error rate after adding each of the given members: its class wins or the present winner stays."""
        votes, casts = self.data.outputs[members], self.casts[members]
        winner = self.counts.argmax(axis=1)
        lead = self.counts[self.rows, winner]
        raised = self.counts[self.rows, votes] + casts
        takes_over = (raised > lead) | ((raised == lead) & (votes < winner))
        wrong = np.where(takes_over, votes, winner) != self.data.y
        return _share(wrong, (~self.empty | (casts > 0)) * self.data.weights)


def _reduce_error(data):
    ballot = Ballot(data)

    def score(left):
        return -ballot.errors_with(left)

    return _greedy(data, score, ballot.add)


def _complementarity(data):
    ballot, right = Ballot(data), _right(data)

    def score(left):
        return right[left] @ (data.weights * (ballot.wrong | ballot.empty))

    return _greedy(data, score, ballot.add)


def _margin_distance(data):
    signatures = np.where(data.outputs == data.y, 1.0, -1.0)
    if data.known is not None:
        signatures *= data.known
    products = (signatures * data.weights) @ signatures.T
    # |o - (s + c_k) / M|² without the terms that do not depend on k, times M² / 2.
    cost = products.diagonal() / 2 - data.n_members * _TARGET_MARGIN * (signatures @ data.weights)

    def score(left):
        return -cost[left]

    def add(member):
        cost[:] += products[member]

    return _greedy(data, score, add)


def _boosting(data):
    right, start = _right(data), data.weights / data.weights.sum()
    casts = np.ones(data.outputs.shape) if data.known is None else data.known.astype(float)
    wrong, weights = casts - right, start.copy()

    def score(left):
        if (wrong[left] @ weights).min() >= 0.5:
            weights[:] = start
        return -(wrong[left] @ weights)

    def add(member):
        error = wrong[member] @ weights
        if 0 < error < 0.5:
            weights[:] *= np.where(wrong[member] > 0, 0.5 / error, 0.5 / (1 - error))
        else:
            weights[:] = start

    return _greedy(data, score, add)


def _share(wrong, weights):
    """Weighted share of wrong rows; one where no row has weight."""
    total = weights.sum(axis=-1)
    return np.where(total > 0, (wrong * weights).sum(axis=-1) / np.where(total > 0, total, 1.0), 1.0)


def _right(data):
    """Matrix of ones where a member is right on a row that counts for it, zeros elsewhere."""
    right = data.outputs == data.y
    return (right if data.known is None else right & data.known).astype(float)


def _greedy(data, score, add):
    """Order in which the member with the highest score is taken next; ``add`` updates the scores."""
    left, order = np.arange(data.n_members), []
    while len(left):
        place = int(np.argmax(score(left)))
        order.append(left[place])
        add(left[place])
        left = np.delete(left, place)
    return np.array(order, dtype=int)


VOTE_ORDERINGS: dict[str, Callable[[MemberOutputs], NDArray]] = {
    "reduce-error": _reduce_error,
    "complementarity": _complementarity,
    "margin-distance": _margin_distance,
    "boosting": _boosting,
}
