"""The voters of a fitted ensemble, in the order in which they are asked."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .forest import FlatForest, flatten
from .voters import are_trees, give_shares, members_of, mixed_weight
from .polls import MeanTally, VoteTally, poll_forest, poll_members

VOTINGS = ("auto", "hard", "soft")
ENGINES = ("auto", "compiled", "members")
# Leaves of several classes are read as votes while they hold less than this part of the tolerated disagreement.
_NEGLIGIBLE = 0.2
_DENSE_ROWS = 1024


@dataclass(frozen=True)
class Electorate:
    """Members in a fixed random order, flattened where they are trees; ``soft`` if their shares are averaged."""

    members: list
    trees: bool
    order: np.ndarray
    forest: FlatForest | None
    n_classes: int
    soft: bool

    def poll(self, X, confidence, n_jobs=None):
        """Ask about each row as many members as its decision needs."""
        if self.forest is not None and sparse.issparse(X):
            return self._poll_in_dense_blocks(X, confidence, n_jobs)
        tally = self.tally(X.shape[0], confidence)
        if self.forest is None:
            return poll_members(tally, self.members, X)
        return poll_forest(tally, self.forest, np.ascontiguousarray(X, dtype=np.float32), n_jobs)

    def tally(self, n_rows, confidence):
        """Empty counts for so many rows."""
        kind = MeanTally if self.soft else VoteTally
        return kind(n_rows, len(self.members), confidence, self.n_classes)

    def _poll_in_dense_blocks(self, X, confidence, n_jobs):
        whole = self.tally(X.shape[0], confidence)
        for start in range(0, X.shape[0], _DENSE_ROWS):
            part = slice(start, start + _DENSE_ROWS)
            whole.put(part, self.poll(X[part].toarray(), confidence, n_jobs))
        return whole


def electorate(ensemble, confidence, voting, engine, rng):
    """The voters of a fitted ensemble."""
    members, n_classes = members_of(ensemble), len(ensemble.classes_)
    soft = voting == "soft" or (voting == "auto" and _averages(members, confidence))
    if soft and not give_shares(members):
        raise ValueError('voting="soft" needs members with predict_proba; use voting="hard".')
    trees = are_trees(members)
    if engine == "compiled" and not trees:
        raise ValueError('engine="compiled" needs decision trees as members; use engine="members".')
    order = rng.permutation(len(members))
    members = [members[place] for place in order]
    forest = flatten(members, n_classes, soft) if trees and engine != "members" else None
    return Electorate(members, trees, order, forest, n_classes, soft)


def _averages(members, confidence):
    """Whether the ensemble's answer is the mean of shares that are not, or hardly ever not, votes."""
    if are_trees(members):
        return mixed_weight(members) > _NEGLIGIBLE * (1 - confidence)
    return give_shares(members)
