"""Hostile cases by number: a fit of an estimator or a call of a function, drawn from the number alone.

A case ends with finite numbers, or with a ValueError or TypeError that names what is wrong.
"""

import inspect
import signal
import traceback
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import function_cases
import hostile_data
import numpy as np
from every_estimator import CONSTRUCTORS
from further_cases import FURTHER, wrong_output
from hostile_arguments import VALUES
from scipy import sparse
from sklearn.base import ClassifierMixin

import pauca
from pauca.export import CannotExport
from pauca.persistence import UntrustedModel

PACKAGE = str(Path(pauca.__file__).parent)
# CPU seconds that a case may take.
MAX_SECONDS = 10.0
SLOW = "took too many CPU seconds"
# Share of the arguments of an estimator that are not the defaults, one of these for each case.
_CHANGED = 0.0, 0.07, 0.25
# Share of the cases that call a function, and of rows, targets and weights that are plain.
_FUNCTIONS, _PLAIN = 0.3, 0.5
# What else is asked of a fit, in a share of the cases each.
_FURTHER = 0.04


@dataclass(frozen=True)
class Case:
    """A hostile case: what runs and returns a complaint or None, and arguments that an error may name."""

    number: int
    description: str
    run: Callable[[], str | None]
    names: frozenset[str]


def case_of(number):
    """Case of a number."""
    rng = np.random.default_rng([number, 20262])
    return _call(number, rng) if rng.random() < _FUNCTIONS else _fit(number, rng)


def _call(number, rng):
    name, function, arguments = function_cases.drawn(rng)
    described = ", ".join(f"{key}={_shown(value)}" for key, value in arguments.items())

    def run():
        with np.errstate(under="ignore"):
            function(**arguments)
        if name.startswith("pauca.plotting"):
            from matplotlib import pyplot

            pyplot.close("all")

    return Case(number, f"{name}({described})", run, frozenset(inspect.signature(function).parameters))


def _shown(value):
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}"
    return " ".join(repr(value).split())[:60]


def _fit(number, rng):
    make = CONSTRUCTORS[rng.integers(len(CONSTRUCTORS))]
    estimator, share = make(), rng.choice(_CHANGED)
    changed = {
        name: VALUES[name][rng.integers(len(VALUES[name]))]
        for name in sorted(inspect.signature(type(estimator)).parameters)
        if name in VALUES and rng.random() < share
    }
    estimator = make(**changed)
    n = int(rng.integers(2, 61)) if rng.random() < 0.995 else 1001
    d = int(rng.choice([0, 1, 1, 2, 2, 3, 5, 8, 20, 50]))
    draw = hostile_data.ROWS[rng.integers(len(hostile_data.ROWS))]
    X = draw(rng, n, d)
    y = _targets(rng, estimator, X)
    weights = None if rng.random() < _PLAIN else hostile_data.weights(rng, n)
    names = list(hostile_data.CONTAINERS)
    container = "array" if rng.random() < _PLAIN else names[rng.integers(len(names))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held = hostile_data.CONTAINERS[container](X, rng)
    further = FURTHER[rng.integers(len(FURTHER))] if rng.random() < _FURTHER * len(FURTHER) else None
    described = ", ".join(f"{name}={value!r}" for name, value in changed.items())
    text = f"{type(estimator).__name__}({described}) on {n} x {d} {draw.__name__} rows as {container}"
    words = {
        *inspect.signature(type(estimator)).parameters,
        "X",
        "y",
        "sample_weight",
        "class_weight",
        "column",
        "label",
        "row",
    }
    if further:
        text += f", then {further.__name__}"

    def run():
        return _fit_and_predict(estimator, held, y, weights, further)

    return Case(number, text, run, frozenset(words))


def _targets(rng, estimator, X):
    kinds = hostile_data.labels if isinstance(estimator, ClassifierMixin) else hostile_data.numbers
    return kinds(rng, X, plain=rng.random() < _PLAIN)


def defect_of(case):
    """What is wrong with a case, in one line; None if it keeps the contract.

    A slow case runs once more: the first call of a compiled function compiles it.
    """
    found = _defect_of(case)
    return _defect_of(case) if found == SLOW else found


def _defect_of(case):
    with warnings.catch_warnings(record=True) as caught, time_limit(MAX_SECONDS):
        warnings.simplefilter("always")
        try:
            found = case.run()
        except (ValueError, TypeError) as error:
            found = _unclear(case, error)
        except TooSlow:
            found = SLOW
        except (Exception, SystemExit) as error:
            found = f"{type(error).__name__}: {_one_line(error)} at {_place(error)}"
    ours = [w for w in caught if issubclass(w.category, RuntimeWarning) and w.filename.startswith(PACKAGE)]
    if found is None and ours:
        found = f"RuntimeWarning: {ours[0].message} at {ours[0].filename[len(PACKAGE) :]}:{ours[0].lineno}"
    return found


def _fit_and_predict(estimator, X, y, weights, further=None):
    arguments = {} if weights is None else {"sample_weight": weights}
    estimator.fit(X, y, **arguments)
    rows = X[:5] if hasattr(X, "__getitem__") and not sparse.issparse(X) else X
    found = _not_finite_attribute(estimator)
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        if found is None and hasattr(estimator, name):
            found = wrong_output(name, getattr(estimator, name)(rows))
    if found is None and "return_std" in inspect.signature(estimator.predict).parameters:
        found = wrong_output("std", estimator.predict(rows, return_std=True)[1])
    if found is None and further:
        found = further(estimator, rows, {"X": X, "y": y, **arguments})
    return found


# Vectors are rows of X, with its gaps; a documented probability is NaN where it was not computed.
_MAY_LACK = {"relevance_vectors_", "no_signal_probability_"}


def _not_finite_attribute(estimator):
    for name, value in vars(estimator).items():
        # An evidence of zero is told by a fit that did not converge.
        told = name == "log_evidence_" and not getattr(estimator, "converged_", True)
        if name.endswith("_") and not name.startswith("_") and name not in _MAY_LACK and not told:
            array = np.asarray(value) if isinstance(value, float | np.ndarray | np.floating) else None
            if array is not None and array.dtype.kind == "f" and not np.isfinite(array).all():
                return f"{name} is not finite"
    return None


def _unclear(case, error):
    """Complaint about a message that names no argument; those of scikit-learn's own checks are accepted."""
    places = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    named = bool(case.names & _words(str(error)))
    by_checks = any("sklearn/utils/" in place.replace("\\", "/") for place in places)
    if isinstance(error, CannotExport | UntrustedModel):  # each says what is wrong with the model
        return None
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
