"""Pruned boosted regressors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.utils.validation import check_is_fitted

from ....validation import check_size
from ..boosted_model import BoostedModel, linked
from ..value_exit import exact_values
from .base import PrunedBoosting

# Tolerance of the evaluation of the rounds kept, which is to use all of them.
_NONE = float(np.finfo(float).tiny)


class PrunedBoostingRegressor(RegressorMixin, PrunedBoosting):
    """Boosted regressor reduced to the rounds that matter, each with a new weight.

    Rounds are added one by one where the squared error falls most steeply, or selected all together; the
    weights of those kept are found together, by penalised squared error.

    Parameters
    ----------
    ensemble : estimator, default=None
        Boosted regressor as in `InstancePrunedBoostingRegressor`. A fitted one is used as it is, and `fit`
        selects rounds on the rows given, which should not be those it was trained on; an unfitted one is
        trained on a part of the rows and pruned on the rest. By default HistGradientBoostingRegressor.
    method : {"ordered", "sdp"}, default="ordered"
        Whether rounds are added one by one where the squared error falls most steeply, or selected together,
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
    selected_ : ndarray of shape (n_kept,)
        Indices of the kept rounds, in the order in which they were added; "sdp" has none and sorts them.
    weights_ : ndarray of shape (n_kept,)
        Factors of the kept rounds, 1 for an unchanged one.
    loss_ : tuple of float
        Root mean squared error on the rows for selection of all rounds, and of those kept.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    Ordered aggregation (thesis, section 3.1) of an additive model: each step adds the round with the largest
    derivative of the squared error for its unit of spread, and re-weighting stands for the division by the
    number of members. The penalty counts nats of a normal density whose variance is that of the residuals of
    the whole ensemble. Errors are those of predictions, also under a logarithmic link.

    References
    ----------
    D. Hernández-Lobato, "Prediction Based on Averages over Automatically Induced Learners", 2009, sections
    3.1 and 8.1; Pati, Rezaiifar & Krishnaprasad, "Orthogonal matching pursuit", 1993.

    Examples
    --------
    >>> from pauca.datasets import make_friedman1
    >>> from pauca.ensembles import PrunedBoostingRegressor
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> X, y = make_friedman1(600, random_state=0)
    >>> boosted = GradientBoostingRegressor(random_state=0).fit(X[:300], y[:300])
    >>> few = PrunedBoostingRegressor(boosted).fit(X[300:], y[300:])
    >>> len(few.selected_)
    20
    """

    _of_classes = False

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
        """Number of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted targets.
        """
        check_is_fitted(self)
        return self._exits.decide(self._checked(X))[0]

    def _ensemble_or_default(self):
        return HistGradientBoostingRegressor() if self.ensemble is None else self.ensemble

    def _check_targets(self, y):
        check_size("y", y)

    def _loss_of(self, model, y, whole):
        # Errors of all rounds below rounding of the targets count as rounding.
        least = np.square(np.finfo(float).eps * np.abs(y).max()) + np.finfo(float).tiny
        variance = max(squared_error(model, whole, y, 0.5)[0] / len(y), float(least))
        return lambda scores: squared_error(model, scores, y, variance)

    def _error_of(self, model, y, scores):
        return float(np.sqrt(squared_error(model, scores, y, 0.5)[0] / len(y)))

    def _exit_of(self, model):
        return exact_values(model, 0, _NONE)


def squared_error(model: BoostedModel, scores: NDArray, y: NDArray, variance: float) -> tuple[float, NDArray]:
    """Sum of squared errors over twice the variance, and its derivatives in the scores."""
    predicted = linked(scores, model.link, model.steepness)
    errors = predicted - np.asarray(y, dtype=float)[:, None]
    derivative = predicted if model.link == "exponential" else 1.0
    return float(np.square(errors).sum()) / (2 * variance), errors * derivative / variance
