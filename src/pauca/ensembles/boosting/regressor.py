"""Boosted regressors that evaluate, for each row, only as many trees as its number needs."""

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from ...validation import check_number
from ..early_exit import EarlyExitRegressor
from .base import EarlyExitBoosting
from .calibration import ValueCalibration, calibrate_values
from .value_exit import calibrated_values, exact_values

# Default tolerance as a share of the standard deviation of the targets.
_SHARE = 0.05


class InstancePrunedBoostingRegressor(EarlyExitBoosting, EarlyExitRegressor):
    """Evaluate the trees of a boosted regressor one by one, for each row only until its number is known.

    With ``confidence=1`` every prediction lies within a tolerance of that of all trees, by a certificate;
    below 1 fewer trees are needed, and a stated bound on the share of rows beyond the tolerance is learned on
    rows that the trees were not trained on.

    Parameters
    ----------
    ensemble : estimator, default=None
        Boosted regressor of scikit-learn (GradientBoostingRegressor, HistGradientBoostingRegressor),
        LightGBM, XGBoost (also their Booster) or CatBoost (numbers only), or what `read_boosting` makes of
        one, which can be saved without its library. A fitted one is used as it is, without a call of `fit`;
        `fit` fits a copy. By default HistGradientBoostingRegressor.
    tolerance : float, default=None
        Largest distance from the prediction of all trees, in units of the target. By default a twentieth of
        the standard deviation of the targets that `fit` sees; a fitted ensemble needs a number.
    confidence : float, default=1.0
        Share in (0.5, 1] of the rows whose prediction is to lie within the tolerance. Below 1 either `fit` or
        `calibrate` has to learn when to stop.
    risk : float, default=0.05
        Probability, over the calibration rows, that the share of rows beyond the tolerance exceeds its bound.
    calibration_size : float, default=0.25
        Share of the rows that `fit` holds out for calibration; used only if ``confidence`` is below 1.
    router_depth : int, default=8
        With ``confidence=1`` the space is divided into up to ``2**router_depth`` boxes, in each of which
        fewer leaves can be reached. 0 uses one bound for all rows.
    random_state : int, RandomState or None, default=None
        Seed of the rows held out, and in `fit` of an ensemble whose own ``random_state`` is None.

    Attributes
    ----------
    ensemble_ : estimator
        The fitted ensemble.
    tolerance_ : float
        Tolerance in units of the target.
    n_members_ : int
        Number of trees.
    exceedance_bound_ : float
        Upper confidence bound on the share of rows beyond the tolerance, at level ``1 - risk``; 0 if only
        the certificate is used, because ``confidence`` is 1 or because there were too few calibration rows
        for any bound as low as ``1 - confidence``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `fit` got any.

    Notes
    -----
    Certificate: the trees to come add a number between the sums of their least and of their largest leaves
    that a row of its box can reach. Evaluation stops when the half width of that interval is within the
    tolerance, and predicts its middle. Trees with a wide range come first. Exact up to the rounding of sums
    in another order. With a logarithmic link (Poisson, gamma, Tweedie) the interval is that of exponentials.

    Calibrated rule: evaluation also stops when the mean absolute contribution of the last ten trees or so is
    below a multiple of the tolerance, and predicts the sum with the average of what the other trees add. The
    multiple is the boldest that a sequence of tests by Clopper-Pearson bounds lets through, so that
    ``exceedance_bound_`` holds with probability ``1 - risk`` for rows from the source of the calibration
    rows.

    References
    ----------
    Clopper & Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
    Biometrika 26 (1934); Angelopoulos, Bates, Candès, Jordan & Lei, "Learn then test", 2021.

    Examples
    --------
    >>> from pauca.datasets import make_friedman1
    >>> from pauca.ensembles import InstancePrunedBoostingRegressor
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> X, y = make_friedman1(500, random_state=0)
    >>> boosted = GradientBoostingRegressor(random_state=0).fit(X[:300], y[:300])
    >>> fast = InstancePrunedBoostingRegressor(boosted, tolerance=0.5)
    >>> number, queries = fast.predict(X[300:], return_queries=True)
    >>> bool(abs(number - boosted.predict(X[300:])).max() <= 0.5), bool(queries.mean() < 95)
    (True, True)
    """

    _of_classes = False
    _calibration: ValueCalibration | None = None

    def __init__(
        self,
        ensemble: Any = None,
        tolerance: float | None = None,
        confidence: float = 1.0,
        *,
        risk: float = 0.05,
        calibration_size: float = 0.25,
        router_depth: int = 8,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.ensemble = ensemble
        self.tolerance = tolerance
        self.confidence = confidence
        self.risk = risk
        self.calibration_size = calibration_size
        self.router_depth = router_depth
        self.random_state = random_state

    @property
    def tolerance_(self) -> float:
        """Tolerance in units of the target."""
        return self._ready().tolerance

    @property
    def exceedance_bound_(self) -> float:
        """Upper confidence bound on the share of rows beyond the tolerance."""
        self._ready()
        return 0.0 if self._calibration is None else self._calibration.bound

    def _check_arguments(self):
        super()._check_arguments()
        check_number("tolerance", self.tolerance, 0.0, strict=True, optional=True)

    def _ensemble_or_default(self):
        return HistGradientBoostingRegressor() if self.ensemble is None else self.ensemble

    def _settings(self):
        return self._fitted(), self.tolerance

    def _remember(self, X, y):
        self._target_std = float(np.std(np.asarray(y, dtype=float)))

    def _tolerance(self):
        if self.tolerance is not None:
            return float(self.tolerance)
        spread = self.__dict__.get("_target_std")
        if spread is None:
            raise ValueError("tolerance must be a number: the spread of the ensemble's targets is not known.")
        return max(_SHARE * spread, float(np.finfo(float).tiny))

    def _exact(self, model):
        return exact_values(model, self.router_depth, self._tolerance())

    def _learned(self, model, X):
        exponential = model.link == "exponential"
        return calibrate_values(model.trees, X, exponential, self._tolerance(), self.confidence, self.risk)

    def _calibrated(self, model, calibration):
        if calibration.tolerance != self._tolerance():
            raise ValueError("tolerance has changed since the calibration: call calibrate again.")
        return calibrated_values(model, calibration)
