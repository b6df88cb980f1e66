"""Ensembles as lists of members: scikit-learn's ensembles and lists of predictors, behind one interface."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.tree import BaseDecisionTree
from sklearn.utils import check_array, get_tags

from .training import unfrozen

_BAGGING = BaggingClassifier, BaggingRegressor
_FOREST = RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor
_VOTING = VotingClassifier, VotingRegressor
_ADABOOST = AdaBoostClassifier, AdaBoostRegressor
_BOOSTING_LIBRARIES = "lightgbm", "xgboost", "catboost"
# Smallest probability whose logarithm SAMME.R takes, as in scikit-learn.
LEAST_PROBABILITY = float(np.finfo(float).eps)
_BOOSTED = GradientBoostingClassifier, HistGradientBoostingClassifier


@dataclass(frozen=True)
class Member:
    """One fitted predictor of an ensemble.

    ``features`` are the columns it was trained on (None: all of them). ``coded``: it predicts positions in
    the ensemble's list of classes instead of class labels. ``float32``: a decision tree that is given checked
    rows in single precision, so that its own check of the input is skipped.
    """

    estimator: Any
    features: NDArray | None = None
    coded: bool = False
    float32: bool = False

    def predict(self, X: Any) -> NDArray:
        """Predicted numbers or class labels, as the predictor itself returns them."""
        return self._call("predict", X)

    def labels(self, X: Any, classes: NDArray) -> NDArray:
        """Position of the predicted class of each row in ``classes``."""
        return self._codes(self.predict(X), classes)

    def probabilities(self, X: Any, classes: NDArray) -> NDArray:
        """Predicted probabilities of all ``classes``, zero for those the predictor does not know."""
        predicted = self._call("predict_proba", X)
        full = np.zeros((len(predicted), len(classes)))
        full[:, self.class_codes(classes)] = predicted
        return full

    def class_codes(self, classes: NDArray) -> NDArray:
        """Positions of the predictor's own classes in ``classes``."""
        return self._codes(self.estimator.classes_, classes)

    def _codes(self, labels, classes):
        labels = np.asarray(labels)
        return labels.astype(np.intp) if self.coded else codes_of(labels, classes, "ensemble")

    def _call(self, method, X):
        X = X if self.features is None else X[:, self.features]
        options = {"check_input": False} if self.float32 else {}
        return getattr(self.estimator, method)(X, **options)


@dataclass(frozen=True)
class Members:
    """All members of an ensemble, or some of them.

    ``classes`` are those of the ensemble (None for a list of predictors). ``soft``: the ensemble averages
    predicted probabilities instead of counting votes. ``takes_arrays``: the members were trained on arrays,
    whatever the ensemble was given. ``refined``: the leaves have new numbers, whose average may leave [0, 1].
    ``weights`` have the sum one; None stands for equal ones.
    """

    members: list[Member]
    classes: NDArray | None = None
    soft: bool = False
    takes_arrays: bool = False
    refined: bool = False
    weights: NDArray | None = None

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members)

    @property
    def estimators(self) -> list:
        """The predictors themselves."""
        return [member.estimator for member in self]

    @property
    def are_trees(self) -> bool:
        """Whether all members are decision trees of scikit-learn."""
        return all(isinstance(member.estimator, BaseDecisionTree) for member in self)

    @property
    def have_probabilities(self) -> bool:
        """Whether all members have ``predict_proba``."""
        return all(hasattr(member.estimator, "predict_proba") for member in self)

    def subset(self, selected: ArrayLike) -> "Members":
        """The members with the given indices, in that order; their weights are scaled to the sum one."""
        places = np.asarray(selected)
        weights = None if self.weights is None else self.weights[places] / self.weights[places].sum()
        return replace(self, members=[self.members[i] for i in places], weights=weights)

    @property
    def shares(self) -> NDArray:
        """Weights of the members, with the sum one."""
        n_members = len(self.members)
        return np.full(n_members, 1 / n_members) if self.weights is None else self.weights

    def values(self, X: Any) -> NDArray:
        """Predicted numbers, shape (n_members, n_samples) or (n_members, n_samples, n_outputs)."""
        X = self.checked(X)
        return np.stack([member.predict(X) for member in self])

    def mean_value(self, X: Any) -> NDArray:
        """Average of the predicted numbers."""
        X = self.checked(X)
        total: Any = 0.0
        for member, share in zip(self, self.shares, strict=True):
            total = total + share * member.predict(X)
        return total

    def votes(self, X: Any, classes: NDArray) -> NDArray:
        """Positions of the predicted classes in ``classes``, shape (n_members, n_samples)."""
        X = self.checked(X)
        return np.stack([member.labels(X, classes) for member in self])

    def vote_shares(self, X: Any, classes: NDArray) -> NDArray:
        """Share of the members, by weight, that vote for each class, shape (n_samples, n_classes)."""
        votes = self.votes(X, classes)
        if self.weights is None:
            return np.stack([(votes == code).mean(axis=0) for code in range(len(classes))], axis=1)
        return np.stack([self.weights @ (votes == code) for code in range(len(classes))], axis=1)

    def mean_probability(self, X: Any, classes: NDArray) -> NDArray:
        """Average of the members' predicted probabilities, shape (n_samples, n_classes)."""
        X = self.checked(X)
        total: Any = 0.0
        for member, share in zip(self, self.shares, strict=True):
            total = total + share * member.probabilities(X, classes)
        if not self.refined:
            return total
        inside = np.maximum(total, 0.0)
        return inside / inside.sum(axis=1, keepdims=True)

    def known_classes(self, y: NDArray) -> NDArray:
        """Classes of the ensemble; for a list of predictors, those of its members and of y."""
        if self.classes is not None:
            return self.classes
        named = [estimator.classes_ for estimator in self.estimators if hasattr(estimator, "classes_")]
        return np.unique(np.concatenate([y, *named]))

    def checked(self, X: Any) -> Any:
        """X as the members take it: trees share one check and one copy in single precision."""
        if not self.members[0].float32:
            return X
        finite = "allow-nan" if all(get_tags(tree).input_tags.allow_nan for tree in self.estimators) else True
        return check_array(X, accept_sparse="csr", dtype=np.float32, ensure_all_finite=finite)


def members_of(ensemble: Any) -> Members:
    """The members of a fitted ensemble, or of a list of fitted predictors."""
    ensemble = unfrozen(ensemble)
    if isinstance(ensemble, _ADABOOST):
        estimators = list(ensemble.estimators_)
        weights = np.asarray(ensemble.estimator_weights_[: len(estimators)], dtype=float)
        members = Members(_listed(estimators), getattr(ensemble, "classes_", None), takes_arrays=True)
        return replace(members, weights=weights / weights.sum())
    if isinstance(ensemble, _BAGGING + _FOREST + _VOTING):
        estimators, classes = list(ensemble.estimators_), getattr(ensemble, "classes_", None)
        if isinstance(ensemble, _FOREST):
            return Members(_listed(estimators, coded=True), classes, is_classifier(ensemble), True)
        if isinstance(ensemble, _BAGGING):
            members = Members(_listed(estimators, _feature_subsets(ensemble), coded=True), classes)
            return replace(members, soft=members.have_probabilities, takes_arrays=True)
        return Members(_listed(estimators, coded=True), classes, getattr(ensemble, "voting", None) == "soft")
    members = Members(_listed([unfrozen(predictor) for predictor in ensemble]))
    return replace(members, soft=members.have_probabilities)


def check_ensemble(ensemble: Any) -> None:
    """``ensemble`` must be a kind of ensemble whose members can be told apart, each a predictor by itself."""
    inner = unfrozen(ensemble)
    listed = isinstance(inner, Sequence) and not isinstance(inner, str)
    if listed and len(inner) and all(hasattr(member, "predict") for member in inner):
        return
    if isinstance(inner, _BOOSTED) or type(inner).__module__.split(".")[0] in _BOOSTING_LIBRARIES:
        raise ValueError(
            f"ensemble is a {type(inner).__name__}, whose trees are no predictors by themselves: use "
            "PrunedBoostingClassifier."
        )
    if not isinstance(inner, _BAGGING + _FOREST + _VOTING + _ADABOOST):
        raise ValueError(
            "ensemble must be a bagging, random forest, extra trees, AdaBoost or voting ensemble of "
            f"scikit-learn, or a list of predictors; got {ensemble!r}."
        )
    if getattr(inner, "weights", None) is not None:
        raise ValueError("ensemble has weights, and pruning keeps members of equal weight; set weights=None.")


def averages_logarithms(ensemble: Any) -> bool:
    """Whether AdaBoost averages logarithms of probabilities: SAMME.R of scikit-learn before 1.6."""
    return getattr(ensemble, "algorithm", "SAMME") == "SAMME.R"


def codes_of(labels: NDArray, classes: NDArray, name: str) -> NDArray:
    """Positions of labels in the sorted list of classes; ``name`` is the argument an error is about."""
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    if (classes[codes] != labels).any():
        raise ValueError(f"{name} has classes other than {', '.join(map(repr, classes.tolist()))}.")
    return codes


def _listed(estimators, features=None, coded=False):
    """Members with their features; only an ensemble of trees alone skips their checks."""
    trees = all(isinstance(estimator, BaseDecisionTree) for estimator in estimators)
    features = [None] * len(estimators) if features is None else features
    return [
        Member(estimator, columns, coded, float32=trees)
        for estimator, columns in zip(estimators, features, strict=True)
    ]


def _feature_subsets(ensemble):
    """Columns of each member of a bagging ensemble, None where it takes all of them in their order."""
    every = np.arange(ensemble.n_features_in_)
    subsets = map(np.asarray, ensemble.estimators_features_)
    return [None if np.array_equal(columns, every) else columns for columns in subsets]
