"""What members say about training rows that they did not see."""

from dataclasses import dataclass

import numpy as np

from .polls import poll_members

# Answers (members times rows times classes) that an estimate is made from, at most.
_MOST_ANSWERS = 10_000_000
_MOST_ROWS = 1000


@dataclass(frozen=True)
class Recorded:
    """A member whose answers are known; it is asked with places of rows instead of rows."""

    answers: np.ndarray

    def labels(self, places):
        """Recorded labels."""
        return self.answers[places]

    def shares(self, places, n_classes):
        """Recorded shares."""
        return self.answers[places]


def unseen(ensemble, n_rows):
    """Whether each member (row) was trained without each training row (column)."""
    left_out = np.ones((len(ensemble.estimators_), n_rows), dtype=bool)
    for mask, sample in zip(left_out, ensemble.estimators_samples_, strict=True):
        mask[sample] = False
    return left_out


def expected_queries(ensemble, voters, X, confidence):
    """Mean number of members that rows need which no member has seen, or nan if there are none.

    Members that saw a row are replaced by members, drawn at random, that did not.
    """
    left_out = unseen(ensemble, X.shape[0])[voters.order]
    places = np.flatnonzero(left_out.any(axis=0))
    most = min(_MOST_ROWS, _MOST_ANSWERS // (len(left_out) * voters.n_classes) + 1)
    places = places[np.linspace(0, len(places) - 1, min(most, len(places))).astype(int)]
    if not len(places):
        return float("nan")
    answers = [_answers(member, X[places], voters) for member in voters.members]
    recorded = _replaced(np.stack(answers), left_out[:, places])
    tally = voters.tally(len(places), confidence)
    return float(poll_members(tally, map(Recorded, recorded), np.arange(len(places))).queries.mean())


def _answers(member, X, voters):
    return member.shares(X, voters.n_classes) if voters.soft else member.labels(X)


def _replaced(answers, left_out):
    """Answers (members first) with those of members that saw the row replaced by random ones that did not."""
    rng = np.random.default_rng(0)
    for column, mask in enumerate(left_out.T):
        others = np.flatnonzero(mask)
        answers[~mask, column] = answers[rng.choice(others, np.count_nonzero(~mask)), column]
    return answers
