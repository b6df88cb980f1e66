"""Evaluation of weighted members one after another on the rows that are not decided yet."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr
from sklearn.utils import _safe_indexing

from .additive_members import AdditiveMembers

# Least number of members before the rule by sampling may stop. Set by hand, as for forests.
_MIN_MEMBERS = 6
# Slack of the certificate as a share of all that members can add. Numerical guard: sums in another order.
_ROUNDING = 1e-12


def best_order(members: AdditiveMembers) -> NDArray:
    """Members with the largest gains of any class over another first."""
    return np.argsort(-members.gains().max(axis=(1, 2)), kind="stable")


def evaluate(members: AdditiveMembers, X: Any, confidence: float) -> tuple[NDArray, NDArray]:
    """Scores of the rows when they are decided, and the members evaluated.

    Certificate: the leader stays ahead whatever the other members answer. Below a confidence of 1 the members
    must be in random order, and a row is also decided when the probabilities that rivals draw level, by
    Student's t for the sum of a finite population sampled without replacement, add up to at most the risk.
    """
    n_members, gains = len(members.answers), members.gains()
    left = np.concatenate([np.cumsum(gains[::-1], axis=0)[::-1], np.zeros((1, *gains.shape[1:]))])
    slack = _ROUNDING * np.abs(gains).sum()
    largest = np.abs(gains).max()
    rows, scores = np.arange(X.shape[0]), members.base(X)
    queries = np.full(X.shape[0], n_members, dtype=np.int32)
    squares = np.zeros((X.shape[0], *gains.shape[1:]))
    added = np.zeros_like(scores)
    start = _two(scores.copy())
    for place, (answer, factors) in enumerate(zip(members.answers, members.factors, strict=True)):
        step = answer(_safe_indexing(X, rows)) @ factors
        added[rows] += step
        done = place + 1
        current = start[rows] + _two(added[rows])
        decided = _is_certain(current, left[done] + slack)
        if confidence < 1:
            two = _two(step)
            squares[rows] += np.square(two[:, :, None] - two[:, None, :])
            if _MIN_MEMBERS <= done < n_members:
                sampled = current, _two(added[rows]), squares[rows]
                decided |= _is_probable(*sampled, done, n_members, largest, 1 - confidence)
        queries[rows[decided]] = done
        rows = rows[~decided]
        if not len(rows):
            break
    return scores + added, queries


def _two(scores):
    """Scores of at least two classes: one output is that of the second, the first stays at zero."""
    return scores if scores.shape[1] > 1 else np.column_stack([np.zeros(len(scores)), scores])


def _is_certain(scores, gains):
    """Whether no rival can gain on the leader as much as it lacks."""
    places, leader = np.arange(len(scores)), scores.argmax(axis=1)
    room = scores[places, leader][:, None] - scores - gains[leader]
    room[places, leader] = np.inf
    return (room > 0).all(axis=1)


def _is_probable(scores, added, squares, seen, n_members, largest, risk):
    """Whether the rivals' probabilities to draw level add up to at most the risk.

    The final lead is expected to be the present one plus what the members to come add on average. Two
    imaginary opposite answers of the largest size keep the variance of members that agree above zero.
    """
    places, leader = np.arange(len(scores)), scores.argmax(axis=1)
    left = n_members - seen
    lead = scores[places, leader][:, None] - scores
    sums = added[places, leader][:, None] - added
    deviations = squares[places, leader] - sums**2 / seen + 2 * largest**2
    variance = left * n_members / seen * deviations / (seen + 1)
    statistic = (lead + left / seen * sums) / np.sqrt(variance)
    tails = stdtr(seen - 1, -statistic)
    tails[places, leader] = 0.0
    return (tails.sum(axis=1) <= risk) & (lead.sum(axis=1) > 0)
