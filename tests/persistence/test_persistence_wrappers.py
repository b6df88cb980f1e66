"""Calibration, searches and other wrappers of scikit-learn can be saved."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, Matern, WhiteKernel
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import pauca
from pauca import RVMClassifier, SparseGPClassifier
from pauca.persistence import UntrustedModel

X, Y = load_iris(return_X_y=True)
X, Y = X[40:110:2], (Y[40:110:2] > 0).astype(int)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)

WRAPPED = {
    "calibrated": CalibratedClassifierCV(SVC(), cv=3),
    "calibrated together": CalibratedClassifierCV(SVC(), ensemble=False, cv=FOLDS),
    "isotonic": CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=3),
    "grid": GridSearchCV(SVC(), {"C": [1, 10]}, cv=FOLDS),
    "grid of a pipeline": GridSearchCV(
        make_pipeline(StandardScaler(), SparseGPClassifier()), {"sparsegpclassifier__min_gain": [0.1]}, cv=2
    ),
    "random search": RandomizedSearchCV(SVC(), {"C": [1, 10]}, n_iter=1, cv=3, random_state=0),
    "scored search": GridSearchCV(SVC(), {"C": [1, 10]}, cv=3, scoring="balanced_accuracy"),
    "threshold": TunedThresholdClassifierCV(LogisticRegression(), cv=3),
    "one against the rest": OneVsRestClassifier(RVMClassifier()),
    "one against one": OneVsOneClassifier(SVC()),
    "codes": OutputCodeClassifier(SVC(), random_state=0),
    "best features": make_pipeline(SelectKBest(k=2), LogisticRegression()),
    "process": GaussianProcessClassifier(1.0 * RBF()),
    "process of numbers": GaussianProcessRegressor(1.0 * Matern() + WhiteKernel()),
    "targets": TransformedTargetRegressor(SVR(), transformer=StandardScaler()),
    "ridge": RidgeCV(),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", WRAPPED)
def test_wrapped_model_gives_the_same_bits(name, tmp_path):
    model = WRAPPED[name].fit(X, Y)
    pauca.save(model, tmp_path / "m.skops")
    loaded = pauca.load(tmp_path / "m.skops")
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, method):
            np.testing.assert_array_equal(getattr(loaded, method)(X), getattr(model, method)(X))


def test_a_scorer_of_the_user_is_refused(tmp_path):
    def score(machine, X, y):
        return 1.0

    model = GridSearchCV(SVC(), {"C": [1]}, scoring=score, cv=3).fit(X, Y)
    with pytest.raises(UntrustedModel, match="score"):
        pauca.save(model, tmp_path / "m.skops")
    assert not (tmp_path / "m.skops").exists()
