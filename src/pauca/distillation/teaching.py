"""Distillation of a teacher into a student."""

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_consistent_length

from ..export import c_bytes
from ..validation import check_number, check_seed, check_share
from .report import (
    Distillation,
    agreement_of_classes,
    agreement_of_numbers,
    pickled_bytes,
    row_microseconds,
    scores_of,
)
from .rows import extra_rows as drawn_rows
from .students import Limits, fitted_student, machine_predictor, new_student
from .teachers import Teacher, out_of_fold, teacher_of

# Share of the true labels in the soft ones where y is known. Of 0, 0.3, 0.6 and 1 the least that kept most of
# the AUC of random forests on split 0 of eight sets: 99.5, 100.1, 100.7 and 100.7 %.
_TRUE_SHARE = 0.6
# Share of the rows on which students with and without extra rows are compared, and the fall of their mean
# cross entropy (regression: relative squared distance) for which extra rows are taken.
_COMPARED, _LEAST_FALL = 0.25, 0.01


@dataclass(frozen=True)
class _Plan:
    """How students are made."""

    teacher: Teacher
    student: Any
    n_extra: int
    limits: Limits
    seed: int

    def fit(self, X: Any, targets: NDArray) -> Any:
        """Student of rows with their soft labels or numbers, and of extra rows with the teacher's answers."""
        if self.n_extra:
            more = drawn_rows(X, self.n_extra, np.random.default_rng(self.seed))
            targets = np.concatenate([targets, self.teacher.answer(more)])
            X = _stacked(X, more)
        return fitted_student(self.student, self.teacher.classes, X, targets, self.limits)


def distil(
    teacher: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    classes: ArrayLike | None = None,
    max_vectors: int | None = None,
    max_bytes: int | None = 20_000,
    extra_rows: int | str = "auto",
    true_share: float = _TRUE_SHARE,
    n_folds: int = 5,
    held_out: tuple[Any, Any] | None = None,
    test_size: float = 0.2,
    student: Any = None,
    random_state: int | np.random.RandomState | None = 0,
) -> Distillation:
    """Make a small sparse Gaussian process that agrees with a fitted model of any library.

    The student learns the teacher's probabilities as weights of all classes, or its numbers. Where y is given
    and the teacher can be refitted, the labels of each row come from copies of the teacher that did not learn
    from it, mixed with the true ones. The agreement is measured on rows that the student did not see: those
    given, or a part of X, without which a first student is fitted; the final one learns from all rows.

    Parameters
    ----------
    teacher : estimator or callable
        Fitted classifier with ``predict_proba`` or fitted regressor, such as those of scikit-learn, LightGBM,
        CatBoost and XGBoost; or a function from rows to probabilities (n_rows, n_classes) or numbers.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows, those that the teacher learned from or others.
    y : array-like of shape (n_samples,), default=None
        True labels or targets; without them the answers of the teacher alone are learned.
    classes : array-like of shape (n_classes,), default=None
        Labels of the columns of the probabilities, for a teacher that has no ``classes_``.
    max_vectors : int or None, default=None
        Largest number of vectors.
    max_bytes : int or None, default=20000
        Largest number of bytes of the student's constants in C (`pauca.export.c_bytes`).
    extra_rows : {"auto"} or int, default="auto"
        Number of extra rows, drawn between near rows and labelled by the teacher. "auto": as many as there
        are rows if they bring a student closer to the teacher on a quarter of the rows, else none.
    true_share : float, default=0.6
        Share of the true label in the soft one, from 0 (the teacher alone) to 1.
    n_folds : int, default=5
        Number of folds of the copies of the teacher; 0 takes the answers of the teacher itself.
    held_out : tuple (X, y) or None, default=None
        Rows for the agreement and the scores, and their true labels or None.
    test_size : float, default=0.2
        Share of X that is held out where ``held_out`` is None.
    student : SparseGPClassifier, SparseGPRegressor, Pipeline or None, default=None
        Unfitted student, or a pipeline of an encoder and a student; by default one with default arguments,
        for a frame with ``additive=False``. It takes texts, categories, dates and missing values as they are.
    random_state : int, RandomState instance or None, default=0
        Source of folds, of held-out rows and of extra rows.

    Returns
    -------
    distillation : Distillation
        The student, its agreement with the teacher with a confidence interval, scores, sizes and latencies.

    References
    ----------
    Hinton, Vinyals & Dean, "Distilling the knowledge in a neural network", arXiv:1503.02531 (2015).

    Examples
    --------
    >>> from pauca import distil
    >>> from pauca.datasets import make_ripley
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = make_ripley(150, random_state=0)
    >>> forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    >>> small = distil(forest, X, y, extra_rows=0, n_folds=3)
    >>> small.agreement > 0.6, small.n_bytes["student"] < 20_000
    (True, True)
    """
    _check_arguments(max_vectors, max_bytes, extra_rows, true_share, n_folds, test_size)
    X = X if hasattr(X, "columns") else np.asarray(X)
    seed = int(check_seed(random_state).randint(np.iinfo(np.int32).max))
    taught = teacher_of(teacher, X, classes)
    targets = _targets(taught, X, y, true_share, n_folds, seed)
    made = student if student is not None else new_student(taught.classes, X, seed)
    plan = _Plan(taught, made, 0, Limits(max_vectors, max_bytes), seed)
    plan = replace(plan, n_extra=_n_extra(plan, X, targets, extra_rows))
    if held_out is None:
        rest, part = train_test_split(np.arange(len(targets)), test_size=test_size, random_state=seed)
        measured = plan.fit(_safe_indexing(X, rest), targets[rest])
        rows = _safe_indexing(X, part), None if y is None else np.asarray(y)[part]
        final = plan.fit(X, targets)
    else:
        final = measured = plan.fit(X, targets)
        rows = held_out
    settings = {"extra_rows": plan.n_extra, "true_share": true_share if y is not None else 0.0}
    return _reported(taught, measured, final, *rows, settings)


def _check_arguments(max_vectors, max_bytes, extra_rows, true_share, n_folds, test_size):
    check_number("max_vectors", max_vectors, 1, kind=Integral, optional=True)
    check_number("max_bytes", max_bytes, 1, kind=Integral, optional=True)
    if not (isinstance(extra_rows, str) and extra_rows == "auto"):
        check_number("extra_rows", extra_rows, 0, kind=Integral)
    check_number("true_share", true_share, 0)
    if true_share > 1:
        raise ValueError(f"true_share must be a number from 0 to 1; got {true_share!r}.")
    check_number("n_folds", n_folds, 0, kind=Integral)
    check_share("test_size", test_size)


def _targets(teacher, X, y, true_share, n_folds, seed):
    """Soft labels, or numbers, that the student learns."""
    if y is None:
        return teacher.answer(X)
    labels = np.asarray(y)
    check_consistent_length(X, labels)
    refits = teacher.can_be_refitted and n_folds > 1
    answers = out_of_fold(teacher, X, labels, n_folds, seed) if refits else teacher.answer(X)
    truth = labels.astype(float) if teacher.classes is None else _one_hot(labels, teacher.classes)
    return (1 - true_share) * answers + true_share * truth


def _one_hot(labels: NDArray, classes: NDArray) -> NDArray:
    """Probabilities of the true classes."""
    own = labels[:, None] == classes
    if not own.any(axis=1).all():
        raise ValueError("y must have classes of the teacher; give their labels as classes.")
    return own.astype(float)


def _n_extra(plan, X, targets, extra_rows):
    """Number of extra rows, compared on a part of the rows if it is "auto"."""
    if extra_rows != "auto":
        return int(extra_rows)
    n = len(targets)
    rest, part = train_test_split(np.arange(n), test_size=_COMPARED, random_state=plan.seed)
    rows, reference = _safe_indexing(X, part), targets[part]
    losses = []
    for n_extra in (0, len(rest)):
        fitted = replace(plan, n_extra=n_extra).fit(_safe_indexing(X, rest), targets[rest])
        losses.append(_distance(reference, _answers(fitted, rows), plan.teacher.classes))
    return n if losses[1] < losses[0] - _LEAST_FALL * abs(losses[0]) else 0


def _distance(reference, answers, classes):
    """Mean cross entropy in nats, or the mean squared distance."""
    if classes is None:
        return float(np.square(reference - answers).mean())
    return float(-(reference * np.log(np.maximum(answers, 1e-15))).sum(axis=1).mean())


def _answers(student, X):
    return student.predict_proba(X) if hasattr(student, "predict_proba") else student.predict(X)


def _stacked(X, more):
    """Rows and more rows, frames with frames."""
    if not hasattr(X, "columns"):
        return np.vstack([X, more])
    import pandas as pd

    return pd.concat([X, more], ignore_index=True)


def _reported(teacher, measured, final, X, y, settings):
    """Distillation with all that is measured on held-out rows."""
    taught, learned = teacher.answer(X), _answers(measured, X)
    compare = agreement_of_numbers if teacher.classes is None else agreement_of_classes
    agreement, interval, distance = compare(taught, learned)
    scores = {}
    if y is not None:
        pairs = (("teacher", taught), ("student", learned))
        scores = {who: scores_of(np.asarray(y), answer, teacher.classes) for who, answer in pairs}
    times = {
        "teacher": row_microseconds(teacher.answer, X),
        "student": row_microseconds(lambda row: _answers(final, row), X),
    }
    fast = machine_predictor(final)
    answer = fast.predict_proba if teacher.classes is not None else fast.predict
    coded = fast.coded(_safe_indexing(X, [0])) if hasattr(X, "columns") else np.asarray(X[:1], dtype=float)
    times["compiled"] = row_microseconds(answer, np.ascontiguousarray(coded))
    sizes = {"teacher": pickled_bytes(teacher.model), "student": c_bytes(final)}
    return Distillation(final, agreement, interval, len(taught), scores, distance, sizes, times, settings)
