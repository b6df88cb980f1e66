"""SparseGP beside RVM and SVC on the halves of the paper's sets: seconds to fit and to predict, as ratios."""

import numpy as np

from pauca.evaluation import Target

from ..harness.contenders import RVM_EVIDENCE, RVM_GIVEN, SPARSE_GP_EVIDENCE, SPARSE_GP_GIVEN, SVC_GRID, named
from ..harness.report import Report, Table, ratio
from ..harness.runs import run_on_halves
from ..papers.epcvm import DATASETS

_MACHINES = (SPARSE_GP_GIVEN, RVM_GIVEN, SPARSE_GP_EVIDENCE, RVM_EVIDENCE, SVC_GRID)
_QUICK_SETS = ("wdbc",)
# Peer, ours, what is timed, how many times faster ours should be.
_PROMISES = {
    "fit at a given gamma: RVM / SparseGP": (RVM_GIVEN, SPARSE_GP_GIVEN, "fit_cpu_s", 1),
    "fit and choice of gamma: SVC / SparseGP": (SVC_GRID, SPARSE_GP_EVIDENCE, "fit_cpu_s", 5),
    "predict_proba: SVC / SparseGP": (SVC_GRID, SPARSE_GP_EVIDENCE, "predict_s", 10),
}


def run(options, store):
    """A contest on each set, the ratios by set and their geometric means."""
    sets = _QUICK_SETS if options.quick else DATASETS
    measured, notes = run_on_halves(sets, named(*_MACHINES), options, store)
    by_set = ratio_rows(measured)
    title = "SparseGP beside its peers, one half of each set for training"
    tables = [Table(title, measured), Table("How many times faster SparseGP is", by_set)]
    return Report(tables, targets(by_set), notes)


def ratio_rows(rows):
    """Ratios of seconds, one row for each set."""
    seconds = {(row["problem"], row["machine"]): row for row in rows}
    return [
        {
            "problem": problem,
            **{
                promise: ratio(
                    seconds.get((problem, peer), {}).get(clock), seconds.get((problem, ours), {}).get(clock)
                )
                for promise, (peer, ours, clock, _) in _PROMISES.items()
            },
        }
        for problem in dict.fromkeys(row["problem"] for row in rows)
    ]


def targets(by_set):
    """Geometric means over the sets and what the project promises about them."""
    return [
        Target(f"{promise}, geometric mean", _geometric_mean([row[promise] for row in by_set]), bound, True)
        for promise, (_, _, _, bound) in _PROMISES.items()
    ]


def _geometric_mean(ratios):
    measured = [value for value in ratios if value is not None]
    return float(np.exp(np.mean(np.log(measured)))) if measured else None
