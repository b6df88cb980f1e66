"""Bayes machines: seconds beside the Gaussian process classifier, growth and memory of the sparse machine."""

from pauca.evaluation import Target, Unit

from ..harness.contenders import (
    BAYES_EVIDENCE,
    BAYES_GIVEN,
    GP_CLASSIFIER,
    SPARSE_BAYES_50,
    SPARSE_BAYES_300,
    bayes_machines,
)
from ..harness.footprint import COLUMNS, in_fresh_process
from ..harness.problems import generated, load
from ..harness.report import Report, Table, ratio
from ..harness.runs import classify, failures, run_contenders
from .scaling import draw, exponent

_PROBLEMS = ("twonorm", "ripley")
_SIZES = (1000, 2000, 4000, 8000, 16_000, 32_000, 64_000)
_DIGITS = "4 vs 9"


def run(options, store) -> Report:
    """Fits of 500 rows beside the peer, growth with the rows, and one fit of many images of digits."""
    n_rows, sizes, n_digits = (60, (100,), 200) if options.quick else (500, _SIZES, 12_000)
    compared = []
    for name in _PROBLEMS:
        problem = generated(name, n_rows, 10 * n_rows)
        compared += run_contenders(problem, bayes_machines(), classify, options.repeats, store)
    growth = [_footprint(SPARSE_BAYES_50, "twonorm", size, store) for size in sizes]
    digits, missing = _digits(n_digits, store)
    if options.plot:
        draw(growth, "twonorm", options.plot)
    tables = [
        Table(f"Seconds and scores of {n_rows} rows", [row for row in compared if "failed" not in row]),
        Table("Growth on twonorm", growth),
        *[Table(f"Digits {_DIGITS}, 14 x 14 pixels", [row]) for row in digits],
    ]
    return Report(tables, targets(compared, growth, digits), missing + failures(compared))


def _digits(n_rows, store):
    """Rows of the fit of many images, and a note if the set is missing."""
    try:
        load("mnist14")
    except OSError as error:
        return [], [f"digits left out: {error}"]
    return [_footprint(SPARSE_BAYES_300, _DIGITS, n_rows, store)], []


def targets(compared, growth, digits):
    """The project's targets on time and memory."""
    seconds = {(row["problem"], row["machine"]): row.get("fit_cpu_s") for row in compared}
    faster = [
        Target(
            f"{problem}: processor seconds of GPC / {machine}",
            ratio(seconds.get((problem, GP_CLASSIFIER)), own),
            3,
            True,
        )
        for (problem, machine), own in seconds.items()
        if machine in (BAYES_GIVEN, BAYES_EVIDENCE)
    ]
    return [
        *faster,
        Target(f"{SPARSE_BAYES_50}: growth exponent of the fit", exponent(growth), 1.2, False),
        *[
            Target(f"{SPARSE_BAYES_300}, digits: {what}", row[key], bound, False)
            for row in digits
            for what, key, bound in (("processor seconds", "fit_cpu_s", 75), ("peak GB", "peak_GB", 2))
        ],
    ]


def _footprint(machine, problem, n_rows, store):
    """Seconds, scores and peak memory of one fit, from the store or from a new process."""
    unit = Unit("bayes", f"{problem} N={n_rows}", 0, machine)
    if unit not in store:
        measured = in_fresh_process(machine, problem, n_rows)
        store.put(unit, {name: measured[name] for name in COLUMNS})
    return {"machine": machine, "rows": n_rows, **store[unit]}
