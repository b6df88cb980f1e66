"""scikit-learn: gradient boosting, histogram gradient boosting, and AdaBoost of trees."""

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.tree import BaseDecisionTree

from ...members import LEAST_PROBABILITY, averages_logarithms
from ..additive_trees import CATEGORIES, NUMBER, Tree, additive_trees
from ..boosted_model import BoostedModel

# Losses of histogram gradient boosting whose scores are logarithms.
_LOG_LINKS = "poisson", "gamma"


def read(model: Any) -> BoostedModel | None:
    """Flat trees of a boosted model of scikit-learn; None for other models."""
    if isinstance(model, GradientBoostingClassifier | GradientBoostingRegressor):
        return _gradient_boosting(model)
    if isinstance(model, HistGradientBoostingClassifier | HistGradientBoostingRegressor):
        return _histogram_boosting(model)
    if isinstance(model, AdaBoostClassifier):
        return _adaboost(model)
    return None


def _gradient_boosting(model):
    """Gradient boosting: scores are the initial ones plus learning_rate times the trees."""
    if model.init_ != "zero" and not isinstance(model.init_, DummyClassifier | DummyRegressor):
        raise ValueError("ensemble starts from another estimator (init): early exit needs a constant start.")
    base = model._raw_predict_init(np.zeros((1, model.n_features_in_), dtype=np.float32))[0]
    trees = [
        _plain(tree.tree_, model.learning_rate * tree.tree_.value[:, 0, :1])
        for tree in model.estimators_.ravel()
    ]
    flat = additive_trees(
        *(trees, np.arange(len(trees)) % len(base), base), single=True, n_features=model.n_features_in_
    )
    if not is_classifier(model):
        return BoostedModel(flat, None, "identity")
    is_exponential = model.loss == "exponential"
    link, steepness = ("sigmoid", 2.0 if is_exponential else 1.0) if len(base) == 1 else ("softmax", 1.0)
    return BoostedModel(flat, model.classes_, link, steepness, positive_at_zero=True)


def _histogram_boosting(model):
    """Histogram gradient boosting: scores are the baseline plus the trees, already scaled."""
    predictors = [tree for trees in model._predictors for tree in trees]
    base = np.asarray(model._baseline_prediction, dtype=float).ravel()
    flat = additive_trees(
        *([_histogram_tree(tree) for tree in predictors], np.arange(len(predictors)) % len(base), base),
        single=False,
        n_features=model._n_features,
    )
    prepare = None if model._preprocessor is None else _encode(model)
    if not is_classifier(model):
        link = "exponential" if model.loss in _LOG_LINKS else "identity"
        return BoostedModel(flat, None, link, prepare=prepare)
    return BoostedModel(flat, model.classes_, "sigmoid" if len(base) == 1 else "softmax", prepare=prepare)


def _encode(model):
    """Function from rows to the model's own encoding of categories."""
    return lambda X: model._preprocess_X(X, reset=False)


def _histogram_tree(predictor):
    nodes = predictor.nodes
    leaf, category = nodes["is_leaf"] > 0, (nodes["is_categorical"] > 0) & (nodes["is_leaf"] == 0)
    bits = predictor.raw_left_cat_bitsets
    return Tree(
        feature=nodes["feature_idx"].astype(int),
        threshold=nodes["num_threshold"],
        left=np.where(leaf, -1, nodes["left"].astype(int)),
        right=np.where(leaf, -1, nodes["right"].astype(int)),
        values=np.where(leaf, nodes["value"], 0.0)[:, None],
        missing_right=nodes["missing_go_to_left"] == 0,
        kinds=np.where(category, CATEGORIES, NUMBER),
        categories={
            int(node): np.flatnonzero((bits[nodes["bitset_idx"][node], :, None] >> np.arange(32)) & 1)
            for node in np.flatnonzero(category)
        },
    )


def _adaboost(model):
    """AdaBoostClassifier of trees: each votes for a class with its weight (SAMME, Zhu et al. 2009).

    Votes for the other classes count -1 / (n_classes - 1). Divided by the sum of the weights and by the
    number of other classes, votes are the scores of scikit-learn's softmax. SAMME.R has the logarithms of
    probabilities, less their mean over the classes, in place of votes, not divided by the number of classes.
    """
    if not all(isinstance(member, BaseDecisionTree) for member in model.estimators_):
        return None
    n_classes, trees = len(model.classes_), []
    total = model.estimator_weights_.sum() * (n_classes - 1)
    for member, weight in zip(model.estimators_, model.estimator_weights_, strict=False):
        if averages_logarithms(model):
            votes = _centred_logarithms(member.tree_.value[:, 0]) * (n_classes - 1)
        else:
            label = member.classes_[member.tree_.value[:, 0].argmax(axis=1)]
            code = np.searchsorted(model.classes_, label)
            votes = np.where(code[:, None] == np.arange(n_classes), 1.0, -1.0 / (n_classes - 1))
        trees.append(_plain(member.tree_, votes * (weight / total)))
    flat = additive_trees(
        *(trees, np.zeros(len(trees), int), np.zeros(n_classes)), single=True, n_features=model.n_features_in_
    )
    return BoostedModel(flat, model.classes_, "softmax")


def _centred_logarithms(values):
    """Logarithms of the probabilities in the leaves, less their mean over the classes."""
    p = values / values.sum(axis=1, keepdims=True)
    logarithms = np.log(np.maximum(p, LEAST_PROBABILITY))
    return logarithms - logarithms.mean(axis=1, keepdims=True)


def _plain(tree, values):
    """Tree of scikit-learn with the given values of its nodes."""
    left = np.asarray(tree.children_left)
    return Tree(
        feature=np.asarray(tree.feature),
        threshold=np.asarray(tree.threshold),
        left=left,
        right=np.asarray(tree.children_right),
        values=np.where(left[:, None] < 0, values, 0.0),
        missing_right=np.asarray(tree.missing_go_to_left) == 0,
    )
