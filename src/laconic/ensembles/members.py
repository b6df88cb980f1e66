"""The members of an ensemble, and how to ask them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.tree import BaseDecisionTree
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

_BAGGING = BaggingClassifier, BaggingRegressor
_FOREST = RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor
_VOTING = VotingClassifier, VotingRegressor


@dataclass(frozen=True)
class Members:
    """Fitted predictors.

    ``features`` are the columns that each one takes (None: all of them). ``coded``: they predict places in the
    list of classes, not classes. ``takes_arrays``: they were trained on arrays, whatever the ensemble was given.
    ``soft``: the ensemble averages their probabilities. ``rows`` are the training rows of each, where known.
    """

    predictors: list
    features: list | None = None
    coded: bool = False
    takes_arrays: bool = False
    soft: bool = False
    rows: list | None = None
    classes: Any = None

    def subset(self, selected):
        """Some of the members, without their training rows."""
        predictors = [self.predictors[i] for i in selected]
        features = None if self.features is None else [self.features[i] for i in selected]
        return replace(self, predictors=predictors, features=features, rows=None)

    def values(self, X):
        """Predicted numbers, shape (n_members, n_samples) or (n_members, n_samples, n_outputs)."""
        return np.stack([answer() for answer in self._asked("predict", X)])

    def mean_value(self, X):
        """The average of the predicted numbers."""
        total: Any = 0.0
        for answer in self._asked("predict", X):
            total = total + answer()
        return total / len(self.predictors)

    def votes(self, X, classes):
        """Codes of the predicted classes, shape (n_members, n_samples)."""
        return np.stack([self._codes(answer(), classes) for answer in self._asked("predict", X)])

    def vote_shares(self, X, classes):
        """Share of the members that vote for each class."""
        votes = self.votes(X, classes)
        return np.stack([(votes == code).mean(axis=0) for code in range(len(classes))], axis=1)

    def mean_probability(self, X, classes):
        """Average of the members' probabilities of all classes."""
        total: Any = 0.0
        for member, answer in zip(self.predictors, self._asked("predict_proba", X), strict=True):
            probability = answer()
            full = np.zeros((len(probability), len(classes)))
            full[:, self._codes(member.classes_, classes)] = probability
            total = total + full
        return total / len(self.predictors)

    def known_classes(self, y):
        """The classes of the ensemble; those of members that stand alone and of y otherwise."""
        if self.classes is not None:
            return self.classes
        named = [member.classes_ for member in self.predictors if hasattr(member, "classes_")]
        return np.unique(np.concatenate([y, *named]))

    def left_out(self, n_samples):
        """Which rows each member was not trained on."""
        if self.rows is None:
            raise ValueError(
                'selection="oob" needs members trained on samples of the rows, as in bagging and random forests; '
                'use "train" or "holdout".'
            )
        if max(rows.max() for rows in self.rows) >= n_samples:
            raise ValueError(
                f'selection="oob" needs the rows that the ensemble was trained on; X has only {n_samples}.'
            )
        known = np.ones((len(self.rows), n_samples), dtype=bool)
        for mask, rows in zip(known, self.rows, strict=True):
            mask[rows] = False
        if not known.any(axis=1).all():
            raise ValueError(
                'selection="oob" needs members that each leave rows out: set bootstrap=True, give more rows '
                f'(n_samples={n_samples}), or use "holdout".'
            )
        return known

    def _codes(self, predicted, classes):
        """Places of classes in the list of classes."""
        predicted = np.asarray(predicted)
        return predicted.astype(int) if self.coded else codes_of(predicted, classes, "ensemble")

    def _asked(self, method, X):
        """For every member its method, ready to be called on the columns that it takes."""
        options = {}
        if all(isinstance(member, BaseDecisionTree) for member in self.predictors):
            X = check_array(X, dtype=np.float32, accept_sparse="csr", ensure_all_finite="allow-nan")
            options = {"check_input": False}
        for i, member in enumerate(self.predictors):
            part = X if self.features is None else X[:, self.features[i]]
            yield partial(getattr(member, method), part, **options)


def codes_of(values, classes, name):
    """Places of values in the sorted list of classes."""
    codes = np.minimum(np.searchsorted(classes, values), len(classes) - 1)
    if (classes[codes] != values).any():
        raise ValueError(f"{name} has classes other than {', '.join(map(repr, classes.tolist()))}.")
    return codes


def members_of(ensemble):
    """The members of a fitted ensemble."""
    ensemble = unfrozen(ensemble)
    if isinstance(ensemble, _BAGGING):
        return _bagged(ensemble)
    if isinstance(ensemble, _FOREST):
        return Members(
            list(ensemble.estimators_),
            coded=True,
            takes_arrays=True,
            soft=is_classifier(ensemble),
            rows=ensemble.estimators_samples_,
            classes=getattr(ensemble, "classes_", None),
        )
    if isinstance(ensemble, _VOTING):
        if ensemble.weights is not None:
            raise ValueError("ensemble has weights, and pruning keeps members of equal weight; set weights=None.")
        soft = getattr(ensemble, "voting", None) == "soft"
        classes = getattr(ensemble, "classes_", None)
        return Members(list(ensemble.estimators_), coded=True, soft=soft, classes=classes)
    predictors = [unfrozen(member) for member in ensemble]
    soft = all(hasattr(member, "predict_proba") for member in predictors)
    return Members(predictors, soft=soft)


def check_ensemble(ensemble):
    """``ensemble`` must be one whose members count alike."""
    inner = unfrozen(ensemble)
    listed = isinstance(inner, Sequence) and not isinstance(inner, str)
    if listed and len(inner) and all(hasattr(member, "predict") for member in inner):
        return
    if not isinstance(inner, _BAGGING + _FOREST + _VOTING):
        raise ValueError(
            "ensemble must be one of scikit-learn's bagging, random forest, extra trees and voting ensembles, or a "
            f"list of predictors; got {ensemble!r}."
        )


def is_fitted(ensemble):
    """Whether the ensemble, or every predictor of a list, has been trained."""
    parts = ensemble if isinstance(ensemble, Sequence) else [ensemble]
    return all(_is_trained(unfrozen(part)) for part in parts)


def trained(ensemble, X, y, sample_weight, rng):
    """A copy of the ensemble, or of every predictor of a list, trained on the data."""
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    if isinstance(ensemble, Sequence):
        return [_seeded(member, rng).fit(X, y, **options) for member in ensemble]
    return _seeded(ensemble, rng).fit(X, y, **options)


def template(ensemble):
    """The ensemble without what it learned."""
    if isinstance(ensemble, Sequence):
        return [template(member) for member in ensemble]
    inner = unfrozen(ensemble)
    return clone(inner) if hasattr(inner, "get_params") else inner


def unfrozen(estimator):
    """What is inside a FrozenEstimator."""
    return estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator


def _seeded(estimator, rng):
    """A copy whose open random states are drawn."""
    estimator = clone(estimator)
    parameters = estimator.get_params(deep=True)
    seeds = [name for name in sorted(parameters) if name.split("__")[-1] == "random_state"]
    drawn = {name: rng.randint(np.iinfo(np.int32).max) for name in seeds if parameters[name] is None}
    return estimator.set_params(**drawn)


def _is_trained(estimator):
    if not hasattr(estimator, "get_params"):
        return True
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True


def _bagged(ensemble):
    """Members of bagging, each with its features unless all of them take all."""
    every = np.arange(ensemble.n_features_in_)
    features = [np.asarray(columns) for columns in ensemble.estimators_features_]
    whole = all(np.array_equal(columns, every) for columns in features)
    return Members(
        list(ensemble.estimators_),
        None if whole else features,
        coded=True,
        takes_arrays=True,
        soft=all(hasattr(member, "predict_proba") for member in ensemble.estimators_),
        rows=ensemble.estimators_samples_,
        classes=getattr(ensemble, "classes_", None),
    )
