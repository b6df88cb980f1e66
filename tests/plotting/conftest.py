"""Axes, and small fitted machines."""

import pytest
from matplotlib.figure import Figure

from pauca import RVMClassifier, RVMRegressor
from pauca.datasets import make_ripley, make_sinc


@pytest.fixture(scope="session")
def sinc():
    X, y = make_sinc(50, random_state=0)
    return RVMRegressor(gamma=0.1, inference="variational").fit(X, y), X, y


@pytest.fixture(scope="session")
def ripley():
    X, y = make_ripley(100, random_state=0)
    return RVMClassifier(gamma=1.0).fit(X, y), X, y


@pytest.fixture
def ax():
    return Figure().subplots()
