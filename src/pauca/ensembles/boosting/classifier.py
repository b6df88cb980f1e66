"""Boosted classifiers that evaluate, for each row, only as many trees as its class needs."""

from numbers import Integral
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state, indexable

from ...atomic_fit import atomic
from ...validation import check_number, check_share
from ..checks import check_confidence
from ..prefitted import PrefittedEnsemble
from .calibration import Calibration, calibrate
from .evaluation import EarlyExit, calibrated_exit, exact_exit, has_names
from .readers import read_boosting


class InstancePrunedBoostingClassifier(ClassifierMixin, PrefittedEnsemble):
    """Evaluate the trees of a boosted classifier one by one, for each row only until its class is decided.

    With ``confidence=1`` the class is that of all trees, by a certificate; below 1 fewer trees are needed,
    and a stated bound on the disagreement is learned on rows that the trees were not trained on.

    Parameters
    ----------
    ensemble : estimator, default=None
        Boosted classifier of scikit-learn (GradientBoostingClassifier, HistGradientBoostingClassifier,
        AdaBoostClassifier of trees), LightGBM, XGBoost (also their Booster) or CatBoost (numbers only). A
        fitted one is used as it is, without a call of `fit`; `fit` fits a copy. By default
        HistGradientBoostingClassifier.
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

    _calibration: Calibration | None = None
    _exits: EarlyExit
    _prepared_for: Any
    _derived = "_exits", "_single_row", "_labels", "_shape", "_prepared_for"

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

    @atomic
    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit a copy of the ensemble, and calibrate it on rows held out if ``confidence`` is below 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data, as the ensemble takes it.
        y : array-like of shape (n_samples,)
            Class labels.
        **fit_params : dict
            Arguments of the ensemble's own `fit`; with ``confidence`` below 1 none that go by row.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_arguments()
        ensemble = self._unfitted_copy()
        self._calibration, held_out = None, None
        if self.confidence < 1 and y is not None:
            X, y = indexable(X, y)
            rows = np.arange(len(y))
            rng = check_random_state(self.random_state)
            training, rest = train_test_split(rows, test_size=self.calibration_size, random_state=rng)
            X, y, held_out = _safe_indexing(X, training), _safe_indexing(y, training), _safe_indexing(X, rest)
        self.ensemble_ = ensemble.fit(X, y, **fit_params)
        self._prepare()
        return self if held_out is None else self.calibrate(held_out)

    @atomic
    def calibrate(self, X: Any) -> Self:
        """Learn when to stop from rows that the trees were not trained on; their classes are not needed.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows from the source of those to be predicted.

        Returns
        -------
        self : object
            The calibrated estimator.
        """
        self._check_arguments()
        self._calibration = None
        exits = self._ready()
        X = exits.check(X, self._fitted())
        self._calibration = calibrate(exits.model.trees, X, self.confidence, self.risk)
        self._prepare()
        return self

    @overload
    def predict(self, X: Any, return_queries: Literal[False] = False) -> NDArray: ...
    @overload
    def predict(self, X: Any, return_queries: Literal[True]) -> tuple[NDArray, NDArray]: ...
    def predict(self, X: Any, return_queries: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_queries : bool, default=False
            Whether to return the number of trees evaluated, too.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        queries : ndarray of int of shape (n_samples,)
            Number of trees evaluated on each row; only if ``return_queries``.
        """
        code, n_evaluated = self._evaluate_single_row(X)
        if n_evaluated >= 0:
            y = self._labels[code : code + 1].copy()
            return (y, np.array([n_evaluated], dtype=np.int32)) if return_queries else y
        exits = self._ready()
        codes, queries = exits.decide(exits.check(X, self._fitted()))
        y = exits.model.classes[codes]
        return (y, queries) if return_queries else y

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
    def n_members_(self) -> int:
        """Number of trees."""
        return self._ready().trees.n_trees

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return self._ready().model.n_features

    @property
    def disagreement_bound_(self) -> float:
        """Upper confidence bound on the share of rows whose class differs from that of all trees."""
        self._ready()
        return 0.0 if self._calibration is None else self._calibration.bound

    def _check_arguments(self):
        check_confidence(self.confidence)
        check_share("risk", self.risk)
        check_share("calibration_size", self.calibration_size)
        check_number("tolerance", self.tolerance, 0.0)
        check_number("router_depth", self.router_depth, 0, kind=Integral)

    def _ensemble_or_default(self):
        return HistGradientBoostingClassifier() if self.ensemble is None else self.ensemble

    def _ready(self):
        """Early exit of the fitted ensemble, prepared on the first call."""
        ensemble = self._fitted()
        if "_exits" not in self.__dict__ or self._prepared_for is not ensemble:
            self._check_arguments()
            self._prepare()
        return self._exits

    def _prepare(self):
        """Read the fitted ensemble, and set what decides its rows."""
        ensemble, model = self._fitted(), None
        if "_exits" in self.__dict__ and self._prepared_for is ensemble:
            model = self._exits.model
        model = read_boosting(ensemble) if model is None else model
        if self._calibration is None:
            self._exits = exact_exit(model, self.router_depth)
        else:
            self._exits = calibrated_exit(model, self._calibration)
        self._single_row = None if has_names(ensemble) else self._exits.single_row()
        self._labels, self._shape = model.classes, (1, model.n_features)
        self._prepared_for, self._known_as_fitted = ensemble, self.ensemble

    def _evaluate_single_row(self, X):
        """Code and trees evaluated of one row of floats; (0, -1) for any X that needs the general way."""
        single_row = self.__dict__.get("_single_row")
        if (
            single_row is None
            or X.__class__ is not np.ndarray
            or X.shape != self._shape
            or X.dtype.char not in "fd"
            or not X.flags.c_contiguous
            or self._prepared_for is not self._fitted()
        ):
            return 0, -1
        evaluate, arguments = single_row
        return evaluate(X, *arguments)
