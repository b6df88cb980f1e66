"""The table of the README: log-loss, size and latency beside CatBoost, LightGBM, SVM and Gaussian process.

``python -m benchmarks overview --splits 2 --store FILE --table README.md`` writes it between its marks.
"""

import pickle
import re
import zlib
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from pauca import SparseGPClassifier
from pauca.evaluation import Unit, classification_scores
from pauca.evaluation.tables import markdown_table

from ..harness.contenders import GP_CLASSIFIER, SVC_GRID, named
from ..harness.problems import half
from ..harness.report import Report, Table

OURS = "SparseGPClassifier"
# Real tables of the UCI repository; the first three ship with scikit-learn.
SETS = (
    *("wdbc", "wine", "digits", "heart", "german", "diabetis", "ionosphere", "sonar"),
    *("australian", "vehicle", "image", "segment", "spam", "magic"),
)
_QUICK_SETS = ("wine",)
# The first split that is reported; the splits before it have chosen constants.
_FIRST_SPLIT = 10
# Training rows up to which the full Gaussian process is fitted: above it takes minutes. Set by hand.
_MAX_PROCESS_ROWS = 500
# Single rows whose prediction is timed, and how many of them are not counted.
_N_CALLS, _N_WARM = 200, 20
# Log-losses closer than this count as equal.
_TIE = 0.005
_MARKS = "<!-- overview -->", "<!-- /overview -->"


def _catboost(X, y):
    kind = import_module("catboost").CatBoostClassifier
    return kind(verbose=0, random_seed=0, thread_count=1, allow_writing_files=False).fit(X, y)


def _lightgbm(X, y):
    return import_module("lightgbm").LGBMClassifier(verbose=-1, random_state=0, n_jobs=1).fit(X, y)


MACHINES = {
    OURS: lambda X, y: SparseGPClassifier().fit(X, y),
    "CatBoost": _catboost,
    "LightGBM": _lightgbm,
    "random forest, 300 trees": lambda X, y: RandomForestClassifier(300, random_state=0).fit(X, y),
    "SVC, 25 settings, calibrated": named(SVC_GRID)[0].fit,
    "GaussianProcessClassifier": named(GP_CLASSIFIER)[0].fit,
}


def run(options, store) -> Report:
    """Scores, sizes and times on halves of each set, at most 1000 training rows."""
    rows, missing = [], []
    for name in _QUICK_SETS if options.quick else SETS:
        for split in range(_FIRST_SPLIT, _FIRST_SPLIT + options.splits):
            try:
                problem = half(name, split)
            except OSError as error:
                missing.append(f"{name} left out: {error}")
                break
            rows += [
                {"set": name, "split": split, "machine": machine, **measured(problem, machine, store)}
                for machine in MACHINES
                if machine != "GaussianProcessClassifier" or len(problem.y) <= _MAX_PROCESS_ROWS
            ]
    failed = [f"{row['machine']} on {row['set']}: {row['failed']}" for row in rows if "failed" in row]
    rows = [row for row in rows if "failed" not in row]
    tables = [Table("Summary", summary_rows(rows)), Table("Log-loss by set", log_loss_rows(rows))]
    if options.table:
        write_table(Path(options.table), rows)
    return Report(tables, [], missing + failed)


def measured(problem, machine, store):
    """Scores, size, microseconds for one row and processor seconds of a fit, from the store or anew."""
    unit = Unit("overview", f"{problem.name}/{len(problem.y_test)}", 0, machine)
    if unit not in store:
        try:
            start = process_time()
            model = MACHINES[machine](problem.X, problem.y)
            record = {"fit_cpu_s": process_time() - start, **_scores(model, problem)}
        except Exception as error:
            record = {"failed": f"{type(error).__name__}: {error}"}
        store.put(unit, record)
    return store[unit]


def _scores(model, problem):
    p = np.clip(model.predict_proba(problem.X_test), 0, 1)
    scores = classification_scores(problem.y_test, p / p.sum(axis=1, keepdims=True))
    return {
        "log_loss": scores["log_loss"],
        "error_%": 100 * scores["error"],
        "kB": len(zlib.compress(pickle.dumps(model))) / 1000,
        "us": _latency(model, problem.X_test),
    }


def _latency(model, X):
    """Median microseconds of a probability for a single row."""
    seconds = []
    for call in range(_N_CALLS + _N_WARM):
        row = X[call % len(X)][None]
        start = perf_counter()
        model.predict_proba(row)
        seconds.append(perf_counter() - start)
    return 1e6 * float(np.median(seconds[_N_WARM:]))


def means(rows, measure):
    """From machine to set to the mean of a measure over the splits."""
    found = {}
    for row in rows:
        found.setdefault(row["machine"], {}).setdefault(row["set"], []).append(row[measure])
    return {machine: {name: float(np.mean(v)) for name, v in sets.items()} for machine, sets in found.items()}


def summary_rows(rows):
    """One row for each machine: means over the sets that it was fitted on, wins and losses beside ours."""
    losses = means(rows, "log_loss")
    sizes, times, fits = (means(rows, name) for name in ("kB", "us", "fit_cpu_s"))
    return [
        {
            "classifier": machine,
            "log-loss": f"{np.mean(list(mine.values())):.3f}",
            "ours on these sets": f"{np.mean([losses[OURS][name] for name in mine]):.3f}",
            "better / worse than ours": _wins(mine, losses[OURS]) if machine != OURS else "–",
            "kB": _short(np.median(list(sizes[machine].values()))),
            "µs for one row": _short(np.median(list(times[machine].values()))),
            "fit, CPU s": _short(np.median(list(fits[machine].values()))),
        }
        for machine, mine in losses.items()
    ]


def _wins(theirs, ours):
    better = sum(value < ours[name] - _TIE for name, value in theirs.items())
    worse = sum(value > ours[name] + _TIE for name, value in theirs.items())
    return f"{better} / {worse} of {len(theirs)} sets"


def log_loss_rows(rows):
    """One row for each set with the log-loss of every machine."""
    losses = means(rows, "log_loss")
    names = dict.fromkeys(row["set"] for row in rows)
    return [
        {"set": name, **{machine: _written(mine.get(name)) for machine, mine in losses.items()}}
        for name in names
    ]


def _short(value):
    """Two or three digits, never an exponent."""
    return f"{value:.2g}" if value < 1 else f"{float(f'{value:.3g}'):g}"


def _written(value):
    return "–" if value is None else f"{value:.3f}"


def write_table(path, rows):
    """Replace what stands between the marks of a page; other pages than the README have every set as well."""
    text = path.read_text(encoding="utf-8")
    splits = len({row["split"] for row in rows})
    n_sets = len({row["set"] for row in rows})
    parts = [
        "",
        markdown_table(summary_rows(rows)),
        f"Means (log-loss) and medians over {n_sets} real tables of 89 to 1000 training rows, {splits} "
        f"random halves each; everything at its defaults, one core of a shared machine. Better and worse: "
        f"by more than {_TIE} in log-loss. Sizes are compressed pickles. Measured and written by "
        f"`python -m benchmarks overview --splits {splits} --table {path.as_posix()}`.",
        "",
    ]
    if path.name != "README.md":
        parts[2:2] = ["Log-loss on every set:\n", markdown_table(log_loss_rows(rows))]
    start, end = (re.escape(mark) for mark in _MARKS)
    block = "\n".join([_MARKS[0], *parts, _MARKS[1]])
    path.write_text(re.sub(f"{start}.*?{end}", lambda _: block, text, flags=re.DOTALL), encoding="utf-8")
