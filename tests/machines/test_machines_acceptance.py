"""Errors and numbers of vectors that relevance vector machines must reach."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pauca import RVMClassifier, RVMRegressor
from pauca.datasets import load, make_sinc, sinc_function


@pytest.fixture
def ripley(data_directory):
    """Ripley's synthetic data: 250 rows to train, 1000 to test."""
    data = load("ripley_synth", download=False)
    train, test = data.splits[0]
    return data.X[train], data.y[train], data.X[test], data.y[test]


@pytest.mark.slow
def test_ripley(ripley):
    X, y, new, truth = ripley
    assert (len(y), len(truth)) == (250, 1000)
    machine = RVMClassifier().fit(X, y)
    assert np.mean(machine.predict(new) != truth) <= 0.095
    assert len(machine.relevance_) <= 8
    grid = {"svc__C": 10.0 ** np.arange(-1, 4), "svc__gamma": 10.0 ** np.arange(-2, 3)}
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=5).fit(X, y)
    rival = CalibratedClassifierCV(search.best_estimator_, cv=5, ensemble=False).fit(X, y)
    ours, theirs = (log_loss(truth, model.predict_proba(new)) for model in (machine, rival))
    assert ours < theirs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "evenly", "limit", "n_seeds"),
    [(100, True, 0.05, 8), (100, False, 0.05, 8), (50, True, 0.05, 12), (50, False, 0.06, 12)],
)
def test_sinc(n, evenly, limit, n_seeds):
    grid = np.linspace(-10, 10, 400)[:, None]
    errors, noises, sizes = [], [], []
    for seed in range(n_seeds):
        machine = RVMRegressor().fit(*make_sinc(n, noise=0.1, grid=evenly, random_state=seed))
        errors.append(np.sqrt(np.mean((machine.predict(grid) - sinc_function(grid[:, 0])) ** 2)))
        noises.append(machine.noise_std_)
        sizes.append(len(machine.relevance_))
    assert np.mean(errors) <= limit
    np.testing.assert_allclose(np.mean(noises), 0.1, rtol=0.2)
    assert np.mean(sizes) <= 10
