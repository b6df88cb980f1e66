"""Ensembles of trees, with the settings that they run with, each on one thread."""

from importlib import import_module

from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.preprocessing import LabelEncoder

from .contenders import Contender

CATBOOST, LIGHTGBM, XGBOOST = "CatBoost", "LightGBM", "XGBoost"
_N_TREES = 300
FOREST, HIST = f"random forest, {_N_TREES} trees", "HistGradientBoosting"


def tree_classifiers() -> list[Contender]:
    """Classifiers at their defaults."""
    return [
        Contender(CATBOOST, _catboost("CatBoostClassifier"), _none),
        Contender(LIGHTGBM, _lightgbm("LGBMClassifier"), _none),
        Contender(XGBOOST, _xgboost_classifier, _none),
        Contender(
            FOREST, lambda X, y: RandomForestClassifier(_N_TREES, n_jobs=1, random_state=0).fit(X, y), _none
        ),
        Contender(HIST, lambda X, y: HistGradientBoostingClassifier(random_state=0).fit(X, y), _none),
    ]


def tree_regressors() -> list[Contender]:
    """Regressors at their defaults, none of which predicts standard deviations."""
    return [
        Contender(CATBOOST, _catboost("CatBoostRegressor"), _none),
        Contender(LIGHTGBM, _lightgbm("LGBMRegressor"), _none),
        Contender(XGBOOST, _xgboost_regressor, _none),
        Contender(
            FOREST, lambda X, y: RandomForestRegressor(_N_TREES, n_jobs=1, random_state=0).fit(X, y), _none
        ),
        Contender(HIST, lambda X, y: HistGradientBoostingRegressor(random_state=0).fit(X, y), _none),
    ]


def _catboost(name):
    def fit(X, y):
        machine = getattr(import_module("catboost"), name)
        return machine(thread_count=1, random_seed=0, verbose=False, allow_writing_files=False).fit(X, y)

    return fit


def _lightgbm(name):
    def fit(X, y):
        return getattr(import_module("lightgbm"), name)(n_jobs=1, random_state=0, verbose=-1).fit(X, y)

    return fit


class _Coded:
    """XGBoost classifier of classes that are not 0, 1, ..."""

    def __init__(self, X, y):
        self.encoder = LabelEncoder().fit(y)
        self.machine = import_module("xgboost").XGBClassifier(n_jobs=1, random_state=0)
        self.machine.fit(X, self.encoder.transform(y))

    def predict_proba(self, X):
        return self.machine.predict_proba(X)


def _xgboost_classifier(X, y):
    return _Coded(X, y)


def _xgboost_regressor(X, y):
    return import_module("xgboost").XGBRegressor(n_jobs=1, random_state=0).fit(X, y)


def _none(model):
    return None
