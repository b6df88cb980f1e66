"""Timed runs of several contenders on one problem: alternating repetitions in one process, median times."""

import warnings
from statistics import median
from time import perf_counter, process_time

import numpy as np

from pauca.evaluation import Unit, classification_scores, regression_scores

from .problems import half

# Seconds of fitting on one problem after which a contender is not run again; set by hand.
_MAX_SECONDS = 20.0
# Timings of predict_proba, the fastest of which counts: the first also fills caches. Set by hand.
_N_TIMINGS = 3


def run_on_halves(datasets, contenders, options, store):
    """Rows of `run_contenders` on one half of each set, and notes about what could not be measured."""
    rows, missing = [], []
    for name in datasets:
        try:
            problem = half(name, 0, max_train=None)
        except OSError as error:
            missing.append(f"{name} left out: {error}")
        else:
            rows += run_contenders(problem, contenders, classify, options.repeats, store)
    return [row for row in rows if "failed" not in row], missing + failures(rows)


def run_contenders(problem, contenders, predict, repeats, store):
    """One row for each contender: scores and median seconds of ``repeats`` alternating fits and predictions.

    Contenders take turns, every other round backwards. What the store has is not measured again.
    """
    contenders = [contender for contender in contenders if len(problem.y) <= contender.max_rows]
    records = {contender.name: [] for contender in contenders}
    for turn in range(repeats):
        for contender in contenders if turn % 2 == 0 else contenders[::-1]:
            mine = records[contender.name]
            if _may_run_again(mine):
                unit = _unit(problem, contender, turn)
                if unit not in store:
                    store.put(unit, _attempt(contender, predict, problem))
                mine.append(store[unit])
    return [_summary(problem.name, name, mine) for name, mine in records.items()]


def is_stored(problem, contender, store):
    """Whether the store has the first measurement of a contender on a problem."""
    return _unit(problem, contender, 0) in store


def _unit(problem, contender, turn):
    return Unit("runs", f"{problem.name}/{len(problem.y_test)}", turn, contender.name)


def classify(model, X, y):
    """Test error in percent, log-loss, and seconds of the fastest of a few calls of ``predict_proba``."""
    seconds = []
    for _ in range(_N_TIMINGS):
        start = perf_counter()
        probabilities = model.predict_proba(X)
        seconds.append(perf_counter() - start)
    scores = classification_scores(y, np.clip(probabilities, 0, 1))
    return {"predict_s": min(seconds), "error_%": 100 * scores["error"], "log_loss": scores["log_loss"]}


def regress(model, X, y):
    """Root mean square error, negative log density where there are standard deviations, and seconds."""
    start = perf_counter()
    try:
        predicted = model.predict(X, return_std=True)
    except TypeError:
        predicted = model.predict(X)
    # LightGBM takes any keyword and returns the means alone.
    mean, std = predicted if isinstance(predicted, tuple) else (predicted, None)
    seconds = perf_counter() - start
    scores = regression_scores(y, mean, std)
    return {"predict_s": seconds, "rmse": scores["rmse"], "nlpd": None if std is None else scores["nlpd"]}


def failures(rows):
    """One line for each contender that failed, with its reason."""
    return [
        f"{row['machine']} skipped on {row['problem']}: {row['failed']}" for row in rows if "failed" in row
    ]


def _may_run_again(records):
    spent = sum(record.get("fit_s", 0.0) for record in records)
    return spent < _MAX_SECONDS and not any("failed" in record for record in records)


def _attempt(contender, predict, problem):
    """One measurement, or the reason why there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            start, cpu_start = perf_counter(), process_time()
            model = contender.fit(problem.X, problem.y)
            times = {"fit_s": perf_counter() - start, "fit_cpu_s": process_time() - cpu_start}
            scores = predict(model, problem.X_test, problem.y_test)
            return {**times, **scores, "vectors": contender.n_vectors(model)}
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {error}"}


def _summary(problem, machine, records):
    """Scores of the first repetition and median seconds of all."""
    row = {"problem": problem, "machine": machine, "runs": len(records), **records[0]}
    for name in ("fit_s", "fit_cpu_s", "predict_s"):
        if name in row:
            row[name] = median(record[name] for record in records)
    return row
