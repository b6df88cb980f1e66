"""Pruned boosted classifiers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ...members import codes_of
from ..boosted_model import BoostedModel, linked
from ..evaluation import exact_exit
from .base import PrunedBoosting


class PrunedBoostingClassifier(ClassifierMixin, PrunedBoosting):
    """Boosted classifier reduced to the rounds that matter, each with a new weight.

    Rounds are added one by one where the log-loss falls most steeply, or selected all together; the
    weights of those kept are found together, by penalised log-loss.

    Parameters
    ----------
    ensemble : estimator, default=None
        Boosted classifier as in `InstancePrunedBoostingClassifier`. A fitted one is used as it is, and `fit`
        selects rounds on the rows given, which should not be those it was trained on; an unfitted one is
        trained on a part of the rows and pruned on the rest. By default HistGradientBoostingClassifier.
    method : {"ordered", "sdp"}, default="ordered"
        Whether rounds are added one by one where the log-loss falls most steeply, or selected together,
        by the semidefinite relaxation of `sdp_pruning`, so that their scaled sum is nearest to that of all.
    size : float or int, default=0.2
        Share or number of rounds to keep.
    penalty : float, default=1.0
        Strength with which the contributions of rounds are held at those of the ensemble: half the squared
        change of a weight, in nats, times the standard deviation of what the round adds.
    holdout_size : float, default=0.25
        Share of the rows on which an unfitted ensemble is not trained but pruned.
    random_state : int, RandomState or None, default=None
        Seed of the rows held out, of "sdp", and of an ensemble whose own ``random_state`` is None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    selected_ : ndarray of shape (n_kept,)
        Indices of the kept rounds, in the order in which they were added; "sdp" has none and sorts them.
    weights_ : ndarray of shape (n_kept,)
        Factors of the kept rounds, 1 for an unchanged one.
    loss_ : tuple of float
        Log-loss on the rows for selection of all rounds, and of those kept.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    Ordered aggregation (thesis, section 3.1) with the log-loss of an additive model in place of the squared
    error of an average: each step adds the round with the largest derivative of the log-loss for its unit of
    spread, and re-weighting stands for the division by the number of members.

    References
    ----------
    D. Hernández-Lobato, "Prediction Based on Averages over Automatically Induced Learners", 2009, sections
    3.1 and 8.1; Pati, Rezaiifar & Krishnaprasad, "Orthogonal matching pursuit", 1993.

    Examples
    --------
    >>> from pauca import PrunedBoostingClassifier
    >>> from pauca.datasets import make_twonorm
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_twonorm(600, random_state=0)
    >>> boosted = GradientBoostingClassifier(random_state=0).fit(X[:300], y[:300])
    >>> few = PrunedBoostingClassifier(boosted).fit(X[300:], y[300:])
    >>> len(few.selected_)
    20
    """

    _of_classes = True

    def __init__(
        self,
        ensemble: Any = None,
        *,
        method: str = "ordered",
        size: float | int = 0.2,
        penalty: float = 1.0,
        holdout_size: float = 0.25,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.ensemble = ensemble
        self.method = method
        self.size = size
        self.penalty = penalty
        self.holdout_size = holdout_size
        self.random_state = random_state

    def predict(self, X: Any) -> NDArray:
        """Class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        codes, _ = self._exits.decide(self._checked(X))
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> NDArray:
        """Probabilities of all classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        check_is_fitted(self)
        return self._exits.probabilities(self._checked(X), 0.0)[0]

    @property
    def classes_(self) -> NDArray:
        """Class labels."""
        check_is_fitted(self)
        return self._exits.model.classes

    def _ensemble_or_default(self):
        return HistGradientBoostingClassifier() if self.ensemble is None else self.ensemble

    def _check_targets(self, y):
        check_classification_targets(y)

    def _loss_of(self, model, y, whole):
        codes = codes_of(y, model.classes, "y")
        return lambda scores: log_loss(model, scores, codes)

    def _error_of(self, model, y, scores):
        return log_loss(model, scores, codes_of(y, model.classes, "y"))[0] / len(y)

    def _exit_of(self, model):
        return exact_exit(model, 0)


def log_loss(model: BoostedModel, scores: NDArray, y: NDArray) -> tuple[float, NDArray]:
    """Log-loss of all rows in nats, and its derivatives in the scores."""
    p = linked(scores, model.link, model.steepness)
    if model.link == "sigmoid":
        loss = np.logaddexp(0, np.where(y == 1, -1, 1) * model.steepness * scores[:, 0]).sum()
        return float(loss), model.steepness * (p[:, 1:] - y[:, None])
    truth = np.eye(len(model.classes))[y]
    if model.link == "softmax":
        top = scores.max(axis=1)
        total = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
        return float((total - scores[np.arange(len(y)), y]).sum()), p - truth
    loss = np.logaddexp(0, np.where(truth > 0, -1, 1) * model.steepness * scores).sum()
    return float(loss), model.steepness * (p - truth)
