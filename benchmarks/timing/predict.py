"""Seconds of ``predict_proba`` for 10000 rows, by models that are fitted once."""

import warnings
from statistics import median
from time import perf_counter

from pauca.evaluation import Target, Unit

from ..harness.contenders import (
    EPCVM_EVIDENCE,
    FASTRVM,
    RVM_EVIDENCE,
    RVM_GIVEN,
    SPARSE_GP_EVIDENCE,
    SVC_CALIBRATED,
    SVC_PLATT,
    named,
)
from ..harness.problems import generated
from ..harness.report import Report, Table, ratio

_OURS = (RVM_GIVEN, RVM_EVIDENCE, EPCVM_EVIDENCE, SPARSE_GP_EVIDENCE)
_PEERS = (SVC_CALIBRATED, SVC_PLATT, FASTRVM, "Nystroem + LogisticRegression")
# Timings of each machine; set by hand.
_ROUNDS = 15


def run(options, store) -> Report:
    """Median seconds of each machine's ``predict_proba``, measured in turns, and the targets on them."""
    n_train, n_test = (60, 500) if options.quick else (2000, 10_000)
    unit = Unit("predict", f"twonorm N={n_train}/{n_test}", 0, "all in turns")
    if unit not in store:
        store.put(unit, _measure(generated("twonorm", n_train, n_test)))
    rows, notes = store[unit]["rows"], store[unit]["notes"]
    ours = _seconds(rows, RVM_EVIDENCE)
    for row in rows:
        row["time / RVM evidence"] = ratio(row["predict_s"], ours)
    title = f"predict_proba, {n_test} rows of twonorm d=20, models of {n_train} rows"
    return Report([Table(title, rows)], _targets(rows), notes)


def _targets(rows):
    svc = _seconds(rows, SVC_CALIBRATED)
    return [
        Target(f"predict_proba: calibrated SVC / {ours}", ratio(svc, _seconds(rows, ours)), 10, True)
        for ours in _OURS
    ]


def _seconds(rows, name):
    return next((row["predict_s"] for row in rows if row["machine"] == name), None)


def _measure(problem):
    """Median seconds over rounds in which the models take turns."""
    contenders = named(*_OURS, *_PEERS)
    models, notes = _fit_all(contenders, problem)
    times = {name: [] for name in models}
    for turn in range(_ROUNDS):
        for name in list(models)[:: 1 if turn % 2 == 0 else -1]:
            start = perf_counter()
            models[name].predict_proba(problem.X_test)
            times[name].append(perf_counter() - start)
    vectors = {contender.name: contender.n_vectors for contender in contenders}
    rows = [
        {
            "machine": name,
            "vectors": vectors[name](model),
            "predict_s": median(times[name]),
            "best_s": min(times[name]),
        }
        for name, model in models.items()
    ]
    return {"rows": rows, "notes": notes}


def _fit_all(contenders, problem):
    """Fitted models by name, and a line for each contender that could not be fitted."""
    models, notes = {}, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for contender in contenders:
            try:
                models[contender.name] = contender.fit(problem.X, problem.y)
            except Exception as error:
                notes.append(f"{contender.name} skipped: {type(error).__name__}: {error}")
    return models, notes
