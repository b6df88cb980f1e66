"""Pruned ensembles of regressors."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.ensemble import BaggingRegressor

from ...atomic_fit import atomic
from ..checks import check_outputs
from .base import PrunedEnsemble


class PrunedEnsembleRegressor(RegressorMixin, PrunedEnsemble):
    """Ensemble of regressors pruned to the members that are best together.

    The average of a few members selected for low errors that cancel is often better than the average of all
    of them, and is stored and computed in a fraction of the space and time.

    Parameters
    ----------
    ensemble : estimator or list of predictors, default=None
        Bagging, random forest, extra trees, AdaBoost or voting of scikit-learn, or a list of predictors, such
        as networks trained for negative correlation. A fitted one
        is used as it is, and ``fit`` only selects members; an unfitted one is trained first. By default 100
        bagged trees. Cross-validation works with unfitted copies; wrap a fitted ensemble in scikit-learn's
        FrozenEstimator to have it used there, too.
    method : {"ordered", "sdp", "exhaustive", "evidence", "ambiguity", "decorrelation"}, default="ordered"
        How the members are selected: by `ordered_aggregation`, `sdp_pruning`, `exhaustive_pruning` or
        `evidence_pruning`; "ambiguity" weighs the members' distance to their average more than the error of
        the average does (Krogh & Vedelsby 1995), "decorrelation" adds to a member's error its product with
        the error of the member before (Rosen 1996).
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
        Whether the leaves of the kept trees get new numbers, so that the mean of the few comes close to that
        of all trees, each shrunk towards its ancestors, and mostly closer to the targets than that: by the
        line from out-of-bag means to targets, and by what the forest lacks on rows that its trees left out.
        Only for decision trees and dense X.
    reweight : bool, default=False
        Whether the kept members get new weights, none negative, of the least squared error on the rows for
        selection; members of weight zero leave. Without it they keep their shares of an ensemble with
        weights, and have equal ones in all others.
    random_state : int, RandomState instance or None, default=None
        Seed of the held-out rows, of "sdp", and of every ``random_state`` of the ensemble that is None.

    Attributes
    ----------
    selected_ : ndarray of shape (n_kept,)
        Indices of the kept members, in order of aggregation.
    order_ : ndarray of shape (n_members,)
        Indices of all members, the kept ones first.
    error_curve_ : ndarray of shape (n_members,)
        Mean squared error of the first u members of ``order_`` on the rows for selection, u = 1, 2, ...
    lower_bound_ : float or None
        Lower bound of the error of every sub-ensemble of the same size on the rows for selection; None unless
        the method is "sdp" or "exhaustive".
    estimators_ : list
        Kept members, in order of aggregation.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `fit` got any.

    References
    ----------
    Hernández-Lobato, Martínez-Muñoz & Suárez, "Empirical analysis and evaluation of approximate techniques
    for pruning regression bagging ensembles", Neurocomputing 74 (2011).

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from pauca import PrunedEnsembleRegressor
    >>> from pauca.datasets import make_friedman1
    >>> X, y = make_friedman1(200, random_state=0)
    >>> forest = RandomForestRegressor(random_state=0).fit(X, y)
    >>> pruned = PrunedEnsembleRegressor(forest, selection="oob").fit(X, y)
    >>> len(pruned.estimators_)
    20
    """

    _task = "regression"

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
        random_state: int | np.random.RandomState | None = None,
    ):
        self.ensemble = ensemble
        self.method = method
        self.size = size
        self.selection = selection
        self.holdout_size = holdout_size
        self.refit = refit
        self.reweight = reweight
        self.random_state = random_state

    @atomic
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the ensemble if it is not fitted, and keep the best members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows for training and selection.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for training, if the ensemble takes them, and for selection.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def predict(self, X: Any) -> NDArray:
        """Average prediction of the kept members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predicted targets.
        """
        X = self._check_X(X)
        return self._members.mean_value(X)

    def _ensemble_or_default(self):
        return BaggingRegressor(n_estimators=100) if self.ensemble is None else self.ensemble

    def _member_outputs(self, members, X, y, weights, known):
        return check_outputs(members.values(X), y, "regression", weights, known)
