"""Small problems and ensembles that the tests of ensembles share."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingRegressor, RandomForestClassifier

from pauca.datasets import make_friedman1, make_waveform


@pytest.fixture(scope="session")
def friedman():
    return make_friedman1(120, random_state=0)


@pytest.fixture(scope="session")
def bagging(friedman):
    return BaggingRegressor(n_estimators=24, random_state=0).fit(*friedman)


@pytest.fixture(scope="session")
def waveform():
    X, y = make_waveform(150, random_state=0)
    return X, np.array(["eins", "zwei", "drei"])[np.unique(y, return_inverse=True)[1]]


@pytest.fixture(scope="session")
def forest(waveform):
    return RandomForestClassifier(25, min_samples_leaf=3, random_state=0).fit(*waveform)


@pytest.fixture(scope="session")
def outputs(bagging, friedman):
    """Predictions of bagged trees for their training rows, and the targets."""
    X, y = friedman
    return np.stack([member.predict(X) for member in bagging.estimators_]), y


@pytest.fixture(scope="session")
def votes(forest, waveform):
    """Votes of the trees of a forest on their training rows, and the classes."""
    X, y = waveform
    codes = np.stack([member.predict(X) for member in forest.estimators_]).astype(int)
    return forest.classes_[codes], y
