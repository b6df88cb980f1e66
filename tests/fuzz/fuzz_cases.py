"""Hostile fits by number: the estimator, its arguments and its data are drawn from the number alone.

A fit ends with finite numbers, or with a ValueError or TypeError that names what is wrong.
"""

import inspect
import signal
import traceback
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hostile_data
import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, RandomForestRegressor

import pauca
from pauca import machines

PACKAGE = str(Path(pauca.__file__).parent)
# CPU seconds that a fit with its predictions may take.
MAX_SECONDS = 10.0
# Share of the arguments of a case that are not the defaults.
_CHANGED = 0.15
_POSITIVE = [1e-300, 1e-8, 0.3, 1.0, 7, 1e8, 1e300, 0, -1, np.nan, np.inf, "many", None]
_COUNTS = [1, 2, 3, 10, 0, -1, 2.5, None, 10**30, True]
_PAIRS = [(1, 9), (1e-6, 1e-5), (1e8, 1e9), (0.5, 0.6), (5, 1), (0, 1), 3, None, "prior"]
# Values of arguments by name; others keep their defaults.
VALUES: dict[str, list] = {
    "kernel": [
        *("rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine"),
        *("auto", "sigmoid", None, 3, lambda A, B: np.asarray(A @ B.T)),
        *(lambda A, B: np.full((A.shape[0], B.shape[0]), np.nan), lambda A, B: np.zeros(3)),
        *(lambda A, B: -np.asarray(A @ B.T), lambda A, B: 1 / 0),
    ],
    "gamma": ["evidence", "loo", "cv", "scale", *_POSITIVE],
    "feature_scales": ["evidence", None, "none"],
    "inference": ["laplace", "ep", "variational", "type2", "sampling"],
    "class_weight": [None, "balanced", {0: 1, 1: 5}, {0: -1}, "uneven"],
    "trend": ["evidence", True, False, 2],
    "max_vectors": [1, 3, 0.1, 0.99, 0, -1, 1.5, "all"],
    "noise": [None, 0, 0.1, 0.49, 0.5, -1, "loud"],
    "noise_variance": [None, *_POSITIVE],
    "noise_prior": _PAIRS,
    "random_state": [0, None, 7, "seed", -1],
    "n_init": [1, 2, 0, None],
    "max_iter": [1, 3, 50, 0, -1, 2.5, True, 10**30],
    "expected_features": ["evidence", *_POSITIVE],
    "n_features_to_select": _COUNTS,
    "n_active": ["evidence", *_COUNTS],
    "confidence": [0.51, 0.9, 0.999, 1, 0, 2, "sure"],
    "size": [0.2, 1, 3, "auto", 0, 2.0, "few"],
    "method": ["ordered", "sdp", "exhaustive", "evidence", "best"],
    "voting": ["auto", "hard", "soft", "loud"],
    **dict.fromkeys(("degree", "coef0", "tol", "min_gain", "slab_variance", "spike_variance"), _POSITIVE),
    **dict.fromkeys(("weight_prior", "alpha_prior", "hyperprior", "noise_hyperprior"), _PAIRS),
    "max_candidates": _COUNTS,
}


@dataclass(frozen=True)
class Case:
    """A hostile fit."""

    number: int
    estimator: Any
    description: str
    X: Any
    y: Any
    weights: Any


def estimators():
    """Constructors of all estimators that learn from rows, with what they need."""
    kinds = [getattr(machines, name) for name in machines.__all__ if name.endswith(("ifier", "essor"))]
    return [
        *kinds,
        lambda **options: pauca.InstancePrunedClassifier(
            RandomForestClassifier(7, random_state=0), **options
        ),
        lambda **options: pauca.PrunedEnsembleClassifier(
            BaggingClassifier(None, 5, random_state=0), **options
        ),
        lambda **options: pauca.PrunedEnsembleRegressor(RandomForestRegressor(7, random_state=0), **options),
    ]


def case_of(number):
    """Case of a number."""
    rng = np.random.default_rng([number, 20261])
    kinds = estimators()
    make = kinds[rng.integers(len(kinds))]
    estimator = make()
    changed = {
        name: VALUES[name][rng.integers(len(VALUES[name]))]
        for name in sorted(inspect.signature(type(estimator)).parameters)
        if name in VALUES and rng.random() < _CHANGED
    }
    estimator = make(**changed)
    n = int(rng.integers(2, 61)) if rng.random() < 0.995 else 1001
    d = int(rng.choice([0, 1, 1, 2, 2, 3, 5, 8, 20, 50]))
    draw = hostile_data.ROWS[rng.integers(len(hostile_data.ROWS))]
    X = draw(rng, n, d)
    y = (hostile_data.labels if is_classifier(estimator) else hostile_data.numbers)(rng, X)
    weights = hostile_data.weights(rng, n)
    container = list(hostile_data.CONTAINERS)[rng.integers(len(hostile_data.CONTAINERS))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held = hostile_data.CONTAINERS[container](X, rng)
    described = ", ".join(f"{name}={value!r}" for name, value in changed.items())
    text = f"{type(estimator).__name__}({described}) on {n} x {d} {draw.__name__} rows as {container}"
    return Case(number, estimator, text, held, y, weights)


def defect_of(case):
    """What is wrong with a fit, in one line; None if it keeps the contract."""
    with warnings.catch_warnings(record=True) as caught, time_limit(MAX_SECONDS):
        warnings.simplefilter("always")
        try:
            found = _fit_and_predict(case)
        except (ValueError, TypeError) as error:
            found = _unclear(case, error)
        except TooSlow:
            found = f"took more than {MAX_SECONDS:.0f} CPU seconds"
        except (Exception, SystemExit) as error:
            found = f"{type(error).__name__}: {_one_line(error)} at {_place(error)}"
    ours = [w for w in caught if issubclass(w.category, RuntimeWarning) and w.filename.startswith(PACKAGE)]
    if found is None and ours:
        found = f"RuntimeWarning: {ours[0].message} at {ours[0].filename[len(PACKAGE) :]}:{ours[0].lineno}"
    return found


def _fit_and_predict(case):
    estimator, X = case.estimator, case.X
    arguments = {} if case.weights is None else {"sample_weight": case.weights}
    estimator.fit(X, case.y, **arguments)
    rows = X[:5] if hasattr(X, "__getitem__") and not sparse.issparse(X) else X
    found = _not_finite_attribute(estimator)
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        if found is None and hasattr(estimator, name):
            found = _wrong_output(name, getattr(estimator, name)(rows))
    if found is None and "return_std" in inspect.signature(estimator.predict).parameters:
        found = _wrong_output("std", estimator.predict(rows, return_std=True)[1])
    return found


def _not_finite_attribute(estimator):
    for name, value in vars(estimator).items():
        # Vectors are rows of X, with its gaps; an evidence of zero is told by a fit that did not converge.
        told = name == "log_evidence_" and not getattr(estimator, "converged_", True)
        if name.endswith("_") and not name.startswith("_") and name != "relevance_vectors_" and not told:
            array = np.asarray(value) if isinstance(value, float | np.ndarray | np.floating) else None
            if array is not None and array.dtype.kind == "f" and not np.isfinite(array).all():
                return f"{name} is not finite"
    return None


def _wrong_output(name, values):
    values = np.asarray(values)
    if values.dtype.kind != "f":
        return None
    if np.isnan(values).any() or (name != "predict_log_proba" and not np.isfinite(values).all()):
        return f"{name} is not finite"
    if name == "std" and (values < 0).any():
        return "std is negative"
    if name == "predict_proba":
        valid = (values >= 0).all() and np.allclose(values.sum(axis=1), 1, atol=1e-6)
        return None if valid else "predict_proba is no probability"
    return None


def _unclear(case, error):
    """Complaint about a message that names no argument; those of scikit-learn's own checks are accepted."""
    places = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    words = {*inspect.signature(type(case.estimator)).parameters, "X", "y", "sample_weight", "class_weight"}
    named = any(word in _words(str(error)) for word in words)
    by_checks = any("sklearn/utils/" in place.replace("\\", "/") for place in places)
    if named or by_checks or not any(place.startswith(PACKAGE) for place in places):
        return None
    return f"unclear {type(error).__name__}: {_one_line(error)} at {_place(error)}"


def _words(text):
    return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())


def _one_line(error):
    return " ".join(str(error).split())[:160]


def _place(error):
    """Innermost place of the package that an error passed."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(PACKAGE)]
    return f"{frames[-1].filename[len(PACKAGE) :]}:{frames[-1].lineno}" if frames else "elsewhere"


class TooSlow(BaseException):
    """A fit has used up its CPU seconds."""


@contextmanager
def time_limit(seconds):
    """Raise `TooSlow` in the block after some CPU seconds, where the system has the timer for it."""

    def stop(number, frame):
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
