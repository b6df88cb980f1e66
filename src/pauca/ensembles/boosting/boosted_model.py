"""Boosted ensembles as flat trees with class labels and the link from scores to predictions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .additive_trees import AdditiveTrees


@dataclass(frozen=True)
class BoostedModel:
    """Boosted classifier or regressor as flat trees.

    Attributes
    ----------
    trees : AdditiveTrees
        All trees as one array of nodes.
    classes : ndarray of shape (n_classes,) or None
        Class labels; with one output the second class has the positive scores. None for regressors.
    link : {"sigmoid", "softmax", "one-vs-rest", "identity", "exponential"}
        Function from scores to probabilities, or to numbers for regressors; "one-vs-rest" is a sigmoid for
        each class, not normalised.
    steepness : float
        Factor of the scores in the sigmoids.
    positive_at_zero : bool
        Whether a score of exactly zero belongs to the second class.
    prepare : callable or None
        Encoding of rows by the model itself, where it has one.
    """

    trees: AdditiveTrees
    classes: Any
    link: str
    steepness: float = 1.0
    positive_at_zero: bool = False
    prepare: Callable[[Any], NDArray] | None = None

    @property
    def n_features(self) -> int:
        """Number of features of the rows."""
        return self.trees.n_features


def linked(scores: NDArray, link: str, steepness: float) -> NDArray:
    """Probabilities of all classes, or numbers, from scores, shape (n_rows, n_outputs)."""
    if link == "identity":
        return scores
    with np.errstate(over="ignore"):  # a score beyond all others has probability one or zero
        return _probabilities(scores, link, steepness)


def _probabilities(scores: NDArray, link: str, steepness: float) -> NDArray:
    """Exponentials of scores, or probabilities of all classes."""
    if link == "exponential":
        return np.exp(scores)
    if link == "sigmoid":
        positive = 1 / (1 + np.exp(-steepness * scores[:, 0]))
        return np.column_stack([1 - positive, positive])
    if link == "softmax":
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)
    return 1 / (1 + np.exp(-steepness * scores))
