"""A positive number that the evidence chooses: doubled and halved as long as that pays."""

import numpy as np


def climb(trial_at, start, low, high, factor=2.0):
    """The trial with the largest ``score`` among start · factorᵏ in [low, high].

    The score is taken to have one peak; a score that is not a number counts as no score.
    """
    start = min(max(start, low), high)
    trials = {0: trial_at(start)}
    for direction in (1, -1):
        step = direction
        while low <= start * factor**step <= high:
            trials[step] = trial_at(start * factor**step)
            if not _score(trials[step]) > _score(trials[step - direction]):
                break
            step += direction
        if step != direction:
            break
    return max(trials.values(), key=_score)


def _score(trial):
    return trial.score if np.isfinite(trial.score) else -np.inf
