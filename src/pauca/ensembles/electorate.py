"""The voters of a fitted ensemble, in the order in which they are asked."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from .forest import FlatForest, flatten
from .polls import MeanTally, VoteTally, poll_forest, poll_members
from .voters import are_trees, give_shares, members_of, mixed_weight

VOTINGS = ("auto", "hard", "soft")
ENGINES = ("auto", "compiled", "members")
# Leaves of several classes count as votes while they hold less than this part of the tolerated disagreement.
_NEGLIGIBLE = 0.2
_DENSE_ROWS = 1024


@dataclass(frozen=True)
class Electorate:
    """Members of an ensemble in the order in which they are asked.

    ``order`` has their places in the ensemble, ``forest`` their nodes where they are trees that rows are sent
    through. ``soft``: their shares are averaged. ``missing``: they take missing values.
    """

    ensemble: BaseEstimator
    members: list
    order: np.ndarray
    forest: FlatForest | None
    trees: bool
    soft: bool
    missing: bool

    @property
    def n_classes(self):
        """Number of classes."""
        return len(self.ensemble.classes_)

    def admitted(self, X):
        """X as trees take it, or as it is for other members, which look at it themselves."""
        if not self.trees:
            return validate_data(
                self.ensemble,
                X,
                reset=False,
                accept_sparse=["csr", "csc"],
                dtype=None,
                ensure_all_finite=False,
            )
        finite = "allow-nan" if self.missing else True
        return validate_data(
            self.ensemble, X, reset=False, accept_sparse="csr", dtype=np.float32, ensure_all_finite=finite
        )

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


def electorate(ensemble, confidence, voting, engine, rng=None):
    """The voters of a fitted ensemble, in random order or, without ``rng``, in its own."""
    members, n_classes = members_of(ensemble), len(ensemble.classes_)
    soft = voting == "soft" or (voting == "auto" and _averages(members, confidence))
    if soft and not give_shares(members):
        raise ValueError('voting="soft" needs members with predict_proba; use voting="hard".')
    trees = are_trees(members)
    if engine == "compiled" and not trees:
        raise ValueError('engine="compiled" needs decision trees as members; use engine="members".')
    order = np.arange(len(members)) if rng is None else rng.permutation(len(members))
    members = [members[place] for place in order]
    forest = flatten(members, n_classes, soft) if trees and engine != "members" else None
    missing = get_tags(ensemble).input_tags.allow_nan
    return Electorate(ensemble, members, order, forest, trees, soft, missing)


def _averages(members, confidence):
    """Whether the ensemble's answer is the mean of shares that are not, or hardly ever not, votes."""
    if are_trees(members):
        return mixed_weight(members) > _NEGLIGIBLE * (1 - confidence)
    return give_shares(members)
