"""SparseGP by expectation propagation and by Laplace's method, at one gamma on the EPCVM paper's sets."""

from pauca.evaluation import Target

from ..harness.contenders import SPARSE_GP_EP_GIVEN, SPARSE_GP_GIVEN, named
from ..harness.report import Report, Table, ratio_rows
from ..harness.runs import run_on_halves
from ..papers.epcvm import DATASETS

_QUICK_SETS = ("wdbc",)
RATIOS = {"EP / Laplace": (SPARSE_GP_EP_GIVEN, SPARSE_GP_GIVEN, "fit_cpu_s")}
# The project's target: seconds of EP, as a multiple of those of Laplace's method.
_AT_MOST = 3


def run(options, store) -> Report:
    """Seconds and scores of both engines on each set, and the ratio of their seconds."""
    sets = _QUICK_SETS if options.quick else DATASETS
    measured, notes = run_on_halves(sets, named(SPARSE_GP_GIVEN, SPARSE_GP_EP_GIVEN), options, store)
    by_set = ratio_rows(measured, RATIOS)
    tables = [Table("SparseGP by two engines", measured), Table("EP / Laplace, seconds to fit", by_set)]
    return Report(tables, targets(by_set), notes)


def targets(by_set):
    """Largest ratio of all sets."""
    ratios = [row["EP / Laplace"] for row in by_set if row["EP / Laplace"] is not None]
    return [
        Target("fit at a given gamma: EP / Laplace, worst set", max(ratios, default=None), _AT_MOST, False)
    ]
