"""The urn of several classes, followed backwards from the full vote; compiled."""

import numpy as np

from .jit import compiled


@compiled
def fill(thresholds, risk, n_classes):
    """Least votes of the leader by time (row) and votes of the runner-up (column), into ``thresholds``."""
    n_members = thresholds.shape[0] - 1
    level = np.ones((n_members + 2, n_members + 2))  # P(a rival, column, draws level with the leader, row)
    for leader in range(n_members + 2):
        level[leader, :leader] = 0.0
    for asked in range(n_members, -1, -1):
        if asked < n_members:
            _step_back(level, asked, n_classes)
        _least_votes(level, asked, risk, n_classes, thresholds[asked])


@compiled
def _step_back(level, asked, n_classes):
    """One vote earlier: the mean over whom the next vote is for (3.29)."""
    total = asked + n_classes
    for leader in range(asked + 1):
        here, above = level[leader], level[leader + 1]
        for rival in range(asked + 1 - leader):
            others = total - leader - rival - 2
            chance = (leader + 1) * above[rival] + (rival + 1) * here[rival + 1] + others * here[rival]
            here[rival] = chance / total


@compiled
def _least_votes(level, asked, risk, n_classes, least):
    """For each count of the runner-up, the least votes of the leader that keep all rivals together below
    risk.

    No rival's chance lies above the line from a rival without votes through the steepest point up to the
    runner-up, so the rivals together, who share the other votes, lie below the sum over that line.
    """
    least[:] = asked + 1
    for leader in range(asked, -1, -1):
        slope = 0.0
        for second in range(min(leader, asked - leader, least.size - 1) + 1):
            if second > 0:
                slope = max(slope, (level[leader, second] - level[leader, 0]) / second)
            chance = (n_classes - 1) * level[leader, 0] + (asked - leader) * slope
            if chance > risk:
                break
            if least[second] == leader + 1 or leader + second == asked:
                least[second] = leader


@compiled
def fill_endless(thresholds, risk, n_classes):
    """As `fill`, with each rival's chance in a vote without end, I_{1/2}(leader, rival + 1).

    One of the leader's votes is taken away, which outweighs what ties add in a vote of finite even size.
    """
    n_members, width = thresholds.shape[0] - 1, thresholds.shape[1]
    level = np.ones(width)
    filled = np.zeros(width, dtype=np.int64)  # times that have their threshold, by votes of the runner-up
    for leader in range(1, n_members + 1):
        level[0] *= 0.5
        for rival in range(1, width):
            level[rival] = 0.5 * (level[rival] + level[rival - 1])
        _fill_up_to_horizon(thresholds, filled, level, leader, risk - (n_classes - 1) * level[0])
    for second in range(width):
        thresholds[filled[second] :, second] = n_members + 1


@compiled
def _fill_up_to_horizon(thresholds, filled, level, leader, room):
    """Enter ``leader`` for the times up to which the other votes keep the rivals' chances below the risk."""
    if room < 0:
        return
    n_members, slope = thresholds.shape[0] - 1, 0.0
    for second in range(min(leader, filled.size)):
        if second > 0:
            slope = max(slope, (level[second] - level[0]) / second)
        horizon = leader + int(min(room / max(slope, 1e-300), float(n_members)))
        while filled[second] <= min(horizon, n_members):
            thresholds[filled[second], second] = leader
            filled[second] += 1
