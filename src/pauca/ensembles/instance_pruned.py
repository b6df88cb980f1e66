"""Forests and bagged classifiers that answer as soon as they know."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from .electorate import ENGINES, VOTINGS, electorate
from .out_of_bag import expected_queries
from .shortcut import shortcut_of
from .voters import check_kind
from .voting import check_confidence

_DERIVED = ("_voters", "_shortcut", "_known_as_fitted", "_prepared_for")


class InstancePrunedClassifier(ClassifierMixin, BaseEstimator):
    """Ask the members of an ensemble one after another, for each row only until its answer is known.

    The answer is that of the whole ensemble with the stated probability; most rows need a few of many
    members.

    Parameters
    ----------
    ensemble : RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier, default=None
        The ensemble. A fitted one is used as it is, without a call of `fit`; `fit` fits a copy. By
        default a random forest.
    confidence : float, default=0.99
        Probability in (0.5, 1] that the answer is that of the whole ensemble, on average over rows. With 1 it
        always is.
    voting : {"auto", "hard", "soft"}, default="auto"
        What the answer of the whole ensemble is: the class with most votes ("hard") or with the largest
        mean probability ("soft"), as scikit-learn has it. The two are the same for trees whose leaves are
        pure; then, or if impure leaves hold less than a fifth of ``1 - confidence`` of the training rows,
        "auto" is "hard".
    engine : {"auto", "compiled", "members"}, default="auto"
        "compiled" sends rows through one array of all nodes, "members" asks scikit-learn's own members.
        "auto" is "compiled" for decision trees and "members" for everything else. Both give the same
        answers.
    n_jobs : int, default=None
        Threads of the compiled engine, as in scikit-learn.
    random_state : int, RandomState or None, default=None
        Order in which the members are asked, drawn once and the same for all rows; in `fit` also that of an
        ensemble without one of its own.

    Attributes
    ----------
    ensemble_ : estimator
        The fitted ensemble.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_members_ : int
        Number of members.
    voting_ : {"hard", "soft"}
        The rule in use.
    expected_queries_ : float
        Members that a new row is expected to need, from the out-of-bag votes of the training rows; only
        after `fit` of an ensemble whose members are trained on resampled rows.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `fit` got any.

    Notes
    -----
    Votes: after t of T members the votes to come follow a Polya urn, and asking stops when the leader
    wins the full vote with probability ``confidence``; see `vote_thresholds`. The promise holds on
    average over rows whose vote counts are all equally likely; rows near a tie disagree more often, clear
    rows almost never.

    Means: asking stops when the chances that the leader's mean probability is overtaken, one for each
    rival, add up to at most ``1 - confidence``. They come from Student's t for the mean lead over the
    members asked, with the correction for a finite ensemble and two imaginary opposite votes; for more
    than two classes the variance is an upper bound. This promise is approximate: it takes the leads of
    the members for roughly normal.

    References
    ----------
    D. Hernández-Lobato, "Prediction Based on Averages over Automatically Induced Learners", 2009, section
    3.3.

    Examples
    --------
    >>> from pauca import InstancePrunedClassifier
    >>> from pauca.datasets import make_twonorm
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = make_twonorm(500, random_state=0)
    >>> forest = RandomForestClassifier(101, random_state=0).fit(X[:300], y[:300])
    >>> fast = InstancePrunedClassifier(forest, random_state=0)
    >>> labels, queries = fast.predict(X[300:], return_queries=True)
    >>> bool((labels == forest.predict(X[300:])).mean() >= 0.99), bool(queries.mean() < 30)
    (True, True)
    """

    def __init__(
        self, ensemble=None, confidence=0.99, *, voting="auto", engine="auto", n_jobs=None, random_state=None
    ):
        self.ensemble = ensemble
        self.confidence = confidence
        self.voting = voting
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, **fit_params):
        """Fit a copy of the ensemble.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data, as the ensemble takes it.
        y : array-like of shape (n_samples,)
            Class labels.
        **fit_params : dict
            Given to the ensemble's own `fit`, such as ``sample_weight``.

        Returns
        -------
        self : object
        """
        self._check_arguments()
        ensemble = clone(self._given())
        if self.random_state is not None and ensemble.random_state is None:
            ensemble.random_state = check_random_state(self.random_state).randint(2**31 - 1)
        self.ensemble_ = ensemble.fit(X, y, **fit_params)
        self._prepare()
        X = self._voters.admitted(X)
        self.expected_queries_ = expected_queries(ensemble, self._voters, X, self.confidence)
        return self

    def predict(self, X, return_queries=False):
        """Class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        return_queries : bool, default=False
            Whether to return how many members were asked, too.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        queries : ndarray of int of shape (n_samples,)
            Members asked about each row; only if ``return_queries``.
        """
        label, asked = self._ask_about_one_row(X)
        if label >= 0:
            y, queries = self._shortcut.classes[label : label + 1].copy(), asked
            return (y, np.array([queries], dtype=np.int32)) if return_queries else y
        poll = self._poll(X)
        y = self.classes_[poll.totals.argmax(axis=1)]
        return (y, poll.queries) if return_queries else y

    def predict_proba(self, X, return_std=False):
        """Expected share of each class in the vote, or the mean probability, of the whole ensemble.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether to return how uncertain the shares are, too.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
            Posterior means: members that were asked count with what they said, the others with the mean of
            the urn. The largest share is that of the predicted class.
        std : ndarray of shape (n_samples, n_classes)
            Posterior standard deviations, zero where all members were asked; only if ``return_std``.
        """
        poll = self._poll(X)
        shares, std = posterior_shares(poll.totals, poll.squares, poll.queries, self.n_members_)
        return (shares, std) if return_std else shares

    @property
    def classes_(self):
        """Class labels."""
        return self._fitted().classes_

    @property
    def n_features_in_(self):
        """Number of features."""
        return self._fitted().n_features_in_

    @property
    def feature_names_in_(self):
        """Names of the features, if the ensemble was fitted with any."""
        return self._fitted().feature_names_in_

    def __sklearn_is_fitted__(self):
        """Whether there is a fitted ensemble."""
        try:
            return self._fitted() is not None
        except NotFittedError:
            return False

    def __sklearn_tags__(self):
        """What the ensemble takes, this takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._given()).input_tags
        return tags

    def __getstate__(self):
        """All but what is made anew from the fitted ensemble."""
        return {name: value for name, value in super().__getstate__().items() if name not in _DERIVED}

    def _check_arguments(self):
        check_confidence(self.confidence)
        check_kind(self._given())
        for name, options in (("voting", VOTINGS), ("engine", ENGINES)):
            value = getattr(self, name)
            if not (isinstance(value, str) and value in options):
                raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}.")

    def _given(self):
        return RandomForestClassifier() if self.ensemble is None else self.ensemble

    def _fitted(self):
        """The ensemble that was fitted, here or before it came."""
        if "ensemble_" in self.__dict__:
            return self.ensemble_
        if self.ensemble is None or self.__dict__.get("_known_as_fitted") is not self.ensemble:
            self._check_ensemble_is_fitted()
        return self.ensemble

    def _check_ensemble_is_fitted(self):
        try:
            check_is_fitted(self._given())
        except NotFittedError as error:
            raise NotFittedError(
                f"This {type(self).__name__} is not fitted and neither is its ensemble: call fit, or give a "
                "fitted ensemble."
            ) from error

    @property
    def n_members_(self):
        """Number of members."""
        return len(self._fitted().estimators_)

    @property
    def voting_(self):
        """The rule in use."""
        return "soft" if self._ready().soft else "hard"

    def _ready(self):
        """The voters of the fitted ensemble, prepared on the first call."""
        ensemble = self._fitted()
        if "_voters" not in self.__dict__ or self._prepared_for is not ensemble.estimators_:
            self._check_arguments()
            self._prepare()
        return self._voters

    def _prepare(self):
        """Put the voters in order; a plain row of floats has a shortcut through trees."""
        ensemble, rng = self._fitted(), check_random_state(self.random_state)
        self._voters = electorate(ensemble, self.confidence, self.voting, self.engine, rng)
        self._shortcut = shortcut_of(self._voters, self.confidence)
        self._known_as_fitted, self._prepared_for = self.ensemble, ensemble.estimators_

    def _poll(self, X):
        """Ask the voters about the rows of X."""
        voters = self._ready()
        check_confidence(self.confidence)
        return voters.poll(voters.admitted(X), self.confidence, self.n_jobs)

    def _ask_about_one_row(self, X):
        """Label and number of queries of a plain row; (-1, 0) for anything that needs the general way."""
        shortcut = self.__dict__.get("_shortcut")
        if shortcut is None or not shortcut.serves(X, self.confidence):
            return -1, 0
        return shortcut.poll(X, *shortcut.arguments)


def posterior_shares(totals, squares, queries, n_members):
    """Mean and standard deviation of the final shares, given the sums over the members that were asked.

    Answers to come are draws from an urn with one ball for each answer seen and one for each class (3.29).
    """
    asked = queries[:, None]
    left, balls = n_members - asked, asked + totals.shape[1]
    mean = (totals + 1) / balls
    variance = np.maximum((squares + 1) / balls - mean**2, 0)
    std = np.sqrt(left * variance * (left + balls) / (balls + 1)) / n_members
    return (totals + left * mean) / n_members, std
