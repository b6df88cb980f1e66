"""Checks of boosted trees from a file: compiled code follows their nodes without looking."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder

# Words of 32 bits in a set of categories, and its largest code, in scikit-learn.
_WORDS, _LARGEST_CODE = 8, 255
# Kinds of nodes of flat trees, the last one a set of categories.
_CATEGORIES = 3


def check_boosted_trees(value: Any) -> None:
    """Refuse histogram boosting of scikit-learn, and flat trees, whose nodes lead outside their arrays."""
    known = getattr(value, "__dict__", {})
    if "_predictors" in known and "_bin_mapper" in known:
        _check_histogram_boosting(value)
    elif {"nodes", "values", "kinds", "missing_right", "words", "roots"} <= known.keys():
        _check_flat_trees(value)
    elif {"nodes", "low", "high"} <= known.keys():
        _check_router(value)


def _check_histogram_boosting(model):
    """Nodes of a histogram boosting model of scikit-learn, its bit sets and its encoding of categories."""
    n_features, mapper = int(model._n_features), model._bin_mapper
    is_category = np.asarray(mapper.is_categorical_) != 0
    _require(n_features == model.n_features_in_ and is_category.shape == (n_features,))
    _require(len(mapper.bin_thresholds_) == n_features)
    for column in np.flatnonzero(is_category):
        codes = np.asarray(mapper.bin_thresholds_[column], dtype=float)
        _require(bool(((codes >= 0) & (codes <= _LARGEST_CODE)).all()))
    if getattr(model, "_preprocessor", None) is not None:
        _check_encoding(model._preprocessor, n_features)
    for predictor in (each for trees in model._predictors for each in trees):
        _check_predictor(predictor, is_category)


def _check_predictor(predictor, is_category):
    nodes, sets = predictor.nodes, np.asarray(predictor.raw_left_cat_bitsets)
    _require(nodes.dtype == PREDICTOR_RECORD_DTYPE and nodes.ndim == 1 and len(nodes) > 0)
    _require(sets.dtype == np.uint32 and sets.ndim == 2 and sets.shape[1] == _WORDS)
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    for side in ("left", "right"):
        child = nodes[side][inner].astype(np.int64)
        _require(bool(((child > inner) & (child < len(nodes))).all()))
    feature = nodes["feature_idx"][inner]
    _require(bool(((feature >= 0) & (feature < len(is_category))).all()))
    by_set = nodes["is_categorical"][inner] != 0
    _require(bool((nodes["bitset_idx"][inner][by_set] < len(sets)).all()))
    _require(bool(is_category[feature[by_set]].all()))


def _check_encoding(preprocessor, n_features):
    """The encoding must give every feature one column, as scikit-learn's own does."""
    _require(type(preprocessor) is ColumnTransformer and len(preprocessor.transformers_) in (2, 3))
    (_, encoder, first), (_, rest, second), *others = preprocessor.transformers_
    _require(all(isinstance(kind, str) and kind == "drop" for _, kind, _ in others))
    _require(type(encoder) is OrdinalEncoder and type(rest) is FunctionTransformer)
    masks = np.asarray(first), np.asarray(second)
    _require(all(mask.dtype == bool and mask.shape == (n_features,) for mask in masks))
    _require(bool((masks[0] ^ masks[1]).all()) and len(encoder.categories_) == masks[0].sum())


def _check_flat_trees(trees):
    """Nodes, roots and outputs of additive trees; values, kinds and sets of categories go with the nodes."""
    n_nodes, n_outputs = len(trees.nodes), len(trees.base)
    _check_children(trees.nodes, trees.n_features)
    arrays = trees.values, trees.kinds, trees.missing_right
    _require(trees.values.ndim == 2 and all(len(array) == n_nodes for array in arrays))
    _require(trees.values.shape[1] == trees.width > 0 and n_outputs % trees.width == 0)
    _require(len(trees.roots) == len(trees.outputs) == len(trees.sizes))
    for numbers, most in ((trees.roots, n_nodes - 1), (trees.outputs, n_outputs - trees.width)):
        _require(bool(((numbers >= 0) & (numbers <= most)).all()))
    _require(bool((trees.roots.astype(np.int64) + trees.sizes <= n_nodes).all()))
    by_set = trees.kinds == _CATEGORIES
    place = trees.nodes["threshold"][by_set]
    _require(bool(((place >= 0) & (place < len(trees.words))).all()))
    starts = place.astype(np.int64)
    _require(bool((starts + trees.words[starts].astype(np.int64) < len(trees.words)).all()))


def _check_router(router):
    """Nodes of a router, whose leaves name one of its cells."""
    nodes = router.nodes
    _check_children(nodes, None)
    leaf = nodes["child"] == np.arange(len(nodes))
    _require(router.low.ndim == 2 and router.low.shape == router.high.shape)
    n_cells, n_features = router.low.shape
    for places, most in ((leaf, n_cells), (~leaf, n_features)):
        found = nodes["feature"][places]
        _require(bool(((found >= 0) & (found < most)).all()))


def _check_children(nodes: NDArray, n_features: int | None) -> None:
    """Every node is a leaf, which leads to itself, or leads to two later ones."""
    _require(nodes.ndim == 1 and len(nodes) > 0 and nodes.dtype.names is not None)
    places, child = np.arange(len(nodes)), nodes["child"].astype(np.int64)
    inner = child != places
    _require(bool(((child > places) & (child + 1 < len(nodes)))[inner].all()))
    if n_features is not None:
        _require(bool(((nodes["feature"] >= 0) & (nodes["feature"] < n_features)).all()))


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("a boosted tree has nodes that do not exist")
