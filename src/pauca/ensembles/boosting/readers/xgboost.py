"""XGBoost: the JSON of ``Booster.save_raw``."""

import json
from typing import Any

import numpy as np

from ..additive_trees import CATEGORIES, NUMBER, Tree, additive_trees
from ..boosted_model import BoostedModel

_LINKS = {
    "binary:logistic": "sigmoid",
    "binary:logitraw": "sigmoid",
    "multi:softprob": "softmax",
    "multi:softmax": "softmax",
}
_NUMBERS = dict.fromkeys(
    ("reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:quantileerror"), "identity"
) | dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie"), "exponential")


def read(model: Any) -> BoostedModel | None:
    """Flat trees of an XGBoost classifier, regressor or Booster; None for other models."""
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    if not hasattr(booster, "save_raw"):
        return None
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    objective, gradient_booster = learner["objective"]["name"], learner["gradient_booster"]
    _check_codes(gradient_booster)
    if objective not in _LINKS and objective not in _NUMBERS:
        raise ValueError(
            f"ensemble must be an XGBoost model with the objective {', '.join([*_LINKS, *_NUMBERS])}; its "
            f"objective is {objective!r}."
        )
    trees, outputs = _trees(gradient_booster)
    n_outputs = max(int(learner["learner_model_param"]["num_class"]), 1)
    if objective in _NUMBERS and max(outputs, default=0) > 0:
        raise ValueError("ensemble has several outputs; early exit reads regressors of one.")
    kept = (_last_round(booster) or len(trees) // n_outputs) * n_outputs
    flat = additive_trees(
        *(trees[:kept], outputs[:kept], _base(learner, objective, n_outputs)),
        single=True,
        n_features=int(learner["learner_model_param"]["num_feature"]),
    )
    if objective in _NUMBERS:
        return BoostedModel(flat, None, _NUMBERS[objective])
    classes = getattr(model, "classes_", np.arange(max(n_outputs, 2)))
    return BoostedModel(flat, np.asarray(classes), _LINKS[objective])


def _check_codes(booster):
    """Categories must be their codes: XGBoost translates others, which arrays of numbers cannot express."""
    for kind in booster.get("gbtree", booster).get("model", {}).get("cats", {}).get("enc", []):
        if kind["values"] != list(range(len(kind["values"]))):
            raise ValueError(
                "ensemble was trained on named categories; give XGBoost their codes 0, 1, 2, ..."
            )


def _last_round(booster):
    """Number of rounds up to the best one after early stopping; None without it."""
    attributes = booster.attributes()
    return int(attributes["best_iteration"]) + 1 if "best_iteration" in attributes else None


def _base(learner, objective, n_outputs):
    """Scores before the first tree: base_score is a prediction under a logistic or logarithmic objective."""
    text = learner["learner_model_param"]["base_score"].strip("[]")
    base = np.array(text.split(","), dtype=np.float32).astype(float)
    if objective.startswith("binary:logistic"):
        base = np.log(base) - np.log1p(-base)
    elif _NUMBERS.get(objective) == "exponential":
        base = np.log(base)
    return np.broadcast_to(base, n_outputs).copy()


def _trees(booster):
    """All trees with their outputs; the trees of dart are scaled by their weights."""
    if "gbtree" in booster:
        scales, booster = booster["weight_drop"], booster["gbtree"]
    elif "model" in booster and "trees" in booster["model"]:
        scales = None
    else:
        raise ValueError('ensemble must have trees; its booster is "gblinear".')
    model = booster["model"]
    if int(model["gbtree_model_param"]["num_parallel_tree"]) > 1:
        raise ValueError("ensemble grows several trees for a class in each round (num_parallel_tree).")
    scales = np.ones(len(model["trees"])) if scales is None else np.asarray(scales)
    trees = [_tree(tree, scale) for tree, scale in zip(model["trees"], scales, strict=True)]
    return trees, np.array(model["tree_info"])


def _tree(tree, scale):
    """One tree: left where the feature, in single precision, is below the condition; listed categories right.

    At nodes of categories the children change places, so that listed categories go left as in every reader.
    """
    if int(tree["tree_param"]["size_leaf_vector"]) > 1:
        raise ValueError("ensemble has trees with several outputs (multi_strategy), which are not read.")
    left, right = np.array(tree["left_children"]), np.array(tree["right_children"])
    condition = np.array(tree["split_conditions"], dtype=np.float32)
    listed = np.array(tree["split_type"]) == 1
    to_right = (np.array(tree["default_left"]) == 0) ^ listed
    segments = zip(
        tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True
    )
    return Tree(
        feature=np.array(tree["split_indices"]),
        threshold=np.nextafter(condition, np.float32(-np.inf)).astype(float),
        left=np.where(listed, right, left),
        right=np.where(listed, left, right),
        values=(np.where(left < 0, condition, np.float32(0)) * scale)[:, None].astype(float),
        missing_right=to_right,
        kinds=np.where(listed, CATEGORIES, NUMBER),
        categories={
            node: np.array(tree["categories"][start : start + size]) for node, start, size in segments
        },
    )
