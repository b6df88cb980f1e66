"""What choosing gamma without a test set costs: test loss of each rule less the best on a grid."""

import os
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context, parent_process
from threading import Thread
from time import perf_counter

import numpy as np
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from laconic import RVMClassifier, RVMRegressor
from laconic.evaluation import negative_log_density

from .problems import half, reference_gamma
from .regret_report import BARE, report

RULES = ("evidence", "loo", "cv", "scale")
BINARY = [
    "ripley_synth",
    "heart",
    "diabetis",
    "german",
    "breast-cancer",
    "image",
    "titanic",
    "banana",
    "waveform",
    "twonorm",
    "ringnorm",
    "splice",
    "abalone",
    "sonar",
    "wdbc",
    "australian",
    "liver",
    "hepatitis",
    "votes",
    "crabs",
    "pima_ripley",
    "spam",
    "tic-tac-toe",
    "breast-wisconsin",
]
REGRESSION = [
    "boston",
    "bodyfat",
    "autoprice",
    "chickweight",
    "ozone",
    "pollution",
    "sensory",
    "solder",
    "theoph",
    "wisconsin",
    "loblolly",
    "orange",
    "toothgrowth",
]
_QUICK_SETS = ["wdbc"]
_DECADES = np.arange(-2.0, 1.01, 0.5)


def run(options, store):
    """Every rule on every split of every set."""
    sets = {"classification": BINARY, "regression": REGRESSION}
    if options.quick:
        sets = {"classification": _QUICK_SETS}
    units = [(task, name, k) for task, names in sets.items() for name in names for k in range(options.splits)]
    _measure_all([unit for unit in units if _key(*unit) not in store], options.jobs, store)
    records = [{"task": unit[0], "set": unit[1], **store[_key(*unit)]} for unit in units]
    return report(records)


def _key(task, name, split):
    return f"regret/{task}/{name}/{split}"


def _measure_all(units, jobs, store):
    """Measure the units, in several processes if asked, and store each as soon as it is there."""
    if jobs == 1:
        for unit in units:
            store.put(_key(*unit), measure(*unit))
        return
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with_parent) as pool:
        running = {pool.submit(measure, *unit): unit for unit in units}
        for done in as_completed(running):
            store.put(_key(*running[done]), done.result())


def _end_with_parent():
    """Let a worker end as soon as the run that started it is gone, even if that was killed."""
    Thread(target=lambda: (parent_process().join(), os._exit(1)), daemon=True).start()


def measure(task, name, split):
    """Losses on the grid and under each rule, with one BLAS thread; or why the set is left out."""
    try:
        problem = half(name, split)
    except OSError as error:
        return {"failed": f"{name}: {error}"}
    machine = RVMClassifier if task == "classification" else RVMRegressor
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return _measure_problem(partial(_trial, problem, machine), reference_gamma(problem.X))


def _measure_problem(trial, reference):
    grid = [trial(float(gamma)) for gamma in reference * 10**_DECADES]
    rules = {rule: trial(rule) for rule in RULES}
    most_evident = max(grid, key=lambda point: point["log_evidence"])
    rules[BARE] = {**most_evident, "seconds": sum(point["seconds"] for point in grid)}
    return {"grid": grid, "rules": rules}


def _trial(problem, machine, gamma):
    """Fit with one choice of gamma and look at the test rows."""
    start = perf_counter()
    model = machine(gamma=gamma).fit(problem.X, problem.y)
    seconds = perf_counter() - start
    return {
        "gamma": model.gamma_,
        "loss": _loss(model, problem.X_test, problem.y_test),
        "seconds": seconds,
        "log_evidence": model.log_evidence_,
        "vectors": len(model.relevance_),
        "converged": bool(model.converged_),
    }


def _loss(model, X, y):
    """Mean negative log probability, or log density, of the test targets."""
    if isinstance(model, RVMClassifier):
        return float(log_loss(y, model.predict_proba(X), labels=model.classes_))
    return negative_log_density(y, *model.predict(X, return_std=True))
