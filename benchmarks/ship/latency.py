"""Bytes, and processor time of a row alone and in a batch, of models in each of their forms."""

import warnings
from time import process_time

import numpy as np

from pauca import SparseGPClassifier
from pauca.evaluation import Unit

from ..harness.problems import Problem, generated
from ..harness.report import Table
from .engines import forms_of
from .peers import PEERS

# Processor seconds of each timing, and timings, the least of which counts: other load only adds.
_SECONDS, _N_TIMINGS = 0.1, 7
_N_BATCH = 10_000
# Vectors of the machine whose latency is a target, and least gains that are tried to come to as many.
_N_VECTORS, _GAINS = 70, (0.0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


def table(options, store):
    """Table of all models and forms, and notes about those that did not run."""
    n_train, n_batch = (80, 200) if options.quick else (1000, _N_BATCH)
    unit = Unit("ship latency", f"twonorm N={n_train}/{n_batch}", 0, "all forms")
    if unit not in store:
        store.put(unit, _measured(_ten_features(generated("twonorm", n_train, n_batch)), options.quick))
    title = (
        f"Bytes and microseconds of processor time, twonorm d=10, {n_train} training rows, batch of {n_batch}"
    )
    return Table(title, store[unit]["rows"]), store[unit]["notes"]


def _ten_features(problem):
    """Problem with ten of the features, and classes whose border is curved, so that vectors are needed."""
    X, X_test = problem.X[:, :10], problem.X_test[:, :10]
    y, y_test = ((np.sin(2 * rows[:, 0]) + np.cos(2 * rows[:, 1]) > rows[:, 2]) for rows in (X, X_test))
    return Problem(problem.name, X, y.astype(int), X_test, y_test.astype(int))


def _measured(problem, quick):
    """Rows of the table, and notes."""
    rows, notes = [], []
    makers = {"SparseGP": lambda X, y: forms_of(_seventy_vectors(X, y)), **PEERS}
    if quick:
        del makers["CatBoost"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model, make in makers.items():
            try:
                for form, predict, size in make(problem.X, problem.y):
                    rows.append(
                        {"model": model, "form": form, "bytes": size, **_times(predict, problem.X_test)}
                    )
            except Exception as error:
                notes.append(f"{model} skipped in part: {type(error).__name__}: {error}")
    return {"rows": rows, "notes": notes}


def _seventy_vectors(X, y):
    """Machine of one given kernel with 70 vectors, or as near as its search comes."""
    machine = SparseGPClassifier(kernel="rbf", gamma=0.1, feature_scales=None, min_gain=0.0)
    if "max_vectors" in machine.get_params():
        return machine.set_params(max_vectors=_N_VECTORS).fit(X, y)
    fits = (machine.set_params(min_gain=gain).fit(X, y) for gain in _GAINS)
    return next(fit for fit in fits if len(fit.relevance_) <= _N_VECTORS)


def _times(predict, X):
    """Least processor time of a row alone, and of each row of a batch, in microseconds."""
    row, batch = np.ascontiguousarray(X[:1]), np.ascontiguousarray(X)
    return {"one row µs": _least(predict, row), "row of a batch µs": _least(predict, batch) / len(batch)}


def _least(predict, X):
    predict(X)
    times = []
    for _ in range(_N_TIMINGS):
        start, n_calls = process_time(), 0
        while process_time() - start < _SECONDS or n_calls == 0:
            predict(X)
            n_calls += 1
        times.append((process_time() - start) / n_calls)
    return 1e6 * min(times)
