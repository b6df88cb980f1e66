"""Pruned ensembles of classifiers."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.utils.multiclass import check_classification_targets

from ...atomic_fit import atomic
from ...validation import check_option
from ..checks import VOTINGS, MemberOutputs
from ..members import codes_of
from .base import PrunedEnsemble


class PrunedEnsembleClassifier(ClassifierMixin, PrunedEnsemble):
    """Ensemble of classifiers pruned to the members that are best together.

    Members are selected by their votes: for few errors and for few errors in common.

    Parameters
    ----------
    ensemble : estimator or list of predictors, default=None
        Bagging, random forest, extra trees, AdaBoost or voting of scikit-learn, or a list of predictors. A
        fitted one is used as it is, and ``fit`` only selects members; an unfitted one is trained first. By
        default 100 bagged trees. Cross-validation works with unfitted copies; wrap a fitted ensemble in
        scikit-learn's FrozenEstimator to have it used there, too.
    method : {"ordered", "sdp", "exhaustive", "evidence", "ambiguity", "decorrelation", "reduce-error", \
"complementarity", "margin-distance", "boosting"}, default="ordered"
        How the members are selected: by `ordered_aggregation`, `sdp_pruning`, `exhaustive_pruning`,
        `evidence_pruning`, or the rule of that name of `vote_ordering`; "ambiguity" weighs the distance of
        votes to their average more than the error of the average does (Krogh & Vedelsby 1995),
        "decorrelation" adds to a member's error its product with the error of the member before (Rosen 1996).
    size : float, int or "auto", default=0.2
        Share or number of members to keep. "auto" takes the size with the smallest error on the rows for
        selection, which is too small a size on training rows. With the
        method "evidence" it is an upper limit; "auto" keeps all members that the evidence selects.
    selection : {"auto", "train", "oob", "holdout"}, default="auto"
        Rows on which members are selected: the rows of ``fit`` ("train"), for each member its out-of-bag rows
        among them ("oob"), or a part on which no member is trained ("holdout"). A member that left no row out
        is not chosen by "oob". "auto" is "oob" where members left rows out, and "train" where none did, for
        the method "evidence", and for a fitted ensemble that was trained on other rows.
    holdout_size : float, default=0.25
        Share of the rows held out for ``selection="holdout"``; a fitted ensemble is evaluated on all rows.
    refit : bool, default=False
        Whether the leaves of the kept trees get new numbers, so that the mean probabilities of the few
        come close to that of all trees, each shrunk towards its ancestors; a fifth of a forest then makes
        about a quarter of the additional errors that it makes without. Only for decision trees and dense X.
    voting : {"auto", "hard", "soft"}, default="auto"
        Whether the kept members' votes are counted ("hard") or their probabilities averaged ("soft"); "auto"
        does as the ensemble, and averages refitted leaves.
    reweight : bool, default=False
        Whether the kept members get new weights, none negative, of the least squared error on the rows for
        selection; members of weight zero leave. Without it they keep their shares of an ensemble with
        weights, and have equal ones in all others.
    random_state : int, RandomState instance or None, default=None
        Seed of the held-out rows, of "sdp", and of every ``random_state`` of the ensemble that is None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    selected_ : ndarray of shape (n_kept,)
        Indices of the kept members, in order of aggregation.
    order_ : ndarray of shape (n_members,)
        Indices of all members, the kept ones first.
    error_curve_ : ndarray of shape (n_members,)
        Error rate of the vote of the first u members of ``order_`` on the rows for selection, u = 1, 2, ...
    lower_bound_ : float or None
        Lower bound of the criterion (see `common_errors`) of every sub-ensemble of the same size; None
        unless the method is "sdp" or "exhaustive".
    estimators_ : list
        Kept members, in order of aggregation.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `fit` got any.

    References
    ----------
    Martínez-Muñoz, Hernández-Lobato & Suárez, "An analysis of ensemble pruning techniques based on ordered
    aggregation", IEEE PAMI 31 (2009); Zhang, Burer & Street, "Ensemble pruning via semi-definite
    programming", JMLR 7 (2006).

    Examples
    --------
    >>> from pauca import PrunedEnsembleClassifier
    >>> from pauca.datasets import make_ripley
    >>> X, y = make_ripley(200, random_state=0)
    >>> pruned = PrunedEnsembleClassifier(random_state=0).fit(X, y)
    >>> len(pruned.selected_), len(pruned.order_)
    (20, 100)
    """

    _task = "classification"

    def __init__(
        self,
        ensemble: Any = None,
        method: str = "ordered",
        *,
        size: float | str = 0.2,
        selection: str = "auto",
        holdout_size: float = 0.25,
        refit: bool = False,
        reweight: bool = False,
        voting: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ):
        self.ensemble = ensemble
        self.method = method
        self.size = size
        self.selection = selection
        self.holdout_size = holdout_size
        self.refit = refit
        self.reweight = reweight
        self.voting = voting
        self.random_state = random_state

    @atomic
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the ensemble if it is not fitted, and keep the best members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows for training and selection.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for training, if the ensemble takes them, and for selection.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_option("voting", self.voting, VOTINGS)
        return self._fit(X, y, sample_weight)

    def predict(self, X: Any) -> NDArray:
        """Class with the most votes, or with the largest mean probability; ties go to the first class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: Any) -> NDArray:
        """Average probability of each class, or share of the votes for it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Probabilities of the classes, or shares of the votes.
        """
        X = self._check_X(X)
        soft = self._members.soft if self.voting == "auto" else self.voting == "soft"
        combine = self._members.mean_probability if soft else self._members.vote_shares
        return combine(X, self.classes_)

    def _ensemble_or_default(self):
        return BaggingClassifier(n_estimators=100) if self.ensemble is None else self.ensemble

    def _check_X_y(self, X, y):
        X, checked, y = super()._check_X_y(X, y)
        check_classification_targets(y)
        return X, checked, y

    def _member_outputs(self, members, X, y, weights, known):
        self.classes_ = members.known_classes(y)
        votes = members.votes(X, self.classes_)
        return MemberOutputs(
            "classification", votes, codes_of(y, self.classes_, "y"), weights, known, len(self.classes_)
        )
