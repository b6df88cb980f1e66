"""EPCVM by expectation propagation beside EPCVM by Laplace, at the same gamma on each of the paper's sets."""

from laconic.evaluation import Target

from .contenders import EPCVM_EP_GIVEN, EPCVM_GIVEN, named
from .contest import classify, failures, run_contest
from .papers.epcvm import DATASETS
from .problems import half
from .report import Report, Table, ratio

_QUICK_SETS = ("wdbc",)
_MOST = 3


def run(options, store):
    """A contest on each set, and how many times the time of Laplace each fit by EP takes."""
    rows, missing = [], []
    for name in _QUICK_SETS if options.quick else DATASETS:
        try:
            problem = half(name, 0, max_train=None)
        except OSError as error:
            missing.append(f"{name} left out: {error}")
        else:
            contenders = named(EPCVM_GIVEN, EPCVM_EP_GIVEN)
            rows += run_contest(problem, contenders, classify, options.repeats, store)
    measured = [row for row in rows if "failed" not in row]
    by_set = ratio_rows(measured)
    tables = [Table("EPCVM by two engines", measured), Table("EP / Laplace, seconds to fit", by_set)]
    return Report(tables, targets(by_set), missing + failures(rows))


def ratio_rows(rows):
    """EP over Laplace, one row for each set."""
    seconds = {(row["problem"], row["machine"]): row["fit_cpu_s"] for row in rows}
    return [
        {
            "problem": problem,
            "EP / Laplace": ratio(
                seconds.get((problem, EPCVM_EP_GIVEN)), seconds.get((problem, EPCVM_GIVEN))
            ),
        }
        for problem in dict.fromkeys(row["problem"] for row in rows)
    ]


def targets(by_set):
    """The largest ratio of all sets."""
    ratios = [row["EP / Laplace"] for row in by_set if row["EP / Laplace"] is not None]
    return [Target("fit at a given gamma: EP / Laplace, worst set", max(ratios, default=None), _MOST, False)]
