"""Ensemble sizes estimated from out-of-bag, cross-validated or unlabelled votes, and growth to that size."""

import warnings
from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from ..validation import check_number, check_option, distinct
from .checks import check_confidence
from .early_voting.estimators import InstancePrunedClassifier
from .early_voting.voters import check_kind, voters_of
from .size import EnsembleSize, required_size
from .training import is_fitted, out_of_bag

SOURCES = ("auto", "oob", "cv", "unlabelled")


def ensemble_size(
    ensemble: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    confidence: float = 0.99,
    source: str = "auto",
    n_initial: int = 101,
    cv: int = 10,
    shares: str = "interval",
    random_state: int | np.random.RandomState | None = None,
) -> EnsembleSize:
    """Number of members whose vote agrees with the vote of infinitely many.

    Parameters
    ----------
    ensemble : RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier
        Ensemble, fitted or not.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows: training rows, or new ones for ``source="unlabelled"``.
    y : array-like of shape (n_samples,), default=None
        Class labels, needed where a small ensemble has to be fitted for the estimate.
    confidence : float, default=0.99
        Probability in (0.5, 1) of agreement with infinitely many members, on average over rows.
    source : {"auto", "oob", "cv", "unlabelled"}, default="auto"
        Source of votes on rows that the voting members were not trained on: out-of-bag votes of the fitted
        ensemble on its own training rows, or of a small ensemble fitted here ("oob"); cross-validation with
        small ensembles ("cv"); votes of the fitted ensemble on new rows, whose labels are not needed
        ("unlabelled"). "auto" is "unlabelled" without y, else "oob" if members are trained on resampled rows
        and "cv" if not.
    n_initial : int, default=101
        Number of members of the small ensembles fitted for the estimate.
    cv : int, default=10
        Number of folds.
    shares : {"interval", "observed"}, default="interval"
        Whether the votes of a row stand for an interval of shares, or for the observed share as in the
        thesis's (4.14); see `required_size`.
    random_state : int, RandomState or None, default=None
        Seed of the folds, and of the small ensembles if the ensemble has none.

    Returns
    -------
    size : EnsembleSize
        Size, and the votes it was estimated from.

    References
    ----------
    D. Hernández-Lobato, "Prediction Based on Averages over Automatically Induced Learners", 2009, chapter 4.

    Examples
    --------
    >>> from pauca import ensemble_size
    >>> from pauca.datasets import make_twonorm
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = make_twonorm(300, random_state=0)
    >>> estimate = ensemble_size(RandomForestClassifier(random_state=0), X, y)
    >>> 100 < estimate.size < 1000
    True
    """
    check_kind(ensemble)
    check_confidence(confidence)
    check_number("n_initial", n_initial, 1, kind=Integral)
    source = _source(ensemble, source, y)
    if source == "cv":
        votes = _cross_validated(_resized(ensemble, n_initial, random_state), X, y, cv, random_state)
    else:
        if not is_fitted(ensemble):
            ensemble = _resized(ensemble, n_initial, random_state).fit(X, y)
        votes = _votes(ensemble, X, source)
    return EnsembleSize(required_size(votes, confidence, shares), confidence, votes, source, shares)


def grow_until_stable(
    ensemble: Any,
    X: Any,
    y: ArrayLike,
    confidence: float = 0.99,
    *,
    X_unlabelled: Any = None,
    batch: int = 50,
    max_members: int = 10_000,
    prune_votes: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> Any:
    """Fit an ensemble with as many members as agreement with infinitely many needs.

    Parameters
    ----------
    ensemble : RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier
        Ensemble to grow; its ``n_estimators`` is ignored.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,)
        Class labels.
    confidence : float, default=0.99
        Probability in (0.5, 1) of agreement with infinitely many members, on average over rows.
    X_unlabelled : array-like or sparse matrix of shape (n_rows, n_features), default=None
        Rows on which votes are counted; by default the training rows, each with its out-of-bag members.
    batch : int, default=50
        Members are added in multiples of this, and their number at most doubles before the next estimate.
    max_members : int, default=10_000
        Largest number of members; growth ends there with a warning.
    prune_votes : bool, default=False
        Whether to return the grown ensemble in an InstancePrunedClassifier of the same confidence, which asks
        only as many members as a row needs.
    random_state : int, RandomState or None, default=None
        Seed of an ensemble whose own ``random_state`` is None, and of the order of the votes.

    Returns
    -------
    ensemble : estimator
        Fitted copy with up to a few batches more members than needed.
    """
    check_kind(ensemble)
    check_confidence(confidence)
    check_number("batch", batch, 1, kind=Integral)
    check_number("max_members", max_members, 1, kind=Integral)
    if len(distinct("y", y)) < 2:
        raise ValueError("y must have at least two classes; it has one.")
    grown = _resized(ensemble, min(batch, max_members), random_state).set_params(warm_start=True).fit(X, y)
    source, rows = ("oob", X) if X_unlabelled is None else ("unlabelled", X_unlabelled)
    wanted = required_size(_votes(grown, rows, source), confidence)
    while len(grown.estimators_) < min(wanted, max_members):
        present = len(grown.estimators_)
        more = batch * ceil((min(wanted, 2 * present) - present) / batch)
        grown.set_params(n_estimators=min(present + more, max_members)).fit(X, y)
        wanted = required_size(_votes(grown, rows, source), confidence)
    if wanted > len(grown.estimators_):
        warnings.warn(
            f"{wanted} members are needed, above max_members={max_members}: raise it or lower confidence.",
            ConvergenceWarning,
            stacklevel=2,
        )
    grown = grown.set_params(warm_start=ensemble.warm_start)
    return InstancePrunedClassifier(grown, confidence, random_state=random_state) if prune_votes else grown


def _source(ensemble, source, y):
    """Checked source of votes, with "auto" resolved."""
    check_option("source", source, SOURCES)
    fitted = is_fitted(ensemble)
    if source == "auto":
        source = "unlabelled" if y is None else "oob" if ensemble.bootstrap else "cv"
    if source == "unlabelled" and not fitted:
        raise ValueError('source="unlabelled" needs a fitted ensemble; give y, or fit it first.')
    if y is None and (source == "cv" or (source == "oob" and not fitted)):
        raise ValueError(f"source={source!r} fits ensembles: give y.")
    return source


def _resized(ensemble, n_members, random_state):
    """Unfitted copy with ``n_members`` members."""
    copy = clone(ensemble).set_params(n_estimators=n_members)
    return copy if copy.random_state is not None else copy.set_params(random_state=random_state)


def _votes(ensemble, X, source):
    """Votes of all members, or of the out-of-bag ones, on each row; rows without votes are left out."""
    voters = voters_of(ensemble, confidence=1, voting="hard", engine="members")
    X = voters.check_X(X)
    allowed = (
        out_of_bag(ensemble, X.shape[0]) if source == "oob" else np.ones((len(voters.members), 1), dtype=bool)
    )
    votes, rows = np.zeros((X.shape[0], len(voters.classes)), dtype=np.int64), np.arange(X.shape[0])
    for labels, counts in zip(voters.answers, allowed, strict=True):
        votes[rows, labels(X)] += counts
    votes = votes[votes.any(axis=1)]
    if not len(votes):
        raise ValueError(
            "Members were trained on all rows, there are no out-of-bag votes: use bootstrap=True, "
            'source="cv" or rows without labels.'
        )
    return votes


def _cross_validated(ensemble, X, y, cv, random_state):
    """Votes on each row of copies of the ensemble that were fitted without its fold."""
    check_number("cv", cv, 2, kind=Integral)
    classes, y = np.unique(y), np.asarray(y)
    parts = []
    for train, test in StratifiedKFold(cv, shuffle=True, random_state=random_state).split(y, y):
        fitted = clone(ensemble).fit(_safe_indexing(X, train), y[train])
        votes = _votes(fitted, _safe_indexing(X, test), "unlabelled")
        part = np.zeros((len(test), len(classes)), dtype=np.int64)
        part[:, np.searchsorted(classes, fitted.classes_)] = votes
        parts.append(part)
    return np.concatenate(parts)
