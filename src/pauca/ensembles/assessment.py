"""Errors of a whole ensemble and of the members that pruning keeps, on rows that chose nothing."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold

from .members import codes_of, members_of
from .training import unfrozen

# Parts of the rows: members chosen by all but one are assessed on that one. Set by hand.
_PARTS = 5


@dataclass(frozen=True)
class Assessment:
    """Error rates, or root mean squared errors, of all members and of those that pruning keeps.

    ``source`` is "out-of-bag" where each row is predicted by the members that left it out alone, and
    "held-out" where all members are asked about rows that they were not chosen by.
    """

    error_all: float
    error_kept: float
    source: str


def assess(pruned: Any, X: Any, y: Any) -> Assessment:
    """Assess pruning by cross-fitting: members are chosen by some of the rows and assessed on the others.

    ``pruned`` is an unfitted PrunedEnsembleClassifier or PrunedEnsembleRegressor around a fitted ensemble.
    Rows that were out of bag of none of the members are left out.
    """
    ensemble = unfrozen(pruned.ensemble)
    members, known = members_of(ensemble), _known(pruned, ensemble, X, y)
    answers, targets = _answers(members, X, y, pruned._task == "classification")
    kept = np.zeros(known.shape, dtype=bool)
    for chosen_by, rest in KFold(_PARTS, shuffle=True, random_state=0).split(y):
        weights = np.zeros(len(y))
        weights[chosen_by] = 1.0
        few = clone(pruned).set_params(ensemble=FrozenEstimator(ensemble))
        selected = few.fit(X, y, sample_weight=weights).selected_
        kept[np.ix_(selected, rest)] = True
    kept &= known
    rows = kept.any(axis=0)
    return Assessment(
        _error(answers, targets, known, rows),
        _error(answers, targets, kept, rows),
        "held-out" if known.all() else "out-of-bag",
    )


def _known(pruned, ensemble, X, y):
    """Rows that count for each member: those that it was not trained on, or all where that is not known."""
    known = pruned._known_rows(ensemble, np.asarray(y), np.ones(len(y)))
    return np.ones((len(members_of(ensemble)), len(y)), dtype=bool) if known is None else known


def _answers(members, X, y, classify):
    """What each member says of each row, with a column for each class or target, and the truth."""
    if not classify:
        return members.values(X).reshape(len(members), len(y), -1), np.reshape(y, (len(y), -1))
    classes = members.known_classes(np.asarray(y))
    X = members.checked(X)
    if members.soft:
        answers: NDArray = np.stack([member.probabilities(X, classes) for member in members])
    else:
        answers = np.eye(len(classes))[members.votes(X, classes)]
    return answers, codes_of(np.asarray(y), classes, "y")


def _error(answers, targets, mask, rows):
    """Error rate or root mean squared error of the average answer of the masked members."""
    total = np.einsum("mn,mnk->nk", mask[:, rows].astype(float), answers[:, rows])
    if targets.ndim == 1:
        return float(np.mean(total.argmax(axis=1) != targets[rows]))
    mean = total / mask[:, rows].sum(axis=0)[:, None]
    return float(np.sqrt(np.mean(np.square(mean - targets[rows]))))
