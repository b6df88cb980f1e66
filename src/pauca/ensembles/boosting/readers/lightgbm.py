"""LightGBM: the text of ``Booster.model_to_string``."""

import re
from typing import Any

import numpy as np

from ..additive_trees import CATEGORIES, MISSING_IS_ZERO, NUMBER, ZERO_IS_MISSING, Tree, additive_trees
from ..boosted_model import BoostedModel

# Bits of decision_type in LightGBM's tree.h: categories, default left, and two bits of the missing type.
_CATEGORICAL, _DEFAULT_LEFT = 1, 2
# Links of the objectives from scores to predictions, of classes and of numbers.
_LINKS = {"binary": "sigmoid", "multiclass": "softmax", "multiclassova": "one-vs-rest"}
_NUMBERS = dict.fromkeys(
    ("regression", "regression_l1", "huber", "fair", "quantile", "mape"), "identity"
) | dict.fromkeys(("poisson", "gamma", "tweedie"), "exponential")
_KINDS = {0: MISSING_IS_ZERO, 1: ZERO_IS_MISSING, 2: NUMBER}


def read(model: Any) -> BoostedModel | None:
    """Flat trees of a LightGBM classifier, regressor or Booster; None for other models."""
    booster = getattr(model, "booster_", model)
    if not hasattr(booster, "model_to_string"):
        return None
    _check_codes(booster)
    best = booster.best_iteration if booster.best_iteration > 0 else None
    head, *parts = booster.model_to_string(num_iteration=best).split("\nTree=")
    settings = _settings(head)
    objective, n_outputs = settings["objective"].split(), int(settings["num_tree_per_iteration"])
    _check(settings, objective)
    trees = [_tree(_settings(part.split("end of trees")[0])) for part in parts]
    base = np.zeros(n_outputs)
    if "average_output" in settings:
        rounds = len(trees) // n_outputs
        trees = [Tree(**{**vars(tree), "values": tree.values / rounds}) for tree in trees]
    flat = additive_trees(
        *(trees, np.arange(len(trees)) % n_outputs, base),
        single=False,
        n_features=int(settings["max_feature_idx"]) + 1,
    )
    if objective[0] in _NUMBERS:
        return BoostedModel(flat, None, _NUMBERS[objective[0]])
    steepness = dict(part.split(":") for part in objective[1:] if ":" in part).get("sigmoid", 1.0)
    classes = getattr(model, "classes_", np.arange(max(n_outputs, 2)))
    return BoostedModel(flat, np.asarray(classes), _LINKS[objective[0]], float(steepness))


def _check_codes(booster):
    """Categories must be their codes: LightGBM translates others, which arrays of numbers cannot express."""
    for values in booster.pandas_categorical or []:
        if list(values) != list(range(len(values))):
            raise ValueError(
                "ensemble was trained on named categories; give LightGBM their codes 0, 1, 2, ..."
            )


def _check(settings, objective):
    """Only objectives whose predictions are a known function of the scores are read."""
    if objective[0] not in _LINKS and objective[0] not in _NUMBERS:
        raise ValueError(
            f"ensemble must be a LightGBM model with an objective of {', '.join([*_LINKS, *_NUMBERS])}; its "
            f"objective is {objective[0]!r}."
        )
    if "sqrt" in objective:
        raise ValueError("ensemble predicts squares (reg_sqrt=True), which early exit does not read.")


def _settings(text):
    """Lines ``name=value`` of a text."""
    return dict(re.findall(r"^(\w+)=?(.*)$", text, flags=re.MULTILINE))


def _tree(settings):
    """One tree; negative children are leaves, the complement of their index."""
    if int(settings.get("is_linear", 0)):
        raise ValueError("ensemble has linear trees (linear_tree=True), which early exit does not read.")
    leaves = _numbers(settings["leaf_value"], float)
    n_inner = len(leaves) - 1
    if n_inner == 0:
        none = np.full(1, -1)
        return Tree(np.zeros(1, int), np.zeros(1), none, none, leaves[:, None])
    left, right = (_numbers(settings[side], int) for side in ("left_child", "right_child"))
    left, right = (np.where(side < 0, n_inner + ~side, side) for side in (left, right))
    decision = _numbers(settings["decision_type"], int)
    is_category = (decision & _CATEGORICAL) > 0
    kinds = np.array([_KINDS[code] for code in (decision >> 2) & 3])
    pad = np.full(len(leaves), -1)
    return Tree(
        feature=np.concatenate([_numbers(settings["split_feature"], int), pad]),
        threshold=np.concatenate([_numbers(settings["threshold"], float), pad]),
        left=np.concatenate([left, pad]),
        right=np.concatenate([right, pad]),
        values=np.concatenate([np.zeros(n_inner), leaves])[:, None],
        missing_right=np.concatenate([is_category | ((decision & _DEFAULT_LEFT) == 0), pad > 0]),
        kinds=np.concatenate([np.where(is_category, CATEGORIES, kinds), np.zeros(len(leaves), int)]),
        categories=_categories(settings, np.flatnonzero(is_category)),
    )


def _categories(settings, nodes):
    """Codes that go left at each of the nodes that split categories."""
    if not len(nodes):
        return {}
    edges, words = _numbers(settings["cat_boundaries"], int), _numbers(settings["cat_threshold"], np.int64)
    sets = _numbers(settings["threshold"], float)[nodes].astype(int)
    bits = [(words[edges[place] : edges[place + 1], None] >> np.arange(32)) & 1 for place in sets]
    return {int(node): np.flatnonzero(flags.ravel()) for node, flags in zip(nodes, bits, strict=True)}


def _numbers(text, dtype):
    return np.array(text.split(), dtype=dtype)
