"""Stopping rules of early voting: when a partial vote, or a partial mean, is decided.

Votes: critical counts of the Polya urn (thesis, section 3.3.2). After ``t`` of ``T`` members have voted, a
uniform prior over vote shares makes the remaining votes draws from a Polya urn with one ball for each vote
seen and one for each class (3.29). The same law holds for a fixed ensemble evaluated in random order when all
final counts are equally likely. Means: critical values of Student's t.
"""

from fractions import Fraction
from functools import cache
from math import comb
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from ...validation import as_array, check_number
from ..checks import check_confidence

# Largest ensemble, in members, for which the probabilities of two rivals are exact; the time grows with the
# cube of the size. Set by hand, not tuned.
_LARGEST_EXACT = 1024
# Most classes; numerical guard of compiled code, which counts in 64 bits.
_MOST_CLASSES = 2**31 - 1
# Tail probabilities of Student's t are tabulated up to this many standard errors. Set by hand, not tuned.
_MAX_STANDARD_ERRORS = 32
# Least number of members before a mean may be decided. Set by hand, not tuned.
_MIN_MEMBERS = 6


def vote_thresholds(n_members: int, confidence: float = 0.99, n_classes: int = 2) -> NDArray[np.int32]:
    """Least votes of the leading class at which a partial vote is decided.

    A vote is decided when the full vote has the same strict winner with probability ``confidence``
    (3.30). A tie in the full vote counts as a different answer, so an even number of members only makes
    the rule more conservative.

    Parameters
    ----------
    n_members : int
        Size T of the ensemble.
    confidence : float, default=0.99
        Probability in (0.5, 1]. With 1 voting stops only when the members not yet evaluated cannot change the
        answer.
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
    Two classes: exact, in integer arithmetic. Three classes: exact up to T = 1024, since the third class has
    the votes that the other two have not. Otherwise a bound: one minus the sum over the rivals of the
    probability that the rival draws level, which never exceeds (3.30); the rivals behind the runner-up are
    taken at their worst. The bound loses little: of the 836 states of up to 21 votes for four classes it goes
    on in 3 where (3.30) would stop at 99 %, of the 1345 for five classes in 14. The probability for each
    rival is exact up to T = 1024; beyond, it is the one in an infinite vote, with one of the leader's votes
    taken away. `vote_rule` says which is used.

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
    check_number("n_members", n_members, 1, kind=Integral)
    check_number("n_classes", n_classes, 2, kind=Integral)
    if n_classes > _MOST_CLASSES:
        raise ValueError(f"n_classes must not exceed {_MOST_CLASSES}; got {n_classes}.")
    return thresholds_of(int(n_members), float(confidence), int(n_classes)).copy()


def agreement_probability(votes: ArrayLike, n_members: int) -> float:
    """Exact probability that the class that leads a partial vote wins the full vote (3.30).

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
    counts = as_array("votes", votes)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or len(counts) < 2 or (counts < 0).any():
        raise ValueError(f"votes must be counts of at least two classes; got {votes!r:.80}.")
    rivals = [int(count) for count in counts]
    check_number("n_members", n_members, max(1, sum(rivals)), kind=Integral)
    leader = rivals.pop(int(np.argmax(rivals)))
    left = int(n_members) - leader - sum(rivals)
    ways = sum(
        comb(leader + more, more) * _ways_below(rivals, leader + more, left - more)
        for more in range(left + 1)
    )
    return ways / comb(int(n_members) + len(rivals), left)


def vote_rule(n_members: int, n_classes: int) -> str:
    """Whether `vote_thresholds` stops exactly by (3.30) or by a bound that never exceeds it.

    Parameters
    ----------
    n_members : int
        Size T of the ensemble.
    n_classes : int
        Number of classes l.

    Returns
    -------
    rule : {"exact", "bound"}
        "exact" for two classes, and for three up to T = 1024.

    Examples
    --------
    >>> from pauca.ensembles import vote_rule
    >>> vote_rule(500, 3), vote_rule(500, 4)
    ('exact', 'bound')
    """
    check_number("n_members", n_members, 1, kind=Integral)
    check_number("n_classes", n_classes, 1, kind=Integral)
    exact = n_classes <= 2 or (n_classes == 3 and n_members <= _LARGEST_EXACT)
    return "exact" if exact else "bound"


@cache
def thresholds_of(n_members: int, confidence: float, n_classes: int) -> NDArray[np.int32]:
    """Cached table behind `vote_thresholds`; it must not be changed."""
    if n_classes == 2:
        return np.array(_two_classes(n_members, Fraction(repr(confidence))), dtype=np.int32)
    certain = _certain(n_members)
    if confidence == 1:
        return certain
    if vote_rule(n_members, n_classes) == "exact":
        return np.minimum(_three_classes(n_members, confidence), certain)
    return np.minimum(_several_classes(n_members, 1 - confidence, n_classes), certain)


@cache
def student_rule(n_members: int, confidence: float) -> tuple[NDArray, NDArray, float]:
    """Squared critical values of Student's t by members evaluated, its table of tails, and the risk.

    The table has P(t > x) by members evaluated (row) for x in steps of 1 / STEPS (column).
    """
    from .compiled_votes import STEPS  # imports numba

    freedom = np.maximum(np.arange(n_members + 1) - 1, 1)
    critical = stdtrit(freedom, confidence) ** 2 if confidence < 1 else np.full(n_members + 1, np.inf)
    critical[:_MIN_MEMBERS] = np.inf
    tails = stdtr(freedom[:, None], -np.arange(_MAX_STANDARD_ERRORS * STEPS + 1) / STEPS)
    return critical, tails, 1.0 - confidence


def _ways_below(rivals, ceiling, draws):
    """Number of ways to give ``draws`` votes to the rivals so that each stays below ``ceiling``."""
    ways = [1] + [0] * draws
    for votes in rivals:
        factor = [comb(votes + more, more) if votes + more < ceiling else 0 for more in range(draws + 1)]
        ways = [sum(ways[i] * factor[n - i] for i in range(n + 1)) for n in range(draws + 1)]
    return ways[draws]


def _two_classes(n_members, confidence):
    """Least votes of the leader after t = 0, 1, ... votes.

    The probability that the leader of a : t - a ends with at least s votes is the probability that at most a
    of t + 1 draws without replacement from T + 1 balls hit s marked ones. With s the smallest majority and
    counts kept as integers this is (3.30).
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
    """Binomial coefficient C(n, k + 1) from ``ways`` = C(n, k)."""
    return ways * (n - k) // (k + 1)


def _one_fewer(ways, n, k):
    """Binomial coefficient C(n, k - 1) from ``ways`` = C(n, k)."""
    return ways * k // (n - k + 1) if k <= n else int(k == n + 1)


def _certain(n_members):
    """Thresholds of certainty: one vote more than the runner-up can still reach."""
    n_votes, second = np.ogrid[: n_members + 1, : n_members // 2 + 1]
    return (second + n_members - n_votes + 1).astype(np.int32)


def _three_classes(n_members, confidence):
    """Least votes of the leader of three classes, by votes so far and votes of the runner-up."""
    from . import polya_urn  # imports numba

    thresholds = np.empty((n_members + 1, n_members // 2 + 1), dtype=np.int32)
    polya_urn.fill_three(thresholds, confidence)
    return thresholds


def _several_classes(n_members, risk, n_classes):
    """Least votes of the leader, by votes so far and votes of the runner-up."""
    from . import polya_urn  # imports numba

    thresholds = np.empty((n_members + 1, n_members // 2 + 1), dtype=np.int32)
    fill = polya_urn.fill if n_members <= _LARGEST_EXACT else polya_urn.fill_infinite
    fill(thresholds, risk, n_classes)
    return thresholds
