"""Votes of pilot ensembles, and ensembles that grow until they are large enough."""

import warnings
from math import ceil

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from .electorate import electorate
from .out_of_bag import unseen
from .size import EnsembleSize, required_size
from .sources import is_fitted
from .voters import check_kind
from .voting import check_confidence, check_count

SOURCES = ("auto", "oob", "cv", "unlabelled")


def ensemble_size(
    ensemble, X, y=None, *, confidence=0.99, source="auto", n_pilot=101, cv=10, random_state=None
):
    """How many members are enough for the answers of infinitely many.

    Parameters
    ----------
    ensemble : RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier
        The ensemble, fitted or not.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows: training rows, or new ones for ``source="unlabelled"``.
    y : array-like of shape (n_samples,), default=None
        Labels, needed where a pilot has to be fitted.
    confidence : float, default=0.99
        Probability in (0.5, 1) of the answer of infinitely many members, on average over rows.
    source : {"auto", "oob", "cv", "unlabelled"}, default="auto"
        Where votes come from that members cast about rows they have not seen: out-of-bag votes of the
        fitted ensemble about its own training rows, or of a pilot that is fitted here; cross-validation
        with pilots; votes of the fitted ensemble about new rows, whose labels are not needed. "auto" is
        "unlabelled" without y, else "oob" if members are trained on resampled rows and "cv" if not.
    n_pilot : int, default=101
        Members of a pilot.
    cv : int, default=10
        Folds.
    random_state : int, RandomState or None, default=None
        Seed of pilots, if the ensemble has none of its own, and of folds.

    Returns
    -------
    size : EnsembleSize
        The size and what it was estimated from.

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
    check_count("n_pilot", n_pilot, 1)
    source = _source(ensemble, source, y)
    if source == "cv":
        votes = _cross_validated(_pilot(ensemble, n_pilot, random_state), X, y, cv, random_state)
    else:
        if not is_fitted(ensemble):
            ensemble = _pilot(ensemble, n_pilot, random_state).fit(X, y)
        votes = _votes(ensemble, X, source)
    return EnsembleSize(required_size(votes, confidence), confidence, votes, source)


def grow_until_stable(
    ensemble, X, y, confidence=0.99, *, X_unlabelled=None, batch=50, max_members=10_000, random_state=None
):
    """Fit an ensemble with as many members as its answers need to be those of infinitely many.

    Parameters
    ----------
    ensemble : RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier
        The ensemble; its own number of members does not count.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,)
        Class labels.
    confidence : float, default=0.99
        Probability in (0.5, 1) of the answer of infinitely many members, on average over rows.
    X_unlabelled : array-like or sparse matrix of shape (n_rows, n_features), default=None
        Rows that votes are counted about; by default the training rows, each by the members that did not
        see it.
    batch : int, default=50
        Members are added in multiples of this, and their number at most doubles before the next look.
    max_members : int, default=10_000
        With a warning, growing ends there.
    random_state : int, RandomState or None, default=None
        Seed of an ensemble without one of its own.

    Returns
    -------
    ensemble : estimator
        A fitted copy with one to a few batches more members than needed.
    """
    check_kind(ensemble)
    check_confidence(confidence)
    check_count("batch", batch, 1)
    check_count("max_members", max_members, 1)
    grown = _pilot(ensemble, min(batch, max_members), random_state).set_params(warm_start=True).fit(X, y)
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
    return grown.set_params(warm_start=ensemble.warm_start)


def _source(ensemble, source, y):
    """The source that "auto" stands for, once it is known to be possible."""
    if not (isinstance(source, str) and source in SOURCES):
        raise ValueError(f"source must be one of {', '.join(map(repr, SOURCES))}; got {source!r}.")
    fitted = is_fitted(ensemble)
    if source == "auto":
        source = "unlabelled" if y is None else "oob" if ensemble.bootstrap else "cv"
    if source == "unlabelled" and not fitted:
        raise ValueError('source="unlabelled" needs a fitted ensemble; give y, or fit it first.')
    if y is None and (source == "cv" or (source == "oob" and not fitted)):
        raise ValueError(f"source={source!r} fits pilots: give y.")
    return source


def _pilot(ensemble, n_members, random_state):
    """A copy with so many members."""
    pilot = clone(ensemble).set_params(n_estimators=n_members)
    return pilot if pilot.random_state is not None else pilot.set_params(random_state=random_state)


def _votes(ensemble, X, source):
    """Votes about each row of all members, or of those that did not see it; only rows that have votes."""
    voters = electorate(ensemble, confidence=1, voting="hard", engine="members")
    X = voters.admitted(X)
    allowed = (
        unseen(ensemble, X.shape[0]) if source == "oob" else np.ones((len(voters.members), 1), dtype=bool)
    )
    votes, rows = np.zeros((X.shape[0], voters.n_classes), dtype=np.int64), np.arange(X.shape[0])
    for member, counts in zip(voters.members, allowed, strict=True):
        votes[rows, member.labels(X)] += counts
    votes = votes[votes.any(axis=1)]
    if not len(votes):
        raise ValueError(
            'Members saw all rows, there are no out-of-bag votes: use bootstrap=True, source="cv" or rows '
            "without labels."
        )
    return votes


def _cross_validated(pilot, X, y, cv, random_state):
    """Votes about each row of pilots that were fitted without its fold."""
    check_count("cv", cv, 2)
    classes, y = np.unique(y), np.asarray(y)
    parts = []
    for train, test in StratifiedKFold(cv, shuffle=True, random_state=random_state).split(y, y):
        fitted = clone(pilot).fit(_safe_indexing(X, train), y[train])
        votes = _votes(fitted, _safe_indexing(X, test), "unlabelled")
        part = np.zeros((len(test), len(classes)), dtype=np.int64)
        part[:, np.searchsorted(classes, fitted.classes_)] = votes
        parts.append(part)
    return np.concatenate(parts)
