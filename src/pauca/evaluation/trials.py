"""Fit an estimator on some rows, predict others, and say how that went."""

import inspect
from time import perf_counter

import numpy as np
from sklearn.base import clone

from .curves import classification_curves, regression_curves
from .scores import classification_scores, regression_scores
from .sizes import innermost, n_vectors

CLASSIFICATION, REGRESSION = "classification", "regression"
# Predictions take milliseconds; the fastest of a few runs is free of what the first one warms up.
_N_TIMINGS = 3


def evaluate(estimator, X, y, train, test, task=CLASSIFICATION):
    """Scores, size, seconds and curves of an estimator on one split.

    Parameters
    ----------
    estimator : estimator
        Cloned, then fitted. Classifiers need ``predict_proba``.
    X : array, sparse matrix or data frame of shape (n, n_features)
    y : array-like of shape (n,)
    train, test : arrays of row indices
    task : {"classification", "regression"}

    Returns
    -------
    dict
        What `classification_scores` or `regression_scores` give; ``vectors``, ``log_evidence`` (None where
        there are none), ``fit_seconds``, ``predict_seconds``; ``calibration`` and ``error_curve``.
    """
    y = np.asarray(y)
    record, prediction = fit_and_predict(estimator, X, y, train, test, task)
    labels = np.unique(y) if task == CLASSIFICATION else None
    return {
        **score(task, y[test], prediction, labels),
        **record,
        **_curves(task, y[test], prediction, labels),
    }


def fit_and_predict(estimator, X, y, train, test, task):
    """A record of size and seconds, and the prediction: probabilities, or mean and standard deviation."""
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


def predict_distribution(model, X, task):
    """Class probabilities, or the pair of mean and standard deviation (None if the model has none)."""
    if task == CLASSIFICATION:
        return model.predict_proba(X)
    if "return_std" in inspect.signature(innermost(model).predict).parameters:
        return model.predict(X, return_std=True)
    return model.predict(X), None


def score(task, y, prediction, labels=None):
    """The scores of a prediction."""
    if task == CLASSIFICATION:
        return classification_scores(y, prediction, labels=labels)
    return regression_scores(y, *prediction)


def _curves(task, y, prediction, labels):
    if task == CLASSIFICATION:
        return classification_curves(y, prediction, labels)
    return regression_curves(y, *prediction)


def _timed(work):
    """Seconds the work took, and its result."""
    start = perf_counter()
    result = work()
    return perf_counter() - start, result


def _rows(X, indices):
    return X.iloc[indices] if hasattr(X, "iloc") else X[indices]
