"""Boosted classifiers that evaluate, for each row, only as many trees as its class needs."""

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from ...validation import check_number
from ..early_exit import EarlyExitClassifier
from .base import EarlyExitBoosting
from .calibration import Calibration, calibrate
from .evaluation import calibrated_exit, exact_exit


class InstancePrunedBoostingClassifier(EarlyExitBoosting, EarlyExitClassifier):
    """Evaluate the trees of a boosted classifier one by one, for each row only until its class is decided.

    With ``confidence=1`` the class is that of all trees, by a certificate; below 1 fewer trees are needed,
    and a stated bound on the disagreement is learned on rows that the trees were not trained on.

    Parameters
    ----------
    ensemble : estimator, default=None
        Boosted classifier of scikit-learn (GradientBoostingClassifier, HistGradientBoostingClassifier,
        AdaBoostClassifier of trees), LightGBM, XGBoost (also their Booster) or CatBoost (numbers only),
        or what `read_boosting` makes of one, which can be saved without its library. A fitted one is used as
        it is, without a call of `fit`; `fit` fits a copy. By default HistGradientBoostingClassifier.
    confidence : float, default=1.0
        Share in (0.5, 1] of the rows whose class is to be that of all trees. Below 1 either `fit` or
        `calibrate` has to learn when to stop.
    risk : float, default=0.05
        Probability, over the calibration rows, that the disagreement exceeds its bound.
    calibration_size : float, default=0.25
        Share of the rows that `fit` holds out for calibration; used only if ``confidence`` is below 1.
    tolerance : float, default=0.0
        Largest error of the probabilities of `predict_proba`, which stops as soon as it is certain; 0
        evaluates all trees.
    router_depth : int, default=8
        Two classes, ``confidence=1``: the space is divided into up to ``2**router_depth`` boxes, in each of
        which fewer leaves can be reached. 0 uses one bound for all rows.
    random_state : int, RandomState or None, default=None
        Seed of the rows held out, and in `fit` of an ensemble whose own ``random_state`` is None.

    Attributes
    ----------
    ensemble_ : estimator
        The fitted ensemble.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_members_ : int
        Number of trees; those of all classes are counted.
    disagreement_bound_ : float
        Upper confidence bound on the share of rows whose class differs from that of all trees, at level
        ``1 - risk``; 0 if only the certificate is used, because ``confidence`` is 1 or because there were too
        few calibration rows for any bound as low as ``1 - confidence``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `fit` got any.

    Notes
    -----
    Certificate: after some trees a class is decided when the largest that the other trees can add to any
    rival beyond what they add to the leader is less than the lead. Trees with a wide range of leaves come
    first. It is exact up to the rounding of sums in another order; XGBoost and CatBoost add in their own
    precision.

    Calibrated rule: evaluation also stops when the lead exceeds a multiple of the typical lead of rows whose
    class changes later. The multiple is the smallest that a sequence of tests by Clopper-Pearson bounds lets
    through, so that ``disagreement_bound_`` holds with probability ``1 - risk`` for rows from the source of
    the calibration rows. It takes ``log(risk) / log(confidence)`` rows without any disagreement (2995 for
    99.9 %, 298 for 99 %), and a third more, which set the scale.

    References
    ----------
    Clopper & Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
    Biometrika 26 (1934); Angelopoulos, Bates, Candès, Jordan & Lei, "Learn then test", 2021.

    Examples
    --------
    >>> from pauca import InstancePrunedBoostingClassifier
    >>> from pauca.datasets import make_twonorm
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_twonorm(500, random_state=0)
    >>> boosted = GradientBoostingClassifier(random_state=0).fit(X[:300], y[:300])
    >>> fast = InstancePrunedBoostingClassifier(boosted)
    >>> labels, queries = fast.predict(X[300:], return_queries=True)
    >>> bool((labels == boosted.predict(X[300:])).all()), bool(queries.mean() < 100)
    (True, True)
    """

    _of_classes = True
    _calibration: Calibration | None = None

    def __init__(
        self,
        ensemble: Any = None,
        confidence: float = 1.0,
        *,
        risk: float = 0.05,
        calibration_size: float = 0.25,
        tolerance: float = 0.0,
        router_depth: int = 8,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.ensemble = ensemble
        self.confidence = confidence
        self.risk = risk
        self.calibration_size = calibration_size
        self.tolerance = tolerance
        self.router_depth = router_depth
        self.random_state = random_state

    @overload
    def predict_proba(self, X: Any, return_queries: Literal[False] = False) -> NDArray: ...
    @overload
    def predict_proba(self, X: Any, return_queries: Literal[True]) -> tuple[NDArray, NDArray]: ...
    def predict_proba(self, X: Any, return_queries: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Probabilities of all classes, each within ``tolerance`` of that by all trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_queries : bool, default=False
            Whether to return the number of trees evaluated, too.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Probabilities.
        queries : ndarray of int of shape (n_samples,)
            Number of trees evaluated on each row; only if ``return_queries``.
        """
        exits = self._ready()
        p, queries = exits.probabilities(exits.check(X, self._fitted()), float(self.tolerance))
        return (p, queries) if return_queries else p

    @property
    def classes_(self) -> NDArray:
        """Class labels."""
        return self._ready().model.classes

    @property
    def disagreement_bound_(self) -> float:
        """Upper confidence bound on the share of rows whose class differs from that of all trees."""
        self._ready()
        return 0.0 if self._calibration is None else self._calibration.bound

    def _check_arguments(self):
        super()._check_arguments()
        check_number("tolerance", self.tolerance, 0.0)

    def _ensemble_or_default(self):
        return HistGradientBoostingClassifier() if self.ensemble is None else self.ensemble

    def _exact(self, model):
        return exact_exit(model, self.router_depth)

    def _learned(self, model, X):
        return calibrate(model.trees, X, self.confidence, self.risk)

    def _calibrated(self, model, calibration):
        return calibrated_exit(model, calibration)
