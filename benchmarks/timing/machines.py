"""SparseGP beside RVM and SVC on halves of the EPCVM paper's sets: ratios of fit and predict seconds."""

import numpy as np

from pauca.evaluation import Target

from ..harness.contenders import RVM_EVIDENCE, RVM_GIVEN, SPARSE_GP_EVIDENCE, SPARSE_GP_GIVEN, SVC_GRID, named
from ..harness.report import Report, Table, ratio_rows
from ..harness.runs import run_on_halves
from ..papers.epcvm import DATASETS

_MACHINES = (SPARSE_GP_GIVEN, RVM_GIVEN, SPARSE_GP_EVIDENCE, RVM_EVIDENCE, SVC_GRID)
_QUICK_SETS = ("wdbc",)
# Peer, ours, and the seconds that are compared.
RATIOS = {
    "fit at a given gamma: RVM / SparseGP": (RVM_GIVEN, SPARSE_GP_GIVEN, "fit_cpu_s"),
    "fit and choice of gamma: SVC / SparseGP": (SVC_GRID, SPARSE_GP_EVIDENCE, "fit_cpu_s"),
    "predict_proba: SVC / SparseGP": (SVC_GRID, SPARSE_GP_EVIDENCE, "predict_s"),
}
# The project's targets: how many times faster ours should be, by ratio.
_AT_LEAST = dict(zip(RATIOS, (1, 5, 10), strict=True))


def run(options, store) -> Report:
    """Seconds and scores of all machines on each set, ratios by set, and their geometric means."""
    sets = _QUICK_SETS if options.quick else DATASETS
    measured, notes = run_on_halves(sets, named(*_MACHINES), options, store)
    by_set = ratio_rows(measured, RATIOS)
    title = "SparseGP beside its peers, one half of each set for training"
    tables = [Table(title, measured), Table("How many times faster SparseGP is", by_set)]
    return Report(tables, targets(by_set), notes)


def targets(by_set):
    """Geometric means of the ratios over all sets."""
    return [
        Target(f"{name}, geometric mean", _geometric_mean([row[name] for row in by_set]), bound, True)
        for name, bound in _AT_LEAST.items()
    ]


def _geometric_mean(ratios):
    measured = [value for value in ratios if value is not None]
    return float(np.exp(np.mean(np.log(measured)))) if measured else None
