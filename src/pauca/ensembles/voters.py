"""The members of an ensemble that decides by vote, and what each of them says."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import check_is_fitted

KINDS = (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)


@dataclass(frozen=True)
class Member:
    """A classifier, the features that it sees (None: all) and the places of its classes in the ensemble's."""

    estimator: BaseEstimator
    features: np.ndarray | None
    classes: np.ndarray

    def labels(self, X):
        """Place of the predicted class for each row."""
        X = self._seen(X)
        if isinstance(self.estimator, BaseDecisionTree):
            return self.classes[self.estimator.tree_.predict(X).argmax(axis=1)]
        return self.estimator.predict(X).astype(np.intp)

    def shares(self, X, n_classes):
        """Probabilities of all classes of the ensemble for each row."""
        X, shares = self._seen(X), np.zeros((X.shape[0], n_classes))
        is_tree = isinstance(self.estimator, BaseDecisionTree)
        shares[:, self.classes] = (
            self.estimator.tree_.predict(X) if is_tree else self.estimator.predict_proba(X)
        )
        return shares

    def _seen(self, X):
        return X if self.features is None else X[:, self.features]


def check_kind(ensemble):
    """``ensemble`` must be a classifier whose members are drawn alike and vote with equal weight."""
    if not isinstance(ensemble, KINDS):
        raise ValueError(
            f"ensemble must be a {', '.join(kind.__name__ for kind in KINDS[:-1])} or {KINDS[-1].__name__}: "
            f"classifiers whose members vote with equal weight; got {type(ensemble).__name__}."
        )


def members_of(ensemble):
    """The members of a fitted ensemble, in its own order."""
    check_kind(ensemble)
    check_is_fitted(ensemble)
    if getattr(ensemble, "n_outputs_", 1) > 1:
        raise ValueError(f"ensemble must have one output; it was fitted with {ensemble.n_outputs_}.")
    for place, estimator in enumerate(ensemble.estimators_):
        check_is_fitted(
            estimator, msg=f"Member {place} of ensemble, a %(name)s, is not fitted: fit the ensemble."
        )
    features = getattr(ensemble, "estimators_features_", None)
    return [
        Member(estimator, _subset(features, place, ensemble), np.asarray(estimator.classes_).astype(np.intp))
        for place, estimator in enumerate(ensemble.estimators_)
    ]


def _subset(features, place, ensemble):
    """The member's features, or None where it sees all of them in their order."""
    if features is None or np.array_equal(features[place], np.arange(ensemble.n_features_in_)):
        return None
    return np.asarray(features[place])


def are_trees(members):
    """Whether all members are decision trees of scikit-learn."""
    return all(isinstance(member.estimator, BaseDecisionTree) for member in members)


def give_shares(members):
    """Whether all members have probabilities, which their ensemble then averages."""
    return all(hasattr(member.estimator, "predict_proba") for member in members)


def mixed_weight(members):
    """Mean share of the training rows of trees that end in leaves of several classes."""
    return float(np.mean([_mixed_weight(member.estimator.tree_) for member in members]))


def _mixed_weight(tree):
    mixed = (tree.children_left < 0) & (tree.value[:, 0].max(axis=1) < 1)
    return tree.n_node_samples[mixed].sum() / tree.n_node_samples[0]
