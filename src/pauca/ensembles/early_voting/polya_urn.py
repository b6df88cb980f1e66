"""Vote thresholds of several classes by the Polya urn, computed backwards from the full vote; compiled.

Importing this module imports numba: do it where the functions are called.
"""

import numpy as np

from ...numerics.jit import compiled

# Smallest rise of a rival's probability per vote by which the room for rivals is divided. Numerical guard.
_SMALLEST_RISE = 1e-300


@compiled
def fill(thresholds, risk, n_classes):
    """Enter the least votes of the leader by votes so far (row) and votes of the runner-up (column)."""
    n_members = thresholds.shape[0] - 1
    level = np.ones((n_members + 2, n_members + 2))  # P(a rival, column, draws level with the leader, row)
    for leader in range(n_members + 2):
        level[leader, :leader] = 0.0
    for n_votes in range(n_members, -1, -1):
        if n_votes < n_members:
            _step_back(level, n_votes, n_classes)
        _least_votes(level, n_votes, risk, n_classes, thresholds[n_votes])


@compiled
def _step_back(level, n_votes, n_classes):
    """Update the probabilities to one vote earlier: the mean over the class of the next vote (3.29)."""
    total = n_votes + n_classes
    for leader in range(n_votes + 1):
        here, above = level[leader], level[leader + 1]
        for rival in range(n_votes + 1 - leader):
            others = total - leader - rival - 2
            weighted = (leader + 1) * above[rival] + (rival + 1) * here[rival + 1] + others * here[rival]
            here[rival] = weighted / total


@compiled
def _least_votes(level, n_votes, risk, n_classes, least):
    """Enter, by votes of the runner-up, the least votes of the leader that keep all rivals below risk.

    No rival's probability lies above the line from a rival without votes through the steepest point up to the
    runner-up, so the rivals together, who share the other votes, lie below the sum over that line.
    """
    least[:] = n_votes + 1
    for leader in range(n_votes, -1, -1):
        rise = 0.0
        for second in range(min(leader, n_votes - leader, least.size - 1) + 1):
            if second > 0:
                rise = max(rise, (level[leader, second] - level[leader, 0]) / second)
            probability = (n_classes - 1) * level[leader, 0] + (n_votes - leader) * rise
            if probability > risk:
                break
            if least[second] == leader + 1 or leader + second == n_votes:
                least[second] = leader


@compiled
def fill_three(thresholds, confidence):
    """Enter the least votes of the leader of three classes, exactly: the third has the votes that are left.

    ``wins[a, b]`` is the probability (3.30) that the first class wins with a votes so far and the second with
    b, computed backwards from the full vote as the mean over the class of the next vote (3.29).
    """
    n_members = thresholds.shape[0] - 1
    wins = np.zeros((n_members + 2, n_members + 2))
    for n_votes in range(n_members, -1, -1):
        for first in range(n_votes + 1):
            for second in range(n_votes - first + 1):
                third = n_votes - first - second
                if n_votes == n_members:
                    wins[first, second] = 1.0 if first > second and first > third else 0.0
                    continue
                ahead = (first + 1) * wins[first + 1, second] + (second + 1) * wins[first, second + 1]
                wins[first, second] = (ahead + (third + 1) * wins[first, second]) / (n_votes + 3)
        _least_of_three(wins, n_votes, confidence, thresholds[n_votes])


@compiled
def _least_of_three(wins, n_votes, confidence, least):
    """Enter, by votes of the runner-up, the least votes of the leader from which it wins often enough."""
    least[:] = n_votes + 1
    for second in range(min(n_votes, least.size - 1) + 1):
        for leader in range(n_votes - second, max(second, n_votes - 2 * second) - 1, -1):
            if wins[leader, second] < confidence:
                break
            least[second] = leader


@compiled
def fill_infinite(thresholds, risk, n_classes):
    """Enter thresholds from each rival's probability in an infinite vote, I_{1/2}(leader, rival + 1).

    One of the leader's votes is taken away, which outweighs what ties add in a vote of finite even size.
    """
    n_members, width = thresholds.shape[0] - 1, thresholds.shape[1]
    level = np.ones(width)
    filled = np.zeros(width, dtype=np.int64)  # rows that have their threshold, by votes of the runner-up
    for leader in range(1, n_members + 1):
        level[0] *= 0.5
        for rival in range(1, width):
            level[rival] = 0.5 * (level[rival] + level[rival - 1])
        _fill_up_to_horizon(thresholds, filled, level, leader, risk - (n_classes - 1) * level[0])
    for second in range(width):
        thresholds[filled[second] :, second] = n_members + 1


@compiled
def _fill_up_to_horizon(thresholds, filled, level, leader, room):
    """Enter ``leader`` in the rows up to which the other votes keep the rivals below the risk."""
    if room < 0:
        return
    n_members, rise = thresholds.shape[0] - 1, 0.0
    for second in range(min(leader, filled.size)):
        if second > 0:
            rise = max(rise, (level[second] - level[0]) / second)
        horizon = leader + int(min(room / max(rise, _SMALLEST_RISE), float(n_members)))
        while filled[second] <= min(horizon, n_members):
            thresholds[filled[second], second] = leader
            filled[second] += 1
