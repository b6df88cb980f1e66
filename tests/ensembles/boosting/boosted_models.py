"""Small boosted models of every library that the tests share."""

from importlib import import_module

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

TREES = 20


def problem(n_classes, n_rows=900, seed=0):
    """Rows of five features, and classes by a curved boundary with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    score = X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=n_rows)
    return X, np.digitize(score, [0.8] if n_classes == 2 else [0.4, 1.5])


def _lightgbm(**options):
    return "lightgbm", "LGBMClassifier", {"n_estimators": TREES, "verbose": -1, "n_jobs": 1, **options}


def _xgboost(**options):
    return "xgboost", "XGBClassifier", {"n_estimators": TREES, "n_jobs": 1, **options}


def _catboost(**options):
    fixed = {"iterations": TREES, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    return "catboost", "CatBoostClassifier", {**fixed, **options}


SCIKIT = {
    "gradient boosting": GradientBoostingClassifier(n_estimators=TREES, random_state=0),
    "exponential": GradientBoostingClassifier(n_estimators=TREES, loss="exponential", random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=TREES, random_state=0),
    "adaboost": AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=TREES, random_state=0),
}
OTHERS = {
    "lightgbm": _lightgbm(),
    "lightgbm dart": _lightgbm(boosting_type="dart"),
    "lightgbm forest": _lightgbm(boosting_type="rf", bagging_freq=1, bagging_fraction=0.5),
    "lightgbm one-vs-rest": _lightgbm(objective="multiclassova"),
    "xgboost": _xgboost(),
    "xgboost dart": _xgboost(booster="dart", rate_drop=0.2),
    "catboost": _catboost(),
    "catboost leafwise": _catboost(grow_policy="Lossguide"),
    "catboost one-vs-rest": _catboost(loss_function="MultiClassOneVsAll"),
}
ONLY_TWO, ONLY_THREE = {"exponential"}, {"lightgbm one-vs-rest", "catboost one-vs-rest"}


def fitted(name, n_classes, X, y):
    """Model of the given name fitted to the rows; skips where its library is not installed."""
    if name in SCIKIT:
        return SCIKIT[name].__class__(**SCIKIT[name].get_params(deep=False)).fit(X, y)
    module, kind, options = OTHERS[name]
    pytest.importorskip(module)
    return getattr(import_module(module), kind)(**options).fit(X, y)


CASES = [
    (name, n_classes)
    for n_classes in (2, 3)
    for name in [*SCIKIT, *OTHERS]
    if not (n_classes == 3 and name in ONLY_TWO) and not (n_classes == 2 and name in ONLY_THREE)
]
