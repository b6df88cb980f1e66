"""Stopping rules over votes that come in one at a time; compiled.

``rows`` lists the rows that are still undecided. Counting a member's answers enters the number of queries of
the rows it decides and closes the gaps they leave in the list; the number that remains is returned.
"""

import numpy as np

from .compiled import compiled

# Columns of the standing of a row in a vote.
LEADER, LEAD, SECOND = 0, 1, 2
# Differences of means in units of their standard error are looked up in steps of 1 / STEPS.
STEPS = 16
# Averages are not judged before this many members.
EARLIEST = 6


@compiled
def cast(votes, standing, label):
    """Enter a vote: counts of a row, its leader and the counts of the leader and the runner-up."""
    votes[label] += 1
    if label == standing[LEADER]:
        standing[LEAD] = votes[label]
    elif votes[label] > standing[LEAD]:
        standing[SECOND] = standing[LEAD]
        standing[LEAD] = votes[label]
        standing[LEADER] = label
    elif votes[label] > standing[SECOND]:
        standing[SECOND] = votes[label]


@compiled
def count_votes(labels, asked, rows, n_rows, thresholds, votes, standing, queries):
    """Enter the ``asked``-th vote of each undecided row; decided rows leave the list."""
    n_left, by_second = 0, thresholds.shape[1] > 1
    last = asked == thresholds.shape[0] - 1
    for place in range(n_rows):
        row = rows[place]
        cast(votes[row], standing[row], labels[place])
        column = standing[row, SECOND] if by_second else 0
        if last or standing[row, LEAD] >= thresholds[asked, column]:
            queries[row] = asked
        else:
            rows[n_left] = row
            n_left += 1
    return n_left


@compiled
def count_shares(labels, shares, asked, rows, n_rows, tails, risk, totals, squares, queries):
    """Enter the ``asked``-th member's shares of each undecided row; decided rows leave the list."""
    n_left = 0
    for place in range(n_rows):
        row, given = rows[place], shares[labels[place]]
        for label in range(given.size):
            totals[row, label] += given[label]
            squares[row, label] += given[label] * given[label]
        if is_settled(totals[row], squares[row], asked, tails, risk):
            queries[row] = asked
        else:
            rows[n_left] = row
            n_left += 1
    return n_left


@compiled
def is_settled(totals, squares, asked, tails, risk):
    """Whether the mean of all members has the same leader, with a chance of less than ``risk`` to be wrong."""
    left = tails.shape[0] - 1 - asked
    if left == 0:
        return True
    leader, chance = np.argmax(totals), 0.0
    for rival in range(totals.size):
        if rival != leader:
            lead = totals[leader] - totals[rival]
            if lead > left:
                continue
            if asked < EARLIEST or risk == 0.0:
                return False
            chance += _chance(lead, _squared_leads(totals, squares, leader, rival), asked, left, tails)
            if chance > risk:
                return False
    return True


@compiled
def _squared_leads(totals, squares, leader, rival):
    """Sum of squared leads over a rival; exact for two classes, else without the mixed term, which is never less."""
    both = squares[leader] + squares[rival]
    return both - 2 * (totals[leader] - squares[leader]) if totals.size == 2 else both


@compiled
def _chance(lead, squared, asked, left, tails):
    """Chance that the lead is lost: the tail of Student's t, with two imaginary opposite votes in the variance."""
    variance = (squared - lead * lead / asked + 2.0) / (asked + 1)
    steps = lead * np.sqrt((asked + left) / (asked * left * variance)) * STEPS
    return tails[asked, min(int(steps), tails.shape[1] - 1)]
