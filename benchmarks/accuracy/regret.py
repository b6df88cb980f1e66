"""Regret of choosing gamma without a test set: test loss under each rule minus the best test loss on a grid.

The grid has one scale for all features. So has every rule but "evidence", which may be better than the grid.
"""

from functools import partial
from time import perf_counter

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import log_loss

from pauca import EPCVMClassifier, RVMClassifier, RVMRegressor, SparseGPClassifier, evaluation
from pauca.evaluation import Job, Unit, Workers, negative_log_density

from ..harness.problems import half, reference_gamma
from ..harness.report import Report
from .regret_report import ONE_SCALE, UNPENALISED, report

RULES = ("evidence", "loo", "cv", "scale")
# A Gaussian process has no leave-one-out or cross-validated choice of gamma.
_RULES_OF = {"sparsegp": ("evidence", "scale")}
# Machines by name and task.
MACHINES = {
    "rvm": {"classification": RVMClassifier, "regression": RVMRegressor},
    "vrvm": {
        "classification": partial(RVMClassifier, inference="variational"),
        "regression": partial(RVMRegressor, inference="variational"),
    },
    "sparsegp": {"classification": SparseGPClassifier},
    "epcvm": {"classification": EPCVMClassifier},
}
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
_ALL_RULES = "all rules"
# Grid of gamma as powers of ten of the reference gamma.
_DECADES = np.arange(-2.0, 1.01, 0.5)


def run(options, store) -> Report:
    """Regret of every rule on every split of every set."""
    sets = {"classification": BINARY, "regression": REGRESSION}
    if options.quick:
        sets = {"classification": _QUICK_SETS}
    records = []
    for task in [task for task in sets if task in MACHINES[options.machine]]:
        jobs = [Job(name, k, (_ALL_RULES,)) for name in sets[task] for k in range(options.splits)]
        study = f"regret, {options.machine}, {task}"
        work = partial(_measure_job, options.machine, task)
        evaluation.run(study, jobs, work, store, Workers(options.jobs))
        records += [
            {"task": task, "set": job.dataset, **store[Unit(study, *job[:2], _ALL_RULES)]} for job in jobs
        ]
    return report(records, options.machine)


def _measure_job(machine, task, job):
    return {_ALL_RULES: measure(machine, task, job.dataset, job.split)}


def measure(machine, task, name, split):
    """Losses on the grid and under each rule, or the reason why the set is left out."""
    try:
        problem = half(name, split)
    except OSError as error:
        return {"failed": f"{name}: {error}"}
    trial = partial(_trial, problem, MACHINES[machine][task])
    return _measure_problem(trial, reference_gamma(problem.X), _RULES_OF.get(machine, RULES))


def _measure_problem(trial, reference, rule_names):
    grid = [trial(float(gamma)) for gamma in reference * 10**_DECADES]
    rules = {rule: trial(rule) for rule in rule_names}
    rules[ONE_SCALE] = trial("evidence", feature_scales=None)
    best_evidence = max(grid, key=lambda point: point["log_evidence"])
    rules[UNPENALISED] = {**best_evidence, "seconds": sum(point["seconds"] for point in grid)}
    return {"grid": grid, "rules": rules}


def _trial(problem, machine, gamma, **arguments):
    """Gamma, test loss, seconds, log evidence and size of a fit with one rule for gamma."""
    start = perf_counter()
    model = machine(gamma=gamma, **arguments).fit(problem.X, problem.y)
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
    """Mean negative log probability, or log density, of the test targets in nats."""
    if is_classifier(model):
        return float(log_loss(y, model.predict_proba(X), labels=model.classes_))
    return negative_log_density(y, *model.predict(X, return_std=True))
