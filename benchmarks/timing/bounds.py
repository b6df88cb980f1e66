"""Variational and type-II relevance vector machines at the same gammas, wide and narrow, on 500 rows."""

from functools import partial

from pauca import RVMClassifier, RVMRegressor
from pauca.evaluation import Target

from ..harness.contenders import Contender
from ..harness.problems import generated, half, reference_gamma
from ..harness.report import Report, Table, ratio_rows
from ..harness.runs import classify, failures, regress, run_contenders

_N_ROWS, _N_TEST, _QUICK_ROWS = 500, 500, 60
_GENERATED = {"ripley": RVMClassifier, "twonorm": RVMClassifier, "friedman1": RVMRegressor}
_HALVES = {
    "banana": RVMClassifier,
    "diabetis": RVMClassifier,
    "german": RVMClassifier,
    "image": RVMClassifier,
    "boston": RVMRegressor,
}
# Multiples of the reference gamma, from wide kernels to far too narrow ones.
_FACTORS = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_QUICK_FACTORS = (1.0,)
_TYPE_II, _VARIATIONAL, _RATIO = "type II", "variational", "variational / type II"
# The project's target: seconds of the variational fit, as a multiple of those of the type-II fit.
_AT_MOST = 5


def run(options, store) -> Report:
    """Seconds and scores of both kinds at every gamma on every set, and the largest ratio of seconds."""
    sets, n_rows, factors = (_GENERATED | _HALVES), _N_ROWS, _FACTORS
    if options.quick:
        sets, n_rows, factors = _GENERATED, _QUICK_ROWS, _QUICK_FACTORS
    rows, notes = [], []
    for name, machine in sets.items():
        try:
            problem = _problem(name, n_rows)
        except OSError as error:
            notes.append(f"{name} left out: {error}")
        else:
            predict = classify if machine is RVMClassifier else regress
            rows += run_contenders(problem, _contenders(machine, factors), predict, options.repeats, store)
    measured = [row for row in rows if "failed" not in row]
    by_set = ratio_rows(measured, RATIOS)
    tables = [
        Table(f"{task} by both kinds of machine", [row for row in measured if score in row])
        for task, score in (("Classification", "error_%"), ("Regression", "rmse"))
    ]
    return Report([*tables, Table(_RATIO, by_set)], targets(by_set), notes + failures(rows))


def _problem(name, n_rows):
    return generated(name, n_rows, _N_TEST) if name in _GENERATED else half(name, 0, n_rows)


def _contenders(machine, factors):
    """Both kinds of machine at every gamma."""
    kinds = {_TYPE_II: machine, _VARIATIONAL: partial(machine, inference="variational")}
    return [
        Contender(_name(kind, factor), partial(_fit, make, factor), lambda model: len(model.relevance_))
        for factor in factors
        for kind, make in kinds.items()
    ]


def _name(kind, factor):
    return f"{kind}, {factor:g}"


def _fit(make, factor, X, y):
    return make(gamma=factor * reference_gamma(X)).fit(X, y)


# Variational over type II, one column for each gamma.
RATIOS = {
    f"{factor:g}": (_name(_VARIATIONAL, factor), _name(_TYPE_II, factor), "fit_cpu_s") for factor in _FACTORS
}


def targets(by_set):
    """Largest ratio over all sets and gammas."""
    ratios = [value for row in by_set for key, value in row.items() if key != "problem" and value is not None]
    return [Target(f"fit at a given gamma: {_RATIO}, worst", max(ratios, default=None), _AT_MOST, False)]
