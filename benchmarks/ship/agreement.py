"""Largest difference between Python and its exports, over all rows of all sets."""

import warnings

import numpy as np

from pauca import SparseGPClassifier
from pauca.evaluation import Unit

from ..harness.problems import halves, load, standardised
from ..harness.report import Table
from .engines import forms_of

SETS = (
    *("australian", "banana", "breast-cancer", "diabetis", "flare-solar", "german", "heart", "image"),
    *("ionosphere", "liver", "magic", "ringnorm", "sonar", "spam", "splice", "thyroid", "titanic"),
    *("twonorm", "waveform", "glass", "iris", "segment", "vehicle", "vowel", "wine", "yeast"),
)
SPLIT = 10
# Training rows at most, for time; predictions are compared on all rows of a set.
_MAX_TRAIN = 400
FORMS = ("compiled", "ONNX", "C, double", "C, float")


def table(options, store):
    """Differences by set and form, and notes about sets that are missing."""
    rows, notes = [], []
    for name in SETS[2:3] if options.quick else SETS:
        unit = Unit("ship agreement", name, SPLIT, "all forms")
        if options.stored and unit not in store:
            notes.append(f"exports on {name} were not compared in this run")
            continue
        try:
            if unit not in store:
                store.put(unit, _measured(name, 60 if options.quick else _MAX_TRAIN))
            rows.append({"set": name, **store[unit]})
        except OSError as error:
            notes.append(f"{name} left out: {error}")
    return Table(
        "Largest difference to predict_proba in single precision, over all rows of a set", rows
    ), notes


def _measured(name, max_train):
    """Largest differences of each form; rows are all of the set, in single precision."""
    data = load(name)
    train = np.random.default_rng(SPLIT).permutation(halves(data, SPLIT)[0])[:max_train]
    problem = standardised(name, data.X[train], data.y[train], data.X, data.y)
    X = problem.X_test.astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = SparseGPClassifier().fit(problem.X, problem.y)
    expected = machine.predict_proba(X)
    found = {"rows": len(X), "classes": len(machine.classes_), "vectors": len(machine.relevance_)}
    for form, predict, _ in forms_of(machine):
        if form in FORMS:
            blocks = (predict(X[first : first + 500].astype(float)) for first in range(0, len(X), 500))
            found[form] = float(np.abs(np.vstack(list(blocks)) - expected).max())
    return found
