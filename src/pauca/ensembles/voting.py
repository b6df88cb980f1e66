"""When a partial vote is decided: critical vote counts of the Polya urn (thesis, section 3.3.2).

After ``t`` of ``T`` members have voted, a uniform prior over vote shares makes the remaining votes draws
from an urn with one ball for each vote seen and one for each class (3.29). The same law holds for a fixed
ensemble asked in random order when all final counts are equally likely.
"""

from fractions import Fraction
from functools import cache
from math import comb
from numbers import Integral, Real

import numpy as np

# Up to here the probabilities of two rivals are exact; the time grows with the cube of the size.
_LARGEST_EXACT = 1024


def vote_thresholds(n_members, confidence=0.99, n_classes=2):
    """Votes that the leading class needs for a partial vote to be decided.

    A vote is decided when the full vote has the same strict winner with probability ``confidence``
    (3.30). A tie in the full vote counts as a different answer, so an even number of members only makes
    the rule more cautious.

    Parameters
    ----------
    n_members : int
        Size T of the ensemble.
    confidence : float, default=0.99
        In (0.5, 1]. With 1 voting stops only when the members not yet asked cannot change the answer.
    n_classes : int, default=2
        Number of classes l.

    Returns
    -------
    thresholds : ndarray of int
        For two classes, of shape (T + 1,): the least votes of the leader after ``t`` votes. For more, of
        shape (T + 1, T // 2 + 1): the least votes of the leader after ``t`` votes when the runner-up has
        ``r``. Entries above ``t`` (two classes) or ``t - r`` cannot be reached: the vote goes on.

    Notes
    -----
    Two classes: exact, in integer arithmetic. More classes: one minus the sum over the rivals of the
    probability that the rival draws level, which never exceeds (3.30); the rivals behind the runner-up
    are taken at their worst. The probability for each rival is exact up to T = 1024 and that of an
    endless vote, with one of the leader's votes taken away, beyond.

    References
    ----------
    D. Hernández-Lobato, "Prediction Based on Averages over Automatically Induced Learners", 2009, section
    3.3.

    Examples
    --------
    >>> from pauca import vote_thresholds
    >>> vote_thresholds(101, 0.99)[6:14]
    array([ 6,  7,  8,  8,  9, 10, 10, 11], dtype=int32)
    """
    check_confidence(confidence)
    check_count("n_members", n_members, 1)
    check_count("n_classes", n_classes, 2)
    return thresholds_of(int(n_members), float(confidence), int(n_classes)).copy()


def agreement_probability(votes, n_members):
    """Probability that the class that leads now wins the full vote (3.30), exactly, for any number of
    classes.

    Parameters
    ----------
    votes : array-like of int, of shape (n_classes,)
        Votes so far.
    n_members : int
        Size T of the ensemble.

    Returns
    -------
    probability : float
        Ties in the full vote count as a different answer; of classes that are tied now, the first leads.

    Notes
    -----
    For each final count of the leader, the counts of the rivals below it are coefficients of a product of
    truncated polynomials: polynomial in T and in the number of classes.

    Examples
    --------
    >>> from pauca.ensembles import agreement_probability
    >>> round(agreement_probability([6, 0], 101), 4)
    0.9937
    """
    votes = [int(count) for count in votes]
    check_count("n_members", n_members, max(1, sum(votes)))
    leader = votes.pop(int(np.argmax(votes)))
    left = int(n_members) - leader - sum(votes)
    ways = sum(
        comb(leader + more, more) * _ways_below(votes, leader + more, left - more) for more in range(left + 1)
    )
    return ways / comb(int(n_members) + len(votes), left)


def check_confidence(confidence):
    """``confidence`` must be above one half and at most one."""
    if not _is_number(confidence) or not 0.5 < confidence <= 1:
        raise ValueError(f"confidence must be a number in (0.5, 1]; got {confidence!r}.")


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool)


def check_count(name, value, low):
    """``value`` must be an integer of at least ``low``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < low:
        raise ValueError(f"{name} must be an integer of at least {low}; got {value!r}.")


def _ways_below(rivals, ceiling, draws):
    """Ways to give ``draws`` votes to the rivals so that each stays below ``ceiling``."""
    ways = [1] + [0] * draws
    for votes in rivals:
        factor = [comb(votes + more, more) if votes + more < ceiling else 0 for more in range(draws + 1)]
        ways = [sum(ways[i] * factor[n - i] for i in range(n + 1)) for n in range(draws + 1)]
    return ways[draws]


@cache
def thresholds_of(n_members, confidence, n_classes):
    """The table behind `vote_thresholds`; it must not be changed."""
    if n_classes == 2:
        return np.array(_two_classes(n_members, Fraction(repr(confidence))), dtype=np.int32)
    certain = _certain(n_members)
    if confidence == 1:
        return certain
    return np.minimum(_several_classes(n_members, 1 - confidence, n_classes), certain)


def _two_classes(n_members, confidence):
    """Least votes of the leader after t = 0, 1, ... votes.

    That the leader of a : t - a ends with at least s votes has the probability that at most a of t + 1 draws
    without replacement from T + 1 balls hit s marked ones. With s the smallest majority and counts kept as
    integers this is (3.30).
    """
    marked, plain = n_members // 2 + 1, n_members - n_members // 2
    thresholds, votes, draws = [], 0, 1
    all_ways = marked + plain
    hit, missed = 1, plain  # ways to draw `votes` marked and `draws - votes` plain balls
    at_most = hit * missed
    while draws <= n_members + 1:
        while at_most * confidence.denominator < all_ways * confidence.numerator:
            missed = _one_fewer(missed, plain, draws - votes)
            hit = _one_more(hit, marked, votes)
            votes += 1
            at_most += hit * missed
        thresholds.append(votes)
        at_most = (at_most * (n_members + 1 - draws) - hit * missed * (marked - votes)) // (draws + 1)
        missed = _one_more(missed, plain, draws - votes)
        all_ways = _one_more(all_ways, marked + plain, draws)
        draws += 1
    return thresholds


def _one_more(ways, n, k):
    """C(n, k + 1) from C(n, k)."""
    return ways * (n - k) // (k + 1)


def _one_fewer(ways, n, k):
    """C(n, k - 1) from C(n, k)."""
    return ways * k // (n - k + 1) if k <= n else int(k == n + 1)


def _certain(n_members):
    """The leader needs one vote more than the runner-up could reach."""
    asked, second = np.ogrid[: n_members + 1, : n_members // 2 + 1]
    return (second + n_members - asked + 1).astype(np.int32)


def _several_classes(n_members, risk, n_classes):
    """Least votes of the leader, by time and votes of the runner-up."""
    from . import urn  # compiled: loads numba

    thresholds = np.empty((n_members + 1, n_members // 2 + 1), dtype=np.int32)
    fill = urn.fill if n_members <= _LARGEST_EXACT else urn.fill_endless
    fill(thresholds, risk, n_classes)
    return thresholds
