"""Summary of the tables of Bayes machines."""

import pytest
from benchmarks.accuracy import bayes_summary
from benchmarks.papers.bayes_machines import TABLES

from pauca.evaluation import RunStore, Unit


def test_summary_ranks_and_compares_with_targets():
    table, store = TABLES[1], RunStore()
    for dataset in ("heart", "spam", "sonar"):
        for method, error in (("BM", 10.0), ("SVM", 12.0), ("GPC", 11.0)):
            store.put(Unit(table.study, dataset, 0, method), {"error": error, "converged": 1.0})
    report = bayes_summary.compare(table, store)
    ranks = {row["method"]: row["mean error"] for row in report.tables[0].rows}
    assert ranks == {"BM": 10.0, "SVM": 12.0, "GPC": 11.0}
    assert [target.verdict for target in report.targets] == ["PASS"]
    assert report.targets[0].value == pytest.approx(-1)
    assert bayes_summary.compare(TABLES[2], store).tables == []
