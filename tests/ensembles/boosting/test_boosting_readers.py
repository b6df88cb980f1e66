"""Flat trees against the predictions of the libraries that they were read from."""

from importlib import import_module

import numpy as np
import pytest
from boosted_models import CASES, OTHERS, TREES, fitted, problem
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import pauca
from pauca import InstancePrunedBoostingClassifier, PrunedBoostingClassifier
from pauca.ensembles import InstancePrunedWeightedClassifier, read_boosting

# Single precision of XGBoost's own sums.
TOLERANCE = 1e-6


@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_probabilities_and_classes_are_those_of_the_library(name, n_classes):
    X, y = problem(n_classes)
    model = fitted(name, n_classes, X[:600], y[:600])
    ours = InstancePrunedBoostingClassifier(model)
    p, queries = ours.predict_proba(X[600:], return_queries=True)
    np.testing.assert_allclose(p, model.predict_proba(X[600:]), atol=TOLERANCE)
    assert queries.min() >= ours.n_members_ - 1  # one whose leaves agree may be left out
    labels, queries = ours.predict(X[600:], return_queries=True)
    assert np.array_equal(labels, np.ravel(model.predict(X[600:])))
    assert queries.mean() < ours.n_members_
    singly = [ours.predict(row[None].copy())[0] for row in X[600:660]]
    assert np.array_equal(singly, labels[:60])


@pytest.mark.parametrize("name", ["histograms", "lightgbm", "xgboost", "catboost"])
@pytest.mark.parametrize("seen", [True, False])
def test_missing_values_go_where_the_library_sends_them(name, seen):
    X, y = problem(2)
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
    model = fitted(name, 2, holes[:600] if seen else X[:600], y[:600])
    ours = InstancePrunedBoostingClassifier(model)
    np.testing.assert_allclose(
        ours.predict_proba(holes[600:]), model.predict_proba(holes[600:]), atol=TOLERANCE
    )
    assert np.array_equal(ours.predict(holes[600:]), np.ravel(model.predict(holes[600:])))


def with_categories():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 40, 900), rng.normal(size=900), rng.integers(0, 3, 900)])
    return X.astype(float), (np.isin(X[:, 0], [1, 5, 7, 33, 38]) ^ (X[:, 1] > 0.3)).astype(int)


@pytest.mark.parametrize("name", ["histograms", "lightgbm", "xgboost"])
def test_splits_of_categories(name):
    X, y = with_categories()
    if name == "histograms":
        model = HistGradientBoostingClassifier(max_iter=TREES, categorical_features=[0, 2]).fit(X, y)
    elif name == "lightgbm":
        lightgbm = pytest.importorskip("lightgbm")
        data = lightgbm.Dataset(X, y, categorical_feature=[0, 2])
        settings = {"objective": "binary", "verbose": -1, "num_threads": 1, "min_data_per_group": 5}
        model = lightgbm.train(settings, data, TREES)
    else:
        xgboost = pytest.importorskip("xgboost")
        options = {"enable_categorical": True, "feature_types": ["c", "q", "c"], "max_cat_to_onehot": 1}
        model = xgboost.XGBClassifier(n_estimators=TREES, n_jobs=1, **options).fit(X, y)
    rows = X.copy()
    rows[::7, 0] = np.nan
    ours = InstancePrunedBoostingClassifier(model)
    p = ours.predict_proba(rows)
    expected = model.predict(rows) if name == "lightgbm" else model.predict_proba(rows)[:, 1]
    np.testing.assert_allclose(p[:, 1], expected, atol=TOLERANCE)
    assert np.array_equal(ours.predict(rows), expected > 0.5)


def test_zeros_that_lightgbm_takes_as_missing():
    lightgbm = pytest.importorskip("lightgbm")
    X, y = problem(2)
    X[np.random.default_rng(0).random(X.shape) < 0.3] = 0.0
    model = lightgbm.LGBMClassifier(n_estimators=TREES, verbose=-1, zero_as_missing=True, n_jobs=1).fit(X, y)
    X[::5, 0] = np.nan
    np.testing.assert_allclose(
        InstancePrunedBoostingClassifier(model).predict_proba(X), model.predict_proba(X), atol=1e-12
    )


@pytest.mark.parametrize("module", ["lightgbm", "xgboost"])
def test_boosters_and_early_stopping(module):
    library = pytest.importorskip(module)
    X, y = problem(2)
    if module == "lightgbm":
        settings = {"objective": "binary", "verbose": -1, "num_threads": 1, "learning_rate": 0.5}
        data = library.Dataset(X[:500], y[:500])
        checks = {"valid_sets": [data.create_valid(X[500:], y[500:])]}
        stopping = [library.early_stopping(5, verbose=False)]
        model = booster = library.train(settings, data, 400, **checks, callbacks=stopping)
        n_trees = booster.best_iteration
    else:
        model = library.XGBClassifier(n_estimators=400, early_stopping_rounds=5, learning_rate=0.5, n_jobs=1)
        model.fit(X[:500], y[:500], eval_set=[(X[500:], y[500:])], verbose=False)
        booster, n_trees = model.get_booster(), model.best_iteration + 1
    expected = model.predict(X) if module == "lightgbm" else model.predict_proba(X)[:, 1]
    for given in (model, booster):
        ours = InstancePrunedBoostingClassifier(given)
        assert ours.n_members_ == n_trees < 400
        np.testing.assert_allclose(ours.predict_proba(X)[:, 1], expected, atol=TOLERANCE)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LogisticRegression(), "must be a fitted gradient boosting model"),
        (RandomForestClassifier(3), "must be a fitted gradient boosting model"),
        (GradientBoostingClassifier(n_estimators=3, init=LogisticRegression()), "starts from another"),
    ],
)
def test_models_that_are_not_read(model, message):
    X, y = problem(2, 100)
    with pytest.raises(ValueError, match=message):
        read_boosting(model.fit(X, y))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("lightgbm", {"linear_tree": True}, "linear trees"),
        ("lightgbm", {"objective": "cross_entropy"}, "objective"),
        ("xgboost", {"booster": "gblinear"}, "must have trees"),
        ("xgboost", {"num_parallel_tree": 2}, "num_parallel_tree"),
    ],
)
def test_kinds_of_trees_that_are_not_read(name, options, message):
    module, kind, fixed = OTHERS[name]
    pytest.importorskip(module)
    X, y = problem(2, 200)
    model = getattr(import_module(module), kind)(**{**fixed, **options}).fit(X, y)
    with pytest.raises(ValueError, match=message):
        read_boosting(model)


def test_catboost_with_categories_is_an_error():
    catboost = pytest.importorskip("catboost")
    X = [[i % 3, float(i)] for i in range(60)]
    model = catboost.CatBoostClassifier(iterations=2, verbose=0, allow_writing_files=False)
    model.fit(X, [i % 2 for i in range(60)], cat_features=[0])
    with pytest.raises(ValueError, match="only CatBoost models of numbers"):
        read_boosting(model)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_logarithms_of_probabilities_of_old_adaboost(n_classes):
    # SAMME.R of scikit-learn before 1.6, which newer versions cannot train: its scores by its formula.
    X, y = problem(n_classes)
    tree = DecisionTreeClassifier(max_depth=3, min_samples_leaf=5)
    model = AdaBoostClassifier(tree, n_estimators=15, random_state=0).fit(X[:600], y[:600])
    model.algorithm, model.estimator_weights_ = "SAMME.R", np.ones(15)
    scores = np.zeros((300, n_classes))
    for member in model.estimators_:
        logarithms = np.log(np.maximum(member.predict_proba(X[600:]), np.finfo(float).eps))
        scores += logarithms - logarithms.mean(axis=1, keepdims=True)
    labels = scores.argmax(axis=1)
    for kind in (InstancePrunedBoostingClassifier, InstancePrunedWeightedClassifier):
        found, queries = kind(model).predict(X[600:], return_queries=True)
        assert np.array_equal(found, labels)
        assert queries.mean() < len(model.estimators_)
    powers = np.exp(scores / len(model.estimators_))
    p = InstancePrunedBoostingClassifier(model).predict_proba(X[600:])
    np.testing.assert_allclose(p, powers / powers.sum(axis=1, keepdims=True), atol=1e-12)


def test_logarithms_of_members_that_are_no_trees():
    X, y = problem(3)
    model = AdaBoostClassifier(LogisticRegression(), n_estimators=8, random_state=0).fit(X[:600], y[:600])
    model.algorithm, model.estimator_weights_ = "SAMME.R", np.ones(len(model.estimators_))
    scores = sum(np.log(member.predict_proba(X[600:])) for member in model.estimators_)
    assert np.array_equal(InstancePrunedWeightedClassifier(model).predict(X[600:]), scores.argmax(axis=1))


def test_what_was_read_stands_for_the_model(tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    X, y = problem(3)
    booster = lightgbm.LGBMClassifier(n_estimators=10, verbose=-1).fit(X[:300], y[:300]).booster_
    few = PrunedBoostingClassifier(booster).fit(X[300:600], y[300:600])
    for kind in (InstancePrunedBoostingClassifier, PrunedBoostingClassifier):
        ours = kind(read_boosting(booster))
        ours = ours.fit(X[300:600], y[300:600]) if kind is PrunedBoostingClassifier else ours
        expected = few if kind is PrunedBoostingClassifier else kind(booster)
        assert np.array_equal(ours.predict(X[600:]), expected.predict(X[600:]))
        pauca.save(ours, tmp_path / "m.skops")
        assert np.array_equal(pauca.load(tmp_path / "m.skops").predict(X[600:]), ours.predict(X[600:]))
    with pytest.raises(TypeError, match="an estimator to be trained; got BoostedModel"):
        InstancePrunedBoostingClassifier(read_boosting(booster)).fit(X, y)
