"""Sections of the pages of reproduced tables: wins and losses, reasons, the table of the defaults."""

import pandas as pd
import pytest

from pauca.cli.reports.results_pages import _against_control, _companion, _reasons
from pauca.evaluation import Measure, PaperTable, write_records


def table(**options):
    return PaperTable(
        name="toy",
        title="A toy",
        datasets=("iris", "wine", "wdbc"),
        methods=("svm", "rvm"),
        n_splits=4,
        measure=print,
        measures={"error": Measure(), "seconds": Measure(None, compared=False)},
        published={},
        **options,
    )


def cell(dataset, method, measured, verdict="agrees", measure="error"):
    place = {"dataset": dataset, "method": method, "measure": measure}
    return {**place, "measured": measured, "standard_error": 0.1, "splits": 4, "verdict": verdict}


def test_wins_and_losses_against_the_control():
    errors = {("iris", "svm"): 3.0, ("wine", "svm"): 4.2, ("wdbc", "svm"): 9.0}
    errors |= {("iris", "rvm"): 4.0, ("wine", "rvm"): 4.1, ("wdbc", "rvm"): 4.0}
    cells = pd.DataFrame([cell(*place, value) for place, value in errors.items()])
    _, text = _against_control(table(control="rvm"), cells)
    # Two standard errors of a difference are 0.28: one win, one loss, one tie.
    assert "| error | svm | 1 | 1 | 1 |" in text
    assert _against_control(table(), cells) == []


def test_reasons_are_grouped():
    cells = pd.DataFrame(
        [cell(dataset, "svm", 1.0, "not measured") for dataset in ("iris", "wine")]
        + [cell("wdbc", "svm", 1.0)]
    )
    _, text = _reasons(table(unmeasured=lambda dataset, method: "would take 3 h"), cells)
    assert text == "* would take 3 h: svm on iris, svm on wine.\n"
    assert _reasons(table(), cells.iloc[2:]) == []


def test_the_defaults_stand_below(tmp_path):
    origin = {"protocol": "p", "commit": "c", "days": "d", "machine": "m"}
    record = {"dataset": "wine", "method": "rvm", "measure": "error", "mean": 4.5, "std": 1.0, "splits": 3}
    write_records(tmp_path / "own.csv", [{**record, **origin}])
    title, text = _companion(tmp_path, table(companion="own"))
    assert "[own](own.md)" in title
    assert "| wine | 4.5 |" in text
    assert "iris" not in text


def test_how_long_a_cell_would_take():
    costs = pytest.importorskip("benchmarks.harness.costs")
    assert costs._duration(30) == "30 s"
    assert costs._duration(90) == "1.5 min"
    assert costs._duration(7200) == "2 h"
    text = costs.reason("epcvm-median", 100)("ringnorm", "EPCVM-EP")
    assert text.startswith("20 splits would take about")
    assert "not known" in costs.reason("no-table", 100)("iris", "svm")
