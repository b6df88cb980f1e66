"""Distillation of CatBoost and random forests: what students keep of their teachers."""

import warnings
from time import process_time

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from pauca import distil
from pauca.evaluation import Unit
from pauca.export import to_c

from ..harness.problems import half
from ..harness.report import Table
from .native import Native

SETS = (
    *("australian", "banana", "breast-cancer", "diabetis", "german", "heart", "image"),
    *("ionosphere", "ringnorm", "spam", "splice", "thyroid", "twonorm", "waveform"),
)
SPLIT = 10
# Training rows at most, set by hand for time; constants of the student in bytes, which leaves room for code.
_MAX_TRAIN, _MAX_BYTES = 700, 16_000


def _catboost():
    from catboost import CatBoostClassifier

    return CatBoostClassifier(verbose=False, random_seed=0, thread_count=1, allow_writing_files=False)


TEACHERS = {"CatBoost": _catboost, "random forest": lambda: RandomForestClassifier(100, random_state=0)}


def table(options, store):
    """A row for each teacher and set, and notes about sets that are missing."""
    rows, notes = [], []
    for teacher in ("random forest",) if options.quick else TEACHERS:
        for name in SETS[5:6] if options.quick else SETS:
            unit = Unit("ship distillation", name, SPLIT, teacher)
            if options.stored and unit not in store:
                notes.append(f"students of {teacher} on {name} were not measured in this run")
                continue
            try:
                if unit not in store:
                    store.put(unit, measured(name, SPLIT, teacher, 60 if options.quick else _MAX_TRAIN))
                rows.append({"teacher": teacher, "set": name, **store[unit]})
            except OSError as error:
                notes.append(f"{name} left out: {error}")
    title = f"Students of at most {_MAX_BYTES} bytes of constants, one half split, at most {_MAX_TRAIN} rows"
    return Table(title, rows), notes


def measured(name, split, teacher, max_train=_MAX_TRAIN, **options):
    """Scores, sizes and latencies of a teacher and its student on the other half."""
    problem = half(name, split, max_train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = TEACHERS[teacher]().fit(problem.X, problem.y)
        start = process_time()
        found = distil(
            *(model, problem.X, problem.y),
            **{"max_bytes": _MAX_BYTES, "held_out": (problem.X_test, problem.y_test), **options},
        )
    seconds = process_time() - start
    native = Native(to_c(found.student, precision="float"), "float", len(found.student.classes_))
    mine, theirs = found.scores["student"], found.scores["teacher"]
    low, high = found.agreement_interval
    return {
        "teacher AUC": theirs["auc"],
        "student AUC": mine["auc"],
        "AUC kept %": 100 * mine["auc"] / theirs["auc"],
        "teacher log-loss": theirs["log_loss"],
        "student log-loss": mine["log_loss"],
        "agreement %": 100 * found.agreement,
        "95 %": f"{100 * low:.1f} to {100 * high:.1f}",
        "vectors": len(found.student.relevance_),
        "extra rows": found.settings["extra_rows"],
        "teacher kB": found.n_bytes["teacher"] / 1000,
        "student kB": native.n_bytes / 1000,
        "teacher µs": found.microseconds["teacher"],
        "compiled µs": found.microseconds["compiled"],
        "C µs": _row_of_c(native, problem.X_test),
        "distil s": seconds,
    }


def _row_of_c(native, X):
    """Least processor time of a row in C, in microseconds."""
    X, times = np.ascontiguousarray(X, dtype=native.dtype), []
    for _ in range(5):
        start = process_time()
        native(X)
        times.append((process_time() - start) / len(X))
    return 1e6 * min(times)
