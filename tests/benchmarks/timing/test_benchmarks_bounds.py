"""Variational and type-II machines: ratios of their seconds and a quick run."""

from benchmarks.__main__ import parse
from benchmarks.harness.report import ratio_rows
from benchmarks.timing import bounds

from pauca.evaluation import RunStore


def test_ratios_and_the_worst_of_them():
    rows = [
        {"problem": problem, "machine": f"{kind}, {factor}", "fit_cpu_s": seconds}
        for problem, factor, kind, seconds in [
            ("a", 1, "type II", 2.0),
            ("a", 1, "variational", 3.0),
            ("a", 30, "type II", 1.0),
            ("a", 30, "variational", 6.0),
            ("b", 30, "variational", 9.0),
        ]
    ]
    by_set = ratio_rows(rows, bounds.RATIOS)
    assert [(row["1"], row["30"]) for row in by_set] == [(1.5, 6.0), (None, None)]
    assert [(target.value, target.verdict) for target in bounds.targets(by_set)] == [(6.0, "MISS")]


def test_both_kinds_run_on_every_generated_problem():
    report = bounds.run(parse(["bounds", "--quick"]), RunStore())
    *measured, by_set = (table.rows for table in report.tables)
    problems = [{row["problem"] for row in rows} for rows in measured]
    assert problems == [{"ripley N=60", "twonorm N=60"}, {"friedman1 N=60"}]
    assert [len(rows) for rows in measured] == [2 * 2, 2]
    assert all(row["1"] > 0 and row["3"] is None for row in by_set)
    assert not report.notes
    report.show()
