"""Seconds to fit and to predict, scores and vectors, beside the peers."""

from pauca.evaluation import Target

from ..harness.contenders import (
    FASTRVM,
    GP_CLASSIFIER,
    RVM_EVIDENCE,
    RVM_GIVEN,
    SVC_GRID,
    classifiers,
    regressors,
)
from ..harness.problems import generated
from ..harness.report import Report, Table, ratio
from ..harness.runs import classify, failures, regress, run_contenders

_CLASSIFICATION = [("ripley", 250), ("twonorm", 250), ("twonorm", 1000), ("twonorm", 2000)]
_REGRESSION = [("friedman1", 250), ("friedman1", 1000)]
_QUICK_ROWS = 60
_LARGE, _MIDDLE = "twonorm N=2000", "twonorm N=1000"


def run(options, store) -> Report:
    """Rows of all classifiers and regressors on generated problems, and the targets on fit times."""
    classification = _rows(_CLASSIFICATION, classifiers(), classify, options, store)
    regression = _rows(_REGRESSION, regressors(), regress, options, store)
    return Report(
        [
            Table("Classification, twonorm d=20", _with_ratios(classification)),
            Table("Regression", _with_ratios(regression)),
        ],
        targets(classification),
        failures(classification + regression),
    )


def targets(rows):
    """The project's targets on fit times."""
    measured = {(row["problem"], row["machine"]): row for row in rows}

    def faster(problem, ours, peer):
        return _smaller_ratio(measured.get((problem, peer), {}), measured.get((problem, ours), {}))

    return [
        Target("fit at a given gamma, N=2000: fastrvm / RVM", faster(_LARGE, RVM_GIVEN, FASTRVM), 10, True),
        Target("fit and choice of gamma, N=2000: SVC / RVM", faster(_LARGE, RVM_EVIDENCE, SVC_GRID), 1, True),
        Target(
            "fit and choice of gamma, N=1000: GPC / RVM",
            faster(_MIDDLE, RVM_EVIDENCE, GP_CLASSIFIER),
            10,
            True,
        ),
    ]


def _smaller_ratio(peer, ours):
    """Ratio of the fit times by the clock or by the processor, whichever is smaller."""
    ratios = [ratio(peer.get(name), ours.get(name)) for name in ("fit_s", "fit_cpu_s")]
    return None if None in ratios else min(ratios)


def _rows(problems, contenders, predict, options, store):
    if options.quick:
        problems = [(problems[-1][0], _QUICK_ROWS)]
    rows = []
    for name, n_train in problems:
        problem = generated(name, n_train, 500 if options.quick else 10_000)
        rows += run_contenders(problem, contenders, predict, options.repeats, store)
    return rows


def _with_ratios(rows):
    """Measured rows, with fit times relative to those of RVM on the same problem."""
    given = {row["problem"]: row.get("fit_s") for row in rows if row["machine"] == RVM_GIVEN}
    evidence = {row["problem"]: row.get("fit_s") for row in rows if row["machine"] == RVM_EVIDENCE}
    return [
        {
            **row,
            "fit / RVM given": ratio(row["fit_s"], given[row["problem"]]),
            "fit / RVM evidence": ratio(row["fit_s"], evidence[row["problem"]]),
        }
        for row in rows
        if "failed" not in row
    ]
