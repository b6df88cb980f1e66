"""Pruned ensembles of regressors."""

from sklearn.base import RegressorMixin
from sklearn.ensemble import BaggingRegressor

from .checks import check_outputs
from .pruned import PrunedEnsemble


class PrunedEnsembleRegressor(RegressorMixin, PrunedEnsemble):
    """An ensemble of regressors cut down to the members that are best together.

    The average of a few members chosen for low errors that cancel is often better than the average of all of
    them, and is stored and computed in a fraction of the space and time.

    Parameters
    ----------
    ensemble : estimator or list of predictors, default=None
        Bagging, random forest, extra trees or voting of scikit-learn, or a list of predictors. What is
        fitted is used as it is, the data of ``fit`` being used for the choice only; what is not is trained
        first. By default 100 bagged trees. Cross-validation works with unfitted copies; wrap a fitted
        ensemble in scikit-learn's FrozenEstimator to have it used there, too.
    method : {"ordered", "sdp", "exhaustive", "evidence"}, default="ordered"
        How the members are chosen; see `ordered_aggregation`, `sdp_pruning`, `exhaustive_pruning` and
        `evidence_pruning`. The kept members count alike whatever the method.
    size : float, int or "auto", default=0.2
        Share or number of members to keep. "auto" takes the size with the smallest error on the rows for
        selection, which is too small a size on the training rows: use "oob" or "holdout" with it. The method
        "evidence" keeps the members that it finds of use, but at most so many; "auto": all of them.
    selection : {"train", "oob", "holdout"}, default="train"
        The rows by which members are chosen: the rows of ``fit``, of these for each member only those that it
        was not trained on, or a part on which no member is trained.
    holdout_size : float, default=0.25
        Share of the rows held out for ``selection="holdout"``; a fitted ensemble is judged by all rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the held-out rows, of "sdp", and of whatever the ensemble has no seed for.

    Attributes
    ----------
    selected_ : ndarray of shape (n_kept,)
        Indices of the members that are kept, in order of aggregation.
    order_ : ndarray of shape (n_members,)
        All members, those that are kept first.
    error_curve_ : ndarray of shape (n_members,)
        Mean squared error of the first u members of ``order_`` on the rows for selection, u = 1, 2, ...
    lower_bound_ : float or None
        No sub-ensemble of the same size has a smaller error on the rows for selection; None unless the
        method is "sdp" or "exhaustive".
    estimators_ : list
        The members that are kept.

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
        ensemble=None,
        method="ordered",
        *,
        size=0.2,
        selection="train",
        holdout_size=0.25,
        random_state=None,
    ):
        self.ensemble = ensemble
        self.method = method
        self.size = size
        self.selection = selection
        self.holdout_size = holdout_size
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Train the ensemble unless it is fitted, and keep the best members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to train on and to choose by.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for the training, if the ensemble takes them, and for the choice.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def predict(self, X):
        """The average prediction of the kept members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        X = self._asked(X)
        return self._members.mean_value(X)

    def _ensemble_or_default(self):
        return BaggingRegressor(n_estimators=100) if self.ensemble is None else self.ensemble

    def _judged(self, members, X, y, weights, known):
        return check_outputs(members.values(X), y, "regression", weights, known)
