"""Other greedy orders for votes, with which ordered aggregation is compared (Martínez-Muñoz et al. 2009)."""

import numpy as np

from .checks import check_outputs

# Every margin is wanted small and positive: this, as in Martínez-Muñoz & Suárez (2006).
_WANTED_MARGIN = 0.075


def vote_ordering(outputs, y, method, *, sample_weight=None, known=None):
    """Order the members of a voting ensemble by one of the classical greedy rules.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples)
        The class that each member votes for.
    y : array-like of shape (n_samples,)
        Classes.
    method : {"reduce-error", "complementarity", "margin-distance", "boosting"}
        What the next member has most of:

        - "reduce-error": right votes of the enlarged ensemble (Margineantu & Dietterich 1997);
        - "complementarity": right votes on rows where the ensemble so far is wrong
          (Martínez-Muñoz & Suárez 2004);
        - "margin-distance": closeness of the margins to a point with all of them small and positive
          (Martínez-Muñoz & Suárez 2006);
        - "boosting": right votes under AdaBoost's weights, which start anew when no member is better than
          chance (Martínez-Muñoz & Suárez 2007).

        Ties go to the lowest index; tied votes to the first class.
    sample_weight, known
        See `error_products`; members do not vote on rows that do not count for them.

    Returns
    -------
    order : ndarray of shape (n_members,)

    References
    ----------
    Martínez-Muñoz, Hernández-Lobato & Suárez, "An analysis of ensemble pruning techniques based on ordered
    aggregation", IEEE PAMI 31 (2009).
    """
    if method not in VOTE_ORDERINGS:
        raise ValueError(f"method must be one of {', '.join(map(repr, VOTE_ORDERINGS))}; got {method!r}.")
    return VOTE_ORDERINGS[method](check_outputs(outputs, y, "classification", sample_weight, known))


def vote_errors(data, order):
    """Error rate of the vote of the first u members of an order, for every u."""
    ballot = Ballot(data)
    return np.array([ballot.add(member).error() for member in order])


class Ballot:
    """Votes counted row by row; ties go to the first class. Rows without a vote do not count."""

    def __init__(self, data):
        self.data = data
        self.rows = np.arange(len(data.y))
        self.counts = np.zeros((len(data.y), data.n_classes))
        self.casts = np.ones(data.outputs.shape) if data.known is None else data.known.astype(float)

    def add(self, member):
        """Count the votes of one more member."""
        self.counts[self.rows, self.data.outputs[member]] += self.casts[member]
        return self

    @property
    def wrong(self):
        """Rows that the vote gets wrong."""
        return self.counts.argmax(axis=1) != self.data.y

    @property
    def empty(self):
        """Rows without a vote."""
        return ~self.counts.any(axis=1)

    def error(self):
        """Weighted share of wrong rows among those with votes."""
        return float(_share(self.wrong, ~self.empty * self.data.weights))

    def errors_with(self, members):
        """Error rate with each of some members added: its class wins or the present winner stays."""
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
    # |o - (s + c_k) / M|², less what does not depend on k, times M² / 2.
    cost = products.diagonal() / 2 - data.n_members * _WANTED_MARGIN * (signatures @ data.weights)

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
    """Weighted share of wrong rows; one where there are none to judge by."""
    total = weights.sum(axis=-1)
    return np.where(total > 0, (wrong * weights).sum(axis=-1) / np.where(total > 0, total, 1.0), 1.0)


def _right(data):
    """1 where a member is right on a row that counts for it."""
    right = data.outputs == data.y
    return (right if data.known is None else right & data.known).astype(float)


def _greedy(data, score, add):
    """Take the member with the highest score, time after time."""
    left, order = np.arange(data.n_members), []
    while len(left):
        place = int(np.argmax(score(left)))
        order.append(left[place])
        add(left[place])
        left = np.delete(left, place)
    return np.array(order, dtype=int)


VOTE_ORDERINGS = {
    "reduce-error": _reduce_error,
    "complementarity": _complementarity,
    "margin-distance": _margin_distance,
    "boosting": _boosting,
}
