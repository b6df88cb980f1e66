"""The members of an ensemble, and how to ask them."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.tree import BaseDecisionTree
from sklearn.utils import check_array, get_tags


@dataclass(frozen=True)
class Members:
    """Fitted predictors.

    ``features`` are the columns that each one takes (None: all of them). ``coded``: they predict places in
    the list of classes, not classes. ``takes_arrays``: they were trained on arrays, whatever the ensemble was
    given. ``soft``: the ensemble averages their probabilities. ``classes`` are those of the ensemble.
    """

    predictors: list
    features: list | None = None
    coded: bool = False
    takes_arrays: bool = False
    soft: bool = False
    classes: Any = None

    def subset(self, selected):
        """Some of the members."""
        predictors = [self.predictors[i] for i in selected]
        features = None if self.features is None else [self.features[i] for i in selected]
        return replace(self, predictors=predictors, features=features)

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

    def _codes(self, predicted, classes):
        """Places of classes in the list of classes."""
        predicted = np.asarray(predicted)
        return predicted.astype(int) if self.coded else codes_of(predicted, classes, "ensemble")

    def _asked(self, method, X):
        """For every member its method, ready to be called on the columns that it takes."""
        options = {}
        if not issparse(X) and all(isinstance(member, BaseDecisionTree) for member in self.predictors):
            missing_allowed = all(get_tags(member).input_tags.allow_nan for member in self.predictors)
            X = check_array(X, dtype=np.float32, ensure_all_finite="allow-nan" if missing_allowed else True)
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
