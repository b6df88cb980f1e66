"""Dispatch on the library that a boosted model comes from; no library is imported for the others' models."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...training import unfrozen
from ..additive_trees import AdditiveTrees

_READ = (
    "a fitted gradient boosting classifier: GradientBoostingClassifier, HistGradientBoostingClassifier or "
    "AdaBoostClassifier (of trees) of scikit-learn, a classifier or Booster of LightGBM or XGBoost, or a "
    "CatBoostClassifier"
)


@dataclass(frozen=True)
class BoostedModel:
    """Boosted classifier as flat trees.

    Attributes
    ----------
    trees : AdditiveTrees
        All trees as one array of nodes.
    classes : ndarray of shape (n_classes,)
        Class labels; with one output the second class has the positive scores.
    link : {"sigmoid", "softmax", "one-vs-rest"}
        Function from scores to probabilities; "one-vs-rest" is a sigmoid for each class, not normalised.
    steepness : float
        Factor of the scores in the sigmoids.
    positive_at_zero : bool
        Whether a score of exactly zero belongs to the second class.
    prepare : callable or None
        Encoding of rows by the model itself, where it has one.
    """

    trees: AdditiveTrees
    classes: NDArray
    link: str
    steepness: float = 1.0
    positive_at_zero: bool = False
    prepare: Callable[[Any], NDArray] | None = None

    @property
    def n_features(self) -> int:
        """Number of features of the rows."""
        return self.trees.n_features


def read_boosting(model: Any) -> BoostedModel:
    """Flat trees of a fitted boosted classifier.

    Parameters
    ----------
    model : estimator
        Fitted gradient boosting classifier of scikit-learn, LightGBM, XGBoost or CatBoost, or an AdaBoost
        classifier of trees.

    Returns
    -------
    BoostedModel
        Trees, class labels and the link from scores to probabilities.
    """
    model = unfrozen(model)
    module = type(model).__module__.split(".")[0]
    if module == "lightgbm":
        from .lightgbm import read
    elif module == "xgboost":
        from .xgboost import read
    elif module == "catboost":
        from .catboost import read
    elif module == "sklearn":
        from .scikit import read
    else:
        raise ValueError(f"ensemble must be {_READ}; got {type(model).__name__}.")
    found = read(model)
    if found is None:
        raise ValueError(f"ensemble must be {_READ}; got {type(model).__name__}.")
    return found


def linked(scores: NDArray, link: str, steepness: float) -> NDArray:
    """Probabilities of all classes from scores, shape (n_rows, n_outputs)."""
    if link == "sigmoid":
        positive = 1 / (1 + np.exp(-steepness * scores[:, 0]))
        return np.column_stack([1 - positive, positive])
    if link == "softmax":
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)
    return 1 / (1 + np.exp(-steepness * scores))
