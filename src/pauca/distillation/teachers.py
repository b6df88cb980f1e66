"""Teachers: fitted estimators of any library and functions, behind one interface."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import _safe_indexing


@dataclass(frozen=True)
class Teacher:
    """A model whose predictions are to be learned.

    Parameters
    ----------
    model : estimator or function
        What was given.
    classes : ndarray or None
        Class labels; None for regression.
    answer : callable
        From rows to probabilities of the classes, or to numbers.
    """

    model: Any
    classes: NDArray | None
    answer: Callable[[Any], NDArray]

    @property
    def can_be_refitted(self) -> bool:
        """Whether a copy can learn from other rows."""
        return hasattr(self.model, "fit") and hasattr(self.model, "get_params")


def teacher_of(model: Any, X: Any, classes: ArrayLike | None = None) -> Teacher:
    """Teacher of a fitted estimator, or of a function from rows to probabilities or numbers."""
    if hasattr(model, "predict_proba"):
        known = classes if classes is not None else getattr(model, "classes_", None)
        return _classifier(model, model.predict_proba, X, known)
    if hasattr(model, "predict"):
        if is_classifier(model):
            raise ValueError(
                f"teacher must have predict_proba, and {type(model).__name__} has none; use "
                "CalibratedClassifierCV, or give a function that returns probabilities."
            )
        return Teacher(model, None, lambda rows: np.asarray(model.predict(rows), dtype=float).ravel())
    if not callable(model):
        raise ValueError(
            f"teacher must be a fitted estimator, or a function from rows to probabilities or numbers; got "
            f"{type(model).__name__}."
        )
    first = np.asarray(model(_safe_indexing(X, slice(0, 2))))
    if first.ndim == 2 and first.shape[1] > 1:
        return _classifier(model, model, X, classes)
    return Teacher(model, None, lambda rows: np.asarray(model(rows), dtype=float).ravel())


def _classifier(model, answer, X, classes):
    """Teacher that gives probabilities, with the labels of their columns."""
    n_classes = np.shape(answer(_safe_indexing(X, slice(0, 2))))[1]
    labels = np.arange(n_classes) if classes is None else np.asarray(classes)
    if labels.ndim != 1 or len(labels) != n_classes:
        raise ValueError(f"classes must be the labels of the {n_classes} probabilities of the teacher.")
    return Teacher(model, labels, lambda rows: checked_probabilities(answer(rows), n_classes))


def checked_probabilities(p: ArrayLike, n_classes: int) -> NDArray:
    """Rows of probabilities that sum to one; a ValueError if they are none."""
    p = np.asarray(p, dtype=float)
    if p.ndim != 2 or p.shape[1] != n_classes or not np.isfinite(p).all() or (p < 0).any():
        raise ValueError(f"The teacher must give {n_classes} probabilities, finite and not negative, a row.")
    total = p.sum(axis=1, keepdims=True)
    if (total <= 0).any():
        raise ValueError("The teacher gives rows of probabilities that are all zero.")
    return p / total


def out_of_fold(teacher: Teacher, X: Any, y: NDArray, n_folds: int, seed: int) -> NDArray:
    """Answers for each row of copies of the teacher that did not learn from it."""
    kind = KFold if teacher.classes is None else StratifiedKFold
    if teacher.classes is not None:
        counts = np.unique(y, return_counts=True)[1]
        n_folds = min(n_folds, int(counts.min()))
    if n_folds < 2:
        return teacher.answer(X)
    answers = None
    for rest, part in kind(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y):
        copy = clone(teacher.model).fit(_safe_indexing(X, rest), y[rest])
        fold = teacher_of(copy, X, getattr(copy, "classes_", None)).answer(_safe_indexing(X, part))
        if answers is None:
            answers = np.zeros((len(y), *fold.shape[1:]))
        answers[part] = fold
    assert answers is not None
    return answers
