"""Machines of the section ``scaling``, each fitted in a process of its own."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier, SGDRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pauca import SparseGPClassifier, SparseGPRegressor

from ..harness.svgp import SVGP

SPARSE_GP, LIGHTGBM, HGB, XGBOOST = "SparseGP", "LightGBM", "HistGradientBoosting", "XGBoost"
LINEAR, NYSTROEM, SGD = "linear, calibrated", "Nystroem + linear", "SGD on random features"
SVGP_NAME = "SVGP"
PEERS = (LIGHTGBM, HGB, XGBOOST, LINEAR, NYSTROEM, SGD)
_N_LANDMARKS = 300
# Folds of the isotonic calibration of the linear classifier; as in scikit-learn's examples.
_FOLDS = 3


def with_vectors(n_vectors: int) -> str:
    """Name of the machine with a given number of vectors."""
    return f"{SPARSE_GP}, {n_vectors} vectors"


def svgp_with(n_vectors: int) -> str:
    """Name of the stochastic variational process with a given number of inducing points."""
    return f"{SVGP_NAME}, {n_vectors} vectors"


def missing(name: str) -> str | None:
    """Reason why a machine cannot be made here, None where it can."""
    wanted = {LIGHTGBM: ["lightgbm"], XGBOOST: ["xgboost"], SVGP_NAME: ["torch", "gpytorch"]}
    absent = [module for module in wanted.get(name.split(",")[0], []) if find_spec(module) is None]
    return f"{name} left out: {' and '.join(absent)} not installed" if absent else None


def make(name: str, regression: bool) -> Any:
    """New machine of a name."""
    if name.startswith(f"{SPARSE_GP}, "):
        options = {"max_vectors": int(name.split()[1]), "min_gain": 0}
        return SparseGPRegressor(**options) if regression else SparseGPClassifier(**options)
    if name.startswith(f"{SVGP_NAME}, "):
        return SVGP(int(name.split()[1]), regression)
    return _MAKERS[name](regression)


def _sparse_gp(regression):
    return SparseGPRegressor() if regression else SparseGPClassifier()


def _lightgbm(regression):
    import lightgbm

    return (lightgbm.LGBMRegressor if regression else lightgbm.LGBMClassifier)(
        verbose=-1, n_jobs=1, random_state=0
    )


def _xgboost(regression):
    import xgboost

    return (xgboost.XGBRegressor if regression else xgboost.XGBClassifier)(n_jobs=1, random_state=0)


def _hgb(regression):
    return (HistGradientBoostingRegressor if regression else HistGradientBoostingClassifier)(random_state=0)


def _linear(regression):
    if regression:
        return make_pipeline(StandardScaler(), Ridge())
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return CalibratedClassifierCV(logistic, method="isotonic", cv=_FOLDS)


def _nystroem(regression):
    last = Ridge() if regression else LogisticRegression(max_iter=1000)
    landmarks = _Nystroem(gamma=None, n_components=_N_LANDMARKS, random_state=0)
    return make_pipeline(StandardScaler(), landmarks, last)


class _Nystroem(Nystroem):
    """Landmarks with the width of ``gamma="scale"``, features in single precision."""

    def fit(self, X, y=None):
        self.gamma = 1 / X.shape[1]
        return super().fit(X[: 20 * self.n_components], y)

    def transform(self, X):
        parts = [super(_Nystroem, self).transform(X[k : k + 50_000]) for k in range(0, len(X), 50_000)]
        return np.concatenate([part.astype(np.float32) for part in parts])


def _sgd(regression):
    last = SGDRegressor(random_state=0) if regression else SGDClassifier(loss="log_loss", random_state=0)
    return make_pipeline(StandardScaler(), _Features(n_components=_N_LANDMARKS, random_state=0), last)


class _Features(RBFSampler):
    """Random Fourier features with the width of ``gamma="scale"``."""

    def fit(self, X, y=None):
        self.gamma = 1 / X.shape[1]
        return super().fit(X, y)

    def transform(self, X):
        return super().transform(X).astype(np.float32)


_MAKERS: dict[str, Callable[[bool], Any]] = {
    SPARSE_GP: _sparse_gp,
    LIGHTGBM: _lightgbm,
    XGBOOST: _xgboost,
    HGB: _hgb,
    LINEAR: _linear,
    NYSTROEM: _nystroem,
    SGD: _sgd,
}
