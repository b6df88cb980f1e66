"""Bases of estimators that evaluate, for each row, only as many members as its answer needs."""

from collections.abc import Callable
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_consistent_length

from ..atomic_fit import atomic
from ..validation import as_numbers
from .prefitted import PrefittedEnsemble


class EarlyExit(PrefittedEnsemble):
    """Base class: a fitted ensemble is prepared for evaluation once, and anew when a setting changes.

    A subclass makes the evaluation from the fitted ensemble (`_evaluation_of`), says on which settings it
    depends (`_settings`), and answers rows (`_answers`).
    """

    _evaluation: Any
    _prepared_for: tuple
    # Compiled evaluation of a single row, its arguments after the row, and the shape of X.
    _single_row: tuple[Callable, tuple, tuple] | None
    _derived = "_evaluation", "_single_row", "_prepared_for"

    @atomic
    def fit(self, X: Any, y: ArrayLike, **fit_params: Any) -> Self:
        """Fit a copy of the ensemble.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data, as the ensemble takes it.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels, or targets.
        **fit_params : dict
            Arguments of the ensemble's own `fit`, such as ``sample_weight``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_arguments()
        check_consistent_length(X, y)
        self._check_targets(y)
        self.ensemble_ = self._unfitted_copy().fit(X, y, **fit_params)
        self._remember(X, y)
        self._ready()
        return self

    @property
    def n_members_(self) -> int:
        """Number of members."""
        return len(self._fitted().estimators_)

    def _check_arguments(self):
        """Raise if an argument is wrong."""
        raise NotImplementedError

    def _check_targets(self, y):
        """Raise if the targets are wrong."""

    def _evaluation_of(self, ensemble):
        """Evaluation of a fitted ensemble, and that of a single row or None."""
        raise NotImplementedError

    def _settings(self):
        """Values on which the evaluation depends."""
        raise NotImplementedError

    def _answers(self, X):
        """Answers of rows, and the members evaluated."""
        raise NotImplementedError

    def _remember(self, X, y):
        """Keep what predictions need of the training data."""

    def _ready(self):
        """Evaluation of the fitted ensemble, prepared on the first call and when a setting changes."""
        if not self._is_prepared():
            self._check_arguments()
            self._prepare()
        return self._evaluation

    def _is_prepared(self):
        settings, known = self._settings(), self.__dict__.get("_prepared_for", ())
        return len(known) == len(settings) and all(map(_is, known, settings))

    def _prepare(self):
        """Set the evaluation of the fitted ensemble."""
        self._evaluation, self._single_row = self._evaluation_of(self._fitted())
        self._prepared_for, self._known_as_fitted = self._settings(), self.ensemble

    def _answer_of_single_row(self, X):
        """Answer and members evaluated of one row of floats; no members for any X that needs more checks."""
        single_row = self.__dict__.get("_single_row")
        if (
            single_row is None
            or X.__class__ is not np.ndarray
            or X.shape != single_row[2]
            or X.dtype.char not in "fd"
            or not X.flags.c_contiguous
            or not self._is_prepared()
        ):
            return 0, 0
        return single_row[0](X, *single_row[1])


class EarlyExitClassifier(ClassifierMixin, EarlyExit):
    """Base class of classifiers, whose answers are codes of the classes."""

    @overload
    def predict(self, X: Any, return_queries: Literal[False] = False) -> NDArray: ...
    @overload
    def predict(self, X: Any, return_queries: Literal[True]) -> tuple[NDArray, NDArray]: ...
    def predict(self, X: Any, return_queries: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        return_queries : bool, default=False
            Whether to return the number of members evaluated, too.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        queries : ndarray of int of shape (n_samples,)
            Number of members (trees of boosting) evaluated on each row; only if ``return_queries``.
        """
        code, n_evaluated = self._answer_of_single_row(X)
        if n_evaluated > 0:
            y = self.classes_[code : code + 1].copy()
            return (y, np.array([n_evaluated], dtype=np.int32)) if return_queries else y
        codes, queries = self._answers(X)
        y = self.classes_[codes]
        return (y, queries) if return_queries else y

    @property
    def classes_(self) -> NDArray:
        """Class labels."""
        return self._fitted().classes_


class EarlyExitRegressor(RegressorMixin, EarlyExit):
    """Base class of regressors, whose answers are numbers."""

    @overload
    def predict(self, X: Any, return_queries: Literal[False] = False) -> NDArray: ...
    @overload
    def predict(self, X: Any, return_queries: Literal[True]) -> tuple[NDArray, NDArray]: ...
    def predict(self, X: Any, return_queries: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Number of each row, within the tolerance of that of all members as the confidence says.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        return_queries : bool, default=False
            Whether to return the number of members evaluated, too.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predicted targets.
        queries : ndarray of int of shape (n_samples,)
            Number of members (trees of boosting) evaluated on each row; only if ``return_queries``.
        """
        number, n_evaluated = self._answer_of_single_row(X)
        if n_evaluated > 0:
            y, queries = np.atleast_1d(number), np.array([n_evaluated], dtype=np.int32)
            y = y if len(y) == 1 else y[None]
        else:
            y, queries = self._answers(X)
        return (y, queries) if return_queries else y

    def _check_targets(self, y):
        if y is not None:  # the ensemble says what is missing
            as_numbers("y", y)


def _is(a, b):
    return a is b
