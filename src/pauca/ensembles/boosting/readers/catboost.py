"""CatBoost: its JSON format, of symmetric and of other trees."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ..additive_trees import Tree, additive_trees
from ..boosted_model import BoostedModel

_LINKS = {
    "Logloss": "sigmoid",
    "CrossEntropy": "sigmoid",
    "MultiClass": "softmax",
    "MultiClassOneVsAll": "one-vs-rest",
}
_NUMBERS = dict.fromkeys(
    ("RMSE", "MAE", "Quantile", "LogCosh", "MAPE", "Lq", "Expectile", "Huber"), "identity"
) | dict.fromkeys(("Poisson", "Tweedie"), "exponential")


def read(model: Any) -> BoostedModel | None:
    """Flat trees of a CatBoost classifier or regressor; None for other models."""
    if not hasattr(model, "save_model"):
        return None
    if not model.is_fitted():
        raise ValueError("ensemble is not fitted: fit the CatBoost model first.")
    loss = str(model.get_all_params()["loss_function"]).split(":")[0]
    if loss not in _LINKS and loss not in _NUMBERS:
        known = ", ".join([*_LINKS, *_NUMBERS])
        raise ValueError(f"ensemble must have the loss {known}; its loss is {loss!r}.")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        document = json.loads(path.read_text(encoding="utf-8"))
    info = document["features_info"]
    others = [kind for kind, features in info.items() if kind != "float_features" and features]
    if others:
        raise ValueError(f"ensemble has {', '.join(others)}: only CatBoost models of numbers are read.")
    scale, bias = document["scale_and_bias"]
    base = np.atleast_1d(np.asarray(bias, dtype=float))
    columns = np.array([feature["flat_feature_index"] for feature in info["float_features"]])
    missing = np.array([feature["nan_value_treatment"] == "AsTrue" for feature in info["float_features"]])
    symmetric = document.get("oblivious_trees")
    read_one, stored = (_symmetric, symmetric) if symmetric is not None else (_nested, document["trees"])
    trees = [read_one(tree, len(base), scale, columns, missing) for tree in stored]
    flat = additive_trees(
        trees, np.zeros(len(trees), int), base, single=True, n_features=len(model.feature_names_)
    )
    if loss in _NUMBERS:
        return BoostedModel(flat, None, _NUMBERS[loss])
    return BoostedModel(flat, np.asarray(model.classes_), _LINKS[loss])


def _symmetric(tree, n_outputs, scale, columns, missing):
    """Tree with one split for each level; bit i of the index of a leaf says whether split i goes right."""
    splits = tree["splits"] or []
    depth, n_inner = len(splits), 2 ** len(splits) - 1
    _check_splits(splits)
    level = np.floor(np.log2(np.arange(1, n_inner + 1))).astype(int)
    leaf_paths = np.arange(2**depth)
    # Nodes lie as in a heap, the leaves last: the first level is the highest bit of a leaf's path.
    bits = (leaf_paths[:, None] >> (depth - 1 - np.arange(depth))) & 1
    leaves = np.reshape(tree["leaf_values"], (-1, n_outputs))[bits @ (1 << np.arange(depth))]
    n_nodes = n_inner + 2**depth
    children = 2 * np.arange(n_nodes) + 1
    feature = np.array([split["float_feature_index"] for split in splits], dtype=int)
    border = np.array([split["border"] for split in splits], dtype=np.float32).astype(float)
    is_inner = np.arange(n_nodes) < n_inner
    by_node = np.concatenate([level, np.zeros(2**depth, int)]) if depth else np.zeros(1, int)
    if not depth:
        feature, border = np.zeros(1, int), np.zeros(1)
    return Tree(
        feature=columns[feature][by_node] if depth else feature,
        threshold=border[by_node],
        left=np.where(is_inner, children, -1),
        right=np.where(is_inner, children + 1, -1),
        values=np.concatenate([np.zeros((n_inner, n_outputs)), scale * leaves]),
        missing_right=missing[feature][by_node] if depth else None,
    )


def _nested(tree, n_outputs, scale, columns, missing):
    """Tree of nested nodes; a row goes right where its feature exceeds the border."""
    nodes, left, right = [tree], [], []
    for node in nodes:  # grows while it is read
        inner = "split" in node
        left.append(len(nodes) if inner else -1)
        right.append(len(nodes) + 1 if inner else -1)
        nodes += [node["left"], node["right"]] if inner else []
    splits = [node.get("split") for node in nodes]
    _check_splits([split for split in splits if split])
    feature = np.array([split["float_feature_index"] if split else 0 for split in splits])
    border = np.array([split["border"] if split else 0 for split in splits], dtype=np.float32)
    values = [
        np.zeros(n_outputs) if s else np.atleast_1d(n["value"]) for n, s in zip(nodes, splits, strict=True)
    ]
    return Tree(
        columns[feature],
        border.astype(float),
        np.array(left),
        np.array(right),
        scale * np.array(values, dtype=float),
        missing[feature],
    )


def _check_splits(splits):
    """Every split must compare a number with a border."""
    if any(split["split_type"] != "FloatFeature" for split in splits):
        raise ValueError(
            "ensemble has splits of categories or texts: only CatBoost models of numbers are read."
        )
