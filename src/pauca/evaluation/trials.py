"""One trial: fit an estimator on training rows, predict test rows; scores, size, seconds and curves."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import Pipeline

from ..validation import as_array, as_labels, check_option
from .curves import classification_curves, regression_curves
from .protocols import Indices
from .scores import classification_scores, regression_scores

CLASSIFICATION, REGRESSION = "classification", "regression"
# Number of timed predictions, of which the fastest counts: the first one warms up caches. Set by hand.
_N_TIMINGS = 3


def evaluate(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    train: Indices,
    test: Indices,
    task: str = CLASSIFICATION,
) -> dict[str, Any]:
    """Evaluate an estimator on one split: scores, size, seconds and curves.

    Parameters
    ----------
    estimator : estimator
        Cloned, then fitted. Classifiers need ``predict_proba``.
    X : array, sparse matrix or data frame of shape (n, n_features)
        Features.
    y : array-like of shape (n,)
        Targets.
    train : array of int
        Indices of the training rows.
    test : array of int
        Indices of the test rows.
    task : {"classification", "regression"}, default="classification"
        Kind of prediction.

    Returns
    -------
    dict
        Scores of `classification_scores` or `regression_scores`; ``vectors``, ``log_evidence`` (None where
        there are none), ``fit_seconds``, ``predict_seconds``; ``calibration`` and ``risk_coverage``.
    """
    check_option("task", task, (CLASSIFICATION, REGRESSION))
    X, y = X if hasattr(X, "shape") else as_array("X", X), as_labels("y", y)
    if X.shape[:1] != y.shape:
        raise ValueError(f"X and y must have as many rows; got shapes {X.shape} and {y.shape}.")
    train, test = _as_indices("train", train, len(y)), _as_indices("test", test, len(y))
    record, prediction = fit_and_predict(estimator, X, y, train, test, task)
    labels = np.unique(y) if task == CLASSIFICATION else None
    return {
        **score(task, y[test], prediction, labels),
        **record,
        **_curves(task, y[test], prediction, labels),
    }


def fit_and_predict(
    estimator: Any, X: Any, y: NDArray, train: Indices, test: Indices, task: str
) -> tuple[dict[str, Any], Any]:
    """Record of size and seconds, and the prediction: probabilities, or mean and standard deviation."""
    model = clone(estimator)
    X_train, X_test = _rows(X, train), _rows(X, test)
    fit_seconds, _ = _timed(lambda: model.fit(X_train, y[train]))
    runs = [_timed(lambda: predict_distribution(model, X_test, task)) for _ in range(_N_TIMINGS)]
    record = {
        "vectors": n_vectors(model),
        "log_evidence": getattr(innermost(model), "log_evidence_", None),
        "fit_seconds": fit_seconds,
        "predict_seconds": min(seconds for seconds, _ in runs),
    }
    return record, runs[0][1]


def predict_distribution(model: Any, X: Any, task: str) -> Any:
    """Class probabilities, or the pair of mean and standard deviation (None if the model has none)."""
    if task == CLASSIFICATION:
        if not hasattr(model, "predict_proba"):
            raise TypeError(f"estimator must have predict_proba; {type(model).__name__} has none.")
        return model.predict_proba(X)
    if "return_std" in inspect.signature(innermost(model).predict).parameters:
        return model.predict(X, return_std=True)
    return model.predict(X), None


def score(task: str, y: ArrayLike, prediction: Any, labels: ArrayLike | None = None) -> dict[str, float]:
    """Scores of a prediction that `predict_distribution` returned."""
    if task == CLASSIFICATION:
        return classification_scores(y, prediction, labels=labels)
    return regression_scores(y, *prediction)


def n_vectors(model: Any) -> int | None:
    """Count the training rows that a fitted model keeps.

    Parameters
    ----------
    model : fitted estimator
        Estimator, or a pipeline, calibration or search around one.

    Returns
    -------
    int or None
        None if the model does not keep training rows.
    """
    model = innermost(model)
    for attribute in ("relevance_", "support_"):
        if hasattr(model, attribute):
            return len(getattr(model, attribute))
    gaussian_process = getattr(model, "base_estimator_", model)
    return len(gaussian_process.X_train_) if hasattr(gaussian_process, "X_train_") else None


def innermost(model: Any) -> Any:
    """Find the estimator inside pipelines, calibration, grid search and target transformation.

    Parameters
    ----------
    model : fitted estimator
        Estimator, or estimators nested around one.

    Returns
    -------
    fitted estimator
    """
    if isinstance(model, Pipeline):
        return innermost(model[-1])
    if isinstance(model, CalibratedClassifierCV):
        return innermost(model.calibrated_classifiers_[0].estimator)
    for attribute in ("best_estimator_", "regressor_"):
        if hasattr(model, attribute):
            return innermost(getattr(model, attribute))
    return model


def _curves(task: str, y: NDArray, prediction: Any, labels: Any) -> dict[str, Any]:
    if task == CLASSIFICATION:
        return classification_curves(y, prediction, labels)
    return regression_curves(y, *prediction)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds that a call took, and its result."""
    start = perf_counter()
    result = work()
    return perf_counter() - start, result


def _as_indices(name: str, indices: Indices, n_rows: int) -> Indices:
    """Indices of rows, or a ValueError that names the argument."""
    array = as_array(name, indices)
    inside = array.dtype.kind in "iu" and array.ndim == 1 and array.size > 0
    if not inside or array.min() < 0 or array.max() >= n_rows:
        raise ValueError(f"{name} must hold indices of the {n_rows} rows; got {indices!r}.")
    return array


def _rows(X: Any, indices: Indices) -> Any:
    return X.iloc[indices] if hasattr(X, "iloc") else X[indices]
