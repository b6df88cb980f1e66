"""Members of a fitted classifier ensemble that votes, in the order in which they are evaluated."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ..members import Members, members_of
from ..training import out_of_bag
from .flat_forest import FlatForest, flatten
from .tally import MeanTally, Tally, VoteTally, evaluate_forest, evaluate_members

KINDS = (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)
ENGINES = ("auto", "compiled", "members")
# With voting="auto", impure leaves are treated as votes while their share of the training rows is below this
# share of the tolerated disagreement 1 - confidence. Set by hand, not tuned.
_NEGLIGIBLE_SHARE = 0.2
# Sparse rows are made dense in blocks of this many. Set by hand, not tuned.
_DENSE_ROWS = 1024
# Most answers (members times rows times classes), and most rows, behind `expected_queries`. Set by hand, not
# tuned.
_MAX_ANSWERS = 10_000_000
_MAX_ROWS = 1000


@dataclass(frozen=True)
class Voters:
    """Members of an ensemble in the order in which they are evaluated.

    ``order`` has their indices in the ensemble, ``forest`` their nodes if they are trees for the compiled
    engine. ``soft``: predicted probabilities are averaged. ``allow_nan``: missing values are accepted.
    """

    ensemble: Any
    members: Members
    order: NDArray
    forest: FlatForest | None
    soft: bool
    allow_nan: bool

    @property
    def classes(self) -> NDArray:
        """Class labels of the ensemble."""
        return self.ensemble.classes_

    @property
    def answers(self) -> list[Callable[[Any], NDArray]]:
        """Functions from rows to the answers that a tally adds: labels, or probabilities if ``soft``."""
        return [
            partial(member.probabilities if self.soft else member.labels, classes=self.classes)
            for member in self.members
        ]

    def check_X(self, X: Any) -> Any:
        """X checked against the ensemble: in single precision for trees, unchanged for other members."""
        options: dict = {"accept_sparse": ["csr", "csc"], "dtype": None, "ensure_all_finite": False}
        if self.members.are_trees:
            finite = "allow-nan" if self.allow_nan else True
            options = {"accept_sparse": "csr", "dtype": np.float32, "ensure_all_finite": finite}
        return validate_data(self.ensemble, X, reset=False, **options)

    def evaluate(self, X: Any, confidence: float, n_jobs: int | None = None) -> Tally:
        """Evaluate on each row of checked X as many members as its decision needs."""
        if self.forest is not None and sparse.issparse(X):
            return self._evaluate_in_dense_blocks(X, confidence, n_jobs)
        tally = self.tally(X.shape[0], confidence)
        if self.forest is None:
            return evaluate_members(tally, self.answers, X)
        return evaluate_forest(tally, self.forest, np.ascontiguousarray(X, dtype=np.float32), n_jobs)

    def tally(self, n_rows: int, confidence: float) -> Tally:
        """Empty partial sums for ``n_rows`` rows."""
        kind = MeanTally if self.soft else VoteTally
        return kind(n_rows, len(self.members), confidence, len(self.classes))

    def _evaluate_in_dense_blocks(self, X, confidence, n_jobs):
        whole = self.tally(X.shape[0], confidence)
        for start in range(0, X.shape[0], _DENSE_ROWS):
            part = slice(start, start + _DENSE_ROWS)
            whole.put(part, self.evaluate(X[part].toarray(), confidence, n_jobs))
        return whole


def voters_of(
    ensemble: Any,
    confidence: float,
    voting: str,
    engine: str,
    order: NDArray | None = None,
) -> Voters:
    """Voters of a fitted ensemble in a given order, or in that of the ensemble."""
    _check_fitted(ensemble)
    members = members_of(ensemble)
    soft = voting == "soft" or (voting == "auto" and _averages(members, confidence))
    if soft and not members.have_probabilities:
        raise ValueError('voting="soft" needs members with predict_proba; use voting="hard".')
    if engine == "compiled" and not members.are_trees:
        raise ValueError('engine="compiled" needs decision trees as members; use engine="members".')
    order = np.arange(len(members)) if order is None else order
    members = members.subset(order)
    flat = members.are_trees and engine != "members"
    forest = flatten(members, ensemble.classes_, soft) if flat else None
    return Voters(ensemble, members, order, forest, soft, get_tags(ensemble).input_tags.allow_nan)


def single_row_of(voters: Voters, confidence: float) -> tuple[Callable, tuple, tuple] | None:
    """Evaluation of single rows, its arguments, the shape of X; None for other members or named columns."""
    ensemble = voters.ensemble
    if voters.forest is None or hasattr(ensemble, "feature_names_in_"):
        return None
    evaluate, arguments = voters.tally(0, confidence).single_row(voters.forest)
    return evaluate, arguments, (1, ensemble.n_features_in_)


def expected_queries(voters: Voters, X: Any, confidence: float) -> float:
    """Mean number of members that a new row needs, from out-of-bag training rows; nan if there are none.

    Members that were trained on a row are replaced by out-of-bag members of that row, drawn at random.
    """
    mask = out_of_bag(voters.ensemble, X.shape[0])[voters.order]
    rows = np.flatnonzero(mask.any(axis=0))
    most = min(_MAX_ROWS, _MAX_ANSWERS // (len(mask) * len(voters.classes)) + 1)
    rows = rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(int)]
    if not len(rows):
        return float("nan")
    answers = _replaced(np.stack([answer(X[rows]) for answer in voters.answers]), mask[:, rows])
    tally = voters.tally(len(rows), confidence)
    recorded = [answer.__getitem__ for answer in answers]
    return float(evaluate_members(tally, recorded, np.arange(len(rows))).queries.mean())


def check_kind(ensemble: Any) -> None:
    """``ensemble`` must be a classifier whose members are exchangeable and vote with equal weight."""
    if not isinstance(ensemble, KINDS):
        raise ValueError(
            f"ensemble must be a {', '.join(kind.__name__ for kind in KINDS[:-1])} or {KINDS[-1].__name__}: "
            f"classifiers whose members vote with equal weight; got {type(ensemble).__name__}."
        )


def _check_fitted(ensemble):
    """The ensemble and its members must be fitted, with one output."""
    check_kind(ensemble)
    check_is_fitted(ensemble)
    if getattr(ensemble, "n_outputs_", 1) > 1:
        raise ValueError(f"ensemble must have one output; it was fitted with {ensemble.n_outputs_}.")
    for place, estimator in enumerate(ensemble.estimators_):
        check_is_fitted(
            estimator, msg=f"Member {place} of ensemble, a %(name)s, is not fitted: fit the ensemble."
        )


def _averages(members, confidence):
    """Whether the ensemble averages probabilities that are not, or hardly ever not, votes."""
    if members.are_trees:
        impure = np.mean([_impure_share(tree.tree_) for tree in members.estimators])
        return impure > _NEGLIGIBLE_SHARE * (1 - confidence)
    return members.have_probabilities


def _impure_share(tree):
    """Share of a tree's training rows in leaves of several classes."""
    impure = (tree.children_left < 0) & (tree.value[:, 0].max(axis=1) < 1)
    return tree.n_node_samples[impure].sum() / tree.n_node_samples[0]


def _replaced(answers, mask):
    """Answers (members first) with those of members trained on the row replaced by out-of-bag ones."""
    rng = np.random.default_rng(0)
    for column, allowed in enumerate(mask.T):
        others = np.flatnonzero(allowed)
        answers[~allowed, column] = answers[rng.choice(others, np.count_nonzero(~allowed)), column]
    return answers
