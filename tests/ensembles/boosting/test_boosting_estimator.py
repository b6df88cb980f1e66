"""scikit-learn's contract for early exit of boosted classifiers."""

import pickle

import numpy as np
import pandas as pd
import pytest
from boosted_models import fitted, problem
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import InstancePrunedBoostingClassifier

SMALL = GradientBoostingClassifier(n_estimators=5, random_state=0)


@pytest.mark.slow
@parametrize_with_checks(
    [
        InstancePrunedBoostingClassifier(HistGradientBoostingClassifier(max_iter=5, random_state=0)),
        # With a lower confidence the class may differ from the most probable one, as it is meant to.
        InstancePrunedBoostingClassifier(SMALL, 0.95, random_state=0),
    ]
)
def test_variants(estimator, check):
    check(estimator)


@parametrize_with_checks([InstancePrunedBoostingClassifier(SMALL, random_state=0)])
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", ["histograms", "lightgbm", "xgboost", "catboost"])
def test_pickles_and_clones(name):
    X, y = problem(3)
    ours = InstancePrunedBoostingClassifier(fitted(name, 3, X, y), 0.95).calibrate(X)
    again = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(ours.predict(X), again.predict(X))
    assert again.disagreement_bound_ == ours.disagreement_bound_ > 0
    assert clone(ours).get_params()["confidence"] == 0.95


def test_names_of_columns():
    X, y = problem(2, 200)
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(frame, y)
    ours = InstancePrunedBoostingClassifier(model)
    assert np.array_equal(ours.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        ours.predict(frame[list("bacde")])


def test_a_new_fit_of_the_ensemble_is_noticed():
    X, y = problem(2, 200)
    ours = InstancePrunedBoostingClassifier(clone(SMALL)).fit(X, y)
    first = ours.predict(X)
    ours.fit(X, 1 - y)
    assert np.mean(first == ours.predict(X)) < 0.5


def test_errors():
    X, y = problem(2, 100)
    with pytest.raises(NotFittedError):
        InstancePrunedBoostingClassifier().predict(X)
    with pytest.raises(ValueError, match="confidence"):
        InstancePrunedBoostingClassifier(confidence=0.3).fit(X, y)
    ours = InstancePrunedBoostingClassifier(clone(SMALL)).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        ours.predict(X[:, :3])
    with pytest.raises(ValueError, match="tolerance"):
        InstancePrunedBoostingClassifier(clone(SMALL), tolerance=-1).fit(X, y)


@pytest.mark.parametrize("name", ["lightgbm", "xgboost"])
def test_wrong_number_of_columns_of_other_libraries(name):
    X, y = problem(2, 100)
    ours = InstancePrunedBoostingClassifier(fitted(name, 2, X, y))
    with pytest.raises(ValueError, match="X has 3 features, but the ensemble is expecting 5"):
        ours.predict(X[:, :3])
