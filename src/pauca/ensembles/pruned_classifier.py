"""Pruned ensembles of classifiers."""

from sklearn.base import ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.utils.multiclass import check_classification_targets

from ..validation import check_option
from .checks import Outputs
from .members import codes_of
from .pruned import PrunedEnsemble

VOTINGS = "auto", "soft", "hard"


class PrunedEnsembleClassifier(ClassifierMixin, PrunedEnsemble):
    """An ensemble of classifiers cut down to the members that are best together.

    Members are chosen by their votes: for few errors and for few errors in common.

    Parameters
    ----------
    ensemble : estimator or list of predictors, default=None
        See `PrunedEnsembleRegressor`.
    method : {"ordered", "sdp", "exhaustive", "evidence", "reduce-error", "complementarity", \
"margin-distance", "boosting"}, default="ordered"
        How the members are chosen; the last four are described at `vote_ordering`.
    size, selection, holdout_size, random_state
        See `PrunedEnsembleRegressor`.
    voting : {"auto", "soft", "hard"}, default="auto"
        Whether the kept members' probabilities are averaged or their votes counted; "auto" does as the
        ensemble.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes.
    error_curve_ : ndarray of shape (n_members,)
        Error rate of the vote of the first u members of ``order_`` on the rows for selection, u = 1, 2, ...
    lower_bound_ : float or None
        Lower bound of the criterion (see `common_errors`) of every sub-ensemble of the same size; None
        unless the method is "sdp" or "exhaustive".
    selected_, order_, estimators_
        See `PrunedEnsembleRegressor`.

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
        ensemble=None,
        method="ordered",
        *,
        size=0.2,
        selection="train",
        holdout_size=0.25,
        voting="auto",
        random_state=None,
    ):
        self.ensemble = ensemble
        self.method = method
        self.size = size
        self.selection = selection
        self.holdout_size = holdout_size
        self.voting = voting
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Train the ensemble unless it is fitted, and keep the best members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to train on and to choose by.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for the training, if the ensemble takes them, and for the choice.

        Returns
        -------
        self
        """
        check_option("voting", self.voting, VOTINGS)
        return self._fit(X, y, sample_weight)

    def predict(self, X):
        """The class with the most votes, or the most probable one; the first of those that are tied.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X):
        """Average probability of each class, or share of the votes for it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
        """
        X = self._asked(X)
        soft = self._members.soft if self.voting == "auto" else self.voting == "soft"
        combine = self._members.mean_probability if soft else self._members.vote_shares
        return combine(X, self.classes_)

    def _ensemble_or_default(self):
        return BaggingClassifier(n_estimators=100) if self.ensemble is None else self.ensemble

    def _check_X_y(self, X, y):
        X, checked, y = super()._check_X_y(X, y)
        check_classification_targets(y)
        return X, checked, y

    def _judged(self, members, X, y, weights, known):
        self.classes_ = members.known_classes(y)
        votes = members.votes(X, self.classes_)
        return Outputs(
            "classification", votes, codes_of(y, self.classes_, "y"), weights, known, len(self.classes_)
        )
