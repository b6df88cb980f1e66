"""Boosted and early-exit ensembles in files: same bits after loading, hostile nodes refused."""

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.neighbors import KNeighborsClassifier

import pauca
from pauca import (
    AdaptiveForestClassifier,
    InstancePrunedBoostingClassifier,
    InstancePrunedClassifier,
    InstancePrunedRegressor,
    PrunedBoostingClassifier,
)
from pauca.ensembles import InstancePrunedWeightedClassifier
from pauca.persistence import UntrustedModel

RNG = np.random.RandomState(0)
X = RNG.randn(200, 4)
X[:, 3] = RNG.randint(0, 5, 200)
Y = (X[:, 0] + (X[:, 3] % 2) + X[:, 1] ** 2 > 1).astype(int)

MODELS = {
    "histograms": HistGradientBoostingClassifier(max_iter=5),
    "histograms with categories": HistGradientBoostingClassifier(max_iter=5, categorical_features=[3]),
    "histograms of numbers": HistGradientBoostingRegressor(max_iter=5),
    "neighbours": KNeighborsClassifier(algorithm="brute"),
    "boosting": InstancePrunedBoostingClassifier(GradientBoostingClassifier(n_estimators=5)),
    "boosting by histograms": InstancePrunedBoostingClassifier(
        HistGradientBoostingClassifier(max_iter=5, categorical_features=[3])
    ),
    "calibrated boosting": InstancePrunedBoostingClassifier(HistGradientBoostingClassifier(max_iter=5), 0.9),
    "pruned boosting": PrunedBoostingClassifier(HistGradientBoostingClassifier(max_iter=10)),
    "weighted votes": InstancePrunedWeightedClassifier(AdaBoostClassifier(n_estimators=5)),
    "votes in random order": InstancePrunedWeightedClassifier(AdaBoostClassifier(n_estimators=25), 0.8),
    "votes": InstancePrunedClassifier(RandomForestClassifier(25), 0.8),
    "means in random order": InstancePrunedRegressor(RandomForestRegressor(25), 0.3),
    "adaptive": AdaptiveForestClassifier(0.9, max_trees=50),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
def test_the_loaded_model_gives_the_same_bits(name, tmp_path):
    model = MODELS[name].fit(X, Y)
    pauca.save(model, tmp_path / "m.skops")
    loaded = pauca.load(tmp_path / "m.skops")
    for method in ("predict", "predict_proba"):
        if hasattr(model, method):
            assert np.array_equal(getattr(loaded, method)(X), getattr(model, method)(X))


def test_search_trees_of_neighbours_name_the_remedy(tmp_path):
    with pytest.raises(UntrustedModel, match='algorithm="brute"'):
        pauca.save(KNeighborsClassifier(algorithm="kd_tree").fit(X, Y), tmp_path / "m.skops")


def test_models_of_other_libraries_name_the_remedy(tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1).fit(X, Y)
    with pytest.raises(UntrustedModel, match="in its own format"):
        pauca.save(InstancePrunedBoostingClassifier(model), tmp_path / "m.skops")


def _node(field, value):
    def edit(model):
        nodes = model._predictors[1][0].nodes
        nodes[field][np.flatnonzero(nodes["is_leaf"] == 0)[0]] = value

    return edit


def _set(name, value):
    return lambda model: setattr(model, name, value)


def _no_sets(model):
    for predictor in (each for trees in model._predictors for each in trees):
        predictor.raw_left_cat_bitsets = predictor.raw_left_cat_bitsets[:0]


def _large_code(model):
    model._bin_mapper.bin_thresholds_[0] = np.array([0.0, 4000.0])


def _no_categories(model):
    model._bin_mapper.is_categorical_ = np.zeros_like(model._bin_mapper.is_categorical_)


def _fewer_columns(model):
    name, encoder, _ = model._preprocessor.transformers_[0]
    model._preprocessor.transformers_[0] = name, encoder, np.zeros(4, dtype=bool)


HOSTILE = {
    "left beyond the nodes": _node("left", 10**6),
    "right to the root": _node("right", 0),
    "no such feature": _node("feature_idx", 4),
    "negative feature": _node("feature_idx", -1),
    "no sets of categories": _no_sets,
    "code beyond the set": _large_code,
    "no feature of categories": _no_categories,
    "more features than columns": _set("_n_features", 9),
    "encoding of fewer columns": _fewer_columns,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nodes_that_lead_nowhere_are_refused(name, tmp_path):
    model = HistGradientBoostingClassifier(max_iter=5, categorical_features=[3]).fit(X, Y)
    HOSTILE[name](model)
    pauca.save(model, tmp_path / "m.skops")
    with pytest.raises(ValueError, match="nodes that do not exist"):
        pauca.load(tmp_path / "m.skops")


@pytest.mark.parametrize(
    ("name", "value"),
    [("roots", 10**6), ("outputs", 3), ("outputs", -1), ("child", 10**6), ("feature", 7), ("kinds", 3)],
)
def test_flat_trees_that_lead_nowhere_are_refused(name, value, tmp_path):
    model = PrunedBoostingClassifier(HistGradientBoostingClassifier(max_iter=10)).fit(X, Y)
    trees = model._exits.trees
    array = trees.nodes[name] if name in ("child", "feature") else getattr(trees, name)
    array[0] = value
    pauca.save(model, tmp_path / "m.skops")
    with pytest.raises(ValueError, match="nodes that do not exist"):
        pauca.load(tmp_path / "m.skops")
