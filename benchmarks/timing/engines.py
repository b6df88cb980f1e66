"""SparseGP by expectation propagation and by Laplace's method, at the same gamma on the paper's sets."""

from pauca.evaluation import Target

from ..harness.contenders import SPARSE_GP_EP_GIVEN, SPARSE_GP_GIVEN, named
from ..harness.report import Report, Table, ratio
from ..harness.runs import run_on_halves
from ..papers.epcvm import DATASETS

_QUICK_SETS = ("wdbc",)
_MOST = 3


def run(options, store):
    """A contest on each set, and how many times the time of Laplace each fit by EP takes."""
    sets = _QUICK_SETS if options.quick else DATASETS
    measured, notes = run_on_halves(sets, named(SPARSE_GP_GIVEN, SPARSE_GP_EP_GIVEN), options, store)
    by_set = ratio_rows(measured)
    tables = [Table("SparseGP by two engines", measured), Table("EP / Laplace, seconds to fit", by_set)]
    return Report(tables, targets(by_set), notes)


def ratio_rows(rows):
    """EP over Laplace, one row for each set."""
    seconds = {(row["problem"], row["machine"]): row["fit_cpu_s"] for row in rows}
    return [
        {
            "problem": problem,
            "EP / Laplace": ratio(
                seconds.get((problem, SPARSE_GP_EP_GIVEN)), seconds.get((problem, SPARSE_GP_GIVEN))
            ),
        }
        for problem in dict.fromkeys(row["problem"] for row in rows)
    ]


def targets(by_set):
    """The largest ratio of all sets."""
    ratios = [row["EP / Laplace"] for row in by_set if row["EP / Laplace"] is not None]
    return [Target("fit at a given gamma: EP / Laplace, worst set", max(ratios, default=None), _MOST, False)]
