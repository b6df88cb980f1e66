"""Weighted ensembles as sums: every member adds a linear function of its answer to the scores."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import AdaBoostClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import BaseDecisionTree

from ..members import LEAST_PROBABILITY, averages_logarithms, codes_of
from ..training import unfrozen


@dataclass(frozen=True)
class AdditiveMembers:
    """Scores of the classes as a sum over members.

    ``answers[m]`` gives the answer of member m for rows, shape (n_rows, n_answers): probabilities, or ones at
    the classes voted for, so that answers lie on a simplex. It adds ``answer @ factors[m]`` to the scores,
    shape (n_answers, n_outputs). ``base`` gives the scores of rows before the first member. One output leads
    by its sign.
    """

    answers: list[Callable[[Any], NDArray]]
    factors: list[NDArray]
    base: Callable[[Any], NDArray]
    classes: NDArray
    n_outputs: int

    def in_order(self, order: NDArray) -> "AdditiveMembers":
        """Members in another order."""
        answers, factors = ([parts[i] for i in order] for parts in (self.answers, self.factors))
        return AdditiveMembers(answers, factors, self.base, self.classes, self.n_outputs)

    def gains(self) -> NDArray:
        """Most that each member adds to output j beyond what it adds to k, shape (n_members, k, j).

        Answers lie on a simplex, where a linear function is largest at a corner. One output counts as the
        second of two, the first of which stays at zero.
        """
        found = []
        for factors in self.factors:
            two = np.column_stack([np.zeros(len(factors)), factors]) if self.n_outputs == 1 else factors
            found.append((two[:, None, :] - two[:, :, None]).max(axis=0))
        return np.array(found)


def additive_members(ensemble: Any) -> AdditiveMembers:
    """A fitted AdaBoost, voting or stacking classifier as a sum over its members."""
    ensemble = unfrozen(ensemble)
    if isinstance(ensemble, AdaBoostClassifier):
        return _adaboost(ensemble)
    if isinstance(ensemble, VotingClassifier):
        return _voting(ensemble)
    if isinstance(ensemble, StackingClassifier):
        return _stacking(ensemble)
    raise ValueError(
        "ensemble must be an AdaBoostClassifier, VotingClassifier or StackingClassifier; got "
        f"{type(ensemble).__name__}."
    )


def _adaboost(ensemble):
    """Votes with the weights of the members (SAMME), or their logarithms of probabilities (SAMME.R)."""
    classes = ensemble.classes_
    weights = ensemble.estimator_weights_[: len(ensemble.estimators_)]
    if averages_logarithms(ensemble):
        answers, factors = _log_probabilities(ensemble.estimators_, weights, len(classes))
    else:
        answers = [_votes(member, classes) for member in ensemble.estimators_]
        factors = [w * np.eye(len(classes)) for w in weights]
    return AdditiveMembers(answers, factors, _zeros(len(classes)), classes, len(classes))


def _log_probabilities(estimators, weights, n_classes):
    """Answers and factors of SAMME.R: logarithms of the members' probabilities (Zhu et al. 2009).

    Answers are the logarithms in units of the smallest one that the member can give, from zero to one: what
    a member adds to a class beyond another is largest at a corner, as on a simplex.
    """
    units = [-np.log(_least_probability(member)) for member in estimators]
    answers = [_in_units(member, unit) for member, unit in zip(estimators, units, strict=True)]
    factors = [-unit * weight * np.eye(n_classes) for unit, weight in zip(units, weights, strict=True)]
    return answers, factors


def _in_units(member, unit):
    """Function from rows to the logarithms of a member's probabilities, divided by the unit."""
    return lambda X: -np.log(np.maximum(member.predict_proba(X), LEAST_PROBABILITY)) / unit


def _least_probability(member):
    """Smallest probability of a member: that of the leaves of a tree."""
    if not isinstance(member, BaseDecisionTree):
        return LEAST_PROBABILITY
    leaves = member.tree_.value[member.tree_.children_left < 0, 0]
    least = (leaves / leaves.sum(axis=1, keepdims=True)).min()
    return np.clip(least, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)


def _voting(ensemble):
    """Votes, or probabilities, with the weights of the members."""
    classes, n_classes = ensemble.classes_, len(ensemble.classes_)
    active = [w for (_, member), w in _pairs(ensemble) if not _dropped(member)]
    weights = np.asarray(active, dtype=float)
    codes = np.arange(n_classes)
    answer = _votes if ensemble.voting == "hard" else _probabilities
    answers = [answer(member, codes) for member in ensemble.estimators_]
    return AdditiveMembers(
        answers, [w * np.eye(n_classes) for w in weights], _zeros(n_classes), classes, n_classes
    )


def _pairs(ensemble):
    weights = ensemble.weights if ensemble.weights is not None else [1.0] * len(ensemble.estimators)
    return zip(ensemble.estimators, weights, strict=True)


def _dropped(member):
    return isinstance(member, str) and member == "drop"


def _stacking(ensemble):
    """Probabilities times the coefficients of a logistic regression on them."""
    final = ensemble.final_estimator_
    if not isinstance(final, LogisticRegression):
        raise ValueError(
            "ensemble must stack with a LogisticRegression, whose score is a sum over the members; its "
            f"final_estimator_ is a {type(final).__name__}."
        )
    if set(ensemble.stack_method_) - {"predict_proba"}:
        raise ValueError('ensemble must stack probabilities: set stack_method="predict_proba".')
    if len(ensemble.classes_) == 2:
        sizes, coded = [1] * len(ensemble.estimators_), range(2)
    else:
        sizes, coded = [len(ensemble.classes_)] * len(ensemble.estimators_), range(len(ensemble.classes_))
    edges = np.concatenate([[0], np.cumsum(sizes)])
    coefficients = final.coef_.T
    factors = [coefficients[start:stop] for start, stop in pairwise(edges)]
    if len(ensemble.classes_) == 2:  # stacking keeps the probability of the second class only
        factors = [np.vstack([np.zeros(factor.shape[1]), factor]) for factor in factors]
    rest = coefficients[edges[-1] :]

    def base(X):
        start = np.tile(final.intercept_, (X.shape[0], 1))
        return start + X @ rest if ensemble.passthrough else start

    codes = np.array(coded)
    answers = [_probabilities(member, codes) for member in ensemble.estimators_]
    return AdditiveMembers(answers, factors, base, ensemble.classes_, final.coef_.shape[0])


def _zeros(n_outputs):
    return lambda X: np.zeros((X.shape[0], n_outputs))


def _votes(member, classes):
    """Function from rows to ones at the class that a member votes for."""
    ones = np.eye(len(classes))
    return lambda X: ones[codes_of(np.asarray(member.predict(X)), classes, "ensemble")]


def _probabilities(member, codes):
    """Function from rows to a member's probabilities, zero for classes that it does not know."""

    def answer(X):
        full = np.zeros((X.shape[0], len(codes)))
        full[:, codes_of(np.asarray(member.classes_), codes, "ensemble")] = member.predict_proba(X)
        return full

    return answer
