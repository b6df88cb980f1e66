"""Ensembles and pruned ensembles in files: the same bits, few members, and no hostile trees."""

import pickle
from copy import deepcopy
from io import BytesIO
from zipfile import ZipFile

import numpy as np
import pytest
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pauca
from pauca import PrunedEnsembleClassifier, PrunedEnsembleRegressor

REGRESSORS = [
    BaggingRegressor(n_estimators=6, max_features=0.5),
    BaggingRegressor(MLPRegressor(hidden_layer_sizes=(3,), solver="lbfgs", max_iter=50, tol=1.0), 4),
    ExtraTreesRegressor(6, bootstrap=True),
    [Ridge(alpha) for alpha in (0.1, 1.0, 10.0)],
]
CLASSIFIERS = [
    BaggingClassifier(n_estimators=6),
    RandomForestClassifier(6),
    VotingClassifier([("logistic", LogisticRegression()), ("bayes", GaussianNB())], voting="soft"),
]


@pytest.mark.parametrize("ensemble", REGRESSORS, ids=lambda ensemble: type(ensemble).__name__)
def test_regressors(ensemble, friedman, tmp_path):
    X, y = friedman
    model = make_pipeline(StandardScaler(), PrunedEnsembleRegressor(ensemble, size=2, random_state=0)).fit(
        X, y
    )
    pauca.save(model, tmp_path / "model")
    np.testing.assert_array_equal(pauca.load(tmp_path / "model").predict(X), model.predict(X))


@pytest.mark.parametrize("ensemble", CLASSIFIERS, ids=lambda ensemble: type(ensemble).__name__)
def test_classifiers(ensemble, waveform, tmp_path):
    X, y = waveform
    model = PrunedEnsembleClassifier(ensemble, size=2, random_state=0).fit(X, y)
    pauca.save(model, tmp_path / "model")
    again = pauca.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_whole_forest(forest, waveform, tmp_path):
    pauca.save(forest, tmp_path / "model")
    X, _ = waveform
    np.testing.assert_array_equal(pauca.load(tmp_path / "model").predict_proba(X), forest.predict_proba(X))


def test_only_the_kept_members_are_stored(bagging, friedman):
    X, y = friedman
    pruned = PrunedEnsembleRegressor(bagging, size=3).fit(X, y)
    assert pruned.ensemble is bagging
    again = pickle.loads(pickle.dumps(pruned))
    assert not hasattr(again.ensemble, "estimators_")
    assert again.ensemble.get_params() == bagging.get_params()
    assert len(pickle.dumps(pruned)) < 0.2 * len(pickle.dumps(bagging))
    np.testing.assert_array_equal(again.predict(X), pruned.predict(X))


def test_an_unfitted_one_keeps_its_fitted_ensemble(bagging):
    again = pickle.loads(pickle.dumps(PrunedEnsembleRegressor(bagging)))
    assert len(again.ensemble.estimators_) == len(bagging.estimators_)


def hostile(source, destination, change):
    """A copy of a saved tree whose nodes are changed."""
    with ZipFile(source) as file, ZipFile(destination, "w") as copy:
        for name in file.namelist():
            content = file.read(name)
            if name.endswith(".npy") and b"left_child" in content:
                nodes = np.load(BytesIO(content))
                change(nodes)
                buffer = BytesIO()
                np.save(buffer, nodes)
                content = buffer.getvalue()
            copy.writestr(name, content)


def _set(field, node, value):
    def change(nodes):
        nodes[field][node] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("left_child", 0, 10**9),
        _set("right_child", 0, -7),
        _set("left_child", 0, 0),
        _set("feature", 0, 99),
        _set("feature", 0, -3),
    ],
)
def test_trees_that_point_elsewhere_are_refused(change, forest, tmp_path):
    pauca.save(forest, tmp_path / "model")
    hostile(tmp_path / "model", tmp_path / "hostile", change)
    with pytest.raises(ValueError, match="tree has nodes that do not exist"):
        pauca.load(tmp_path / "hostile")


def test_trees_that_want_more_features_are_refused(forest, tmp_path):
    changed = deepcopy(forest)
    changed.estimators_[3].n_features_in_ = 2
    pauca.save(changed, tmp_path / "model")
    with pytest.raises(ValueError, match="tree has nodes that do not exist"):
        pauca.load(tmp_path / "model")
