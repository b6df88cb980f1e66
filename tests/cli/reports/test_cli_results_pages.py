"""Sections of the pages of reproduced tables: wins and losses, reasons, the table of the defaults."""

import subprocess
from dataclasses import replace

import pandas as pd
import pytest

from pauca.cli.papers import papers, published_tables, results_folder
from pauca.cli.reports.results_pages import (
    _against_control,
    _companion,
    _outcomes,
    _reasons,
    _worse,
    cause_of,
)
from pauca.evaluation import (
    Measure,
    PaperTable,
    read_records,
    summaries_of,
    with_verdicts,
    write_records,
)
from pauca.evaluation.papers.records import ENOUGH_SPLITS
from pauca.evaluation.runs.provenance import in_history


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
        [
            cell(dataset, method, 1.0, "not measured")
            for dataset in ("iris", "wine")
            for method in ("svm", "rvm")
        ]
        + [cell("wdbc", "svm", 1.0)]
    ).assign(published=1.0)
    _, text = _reasons(table(unmeasured=lambda dataset, method: "4 splits 3 h"), cells)
    assert text == "* svm, rvm on iris, wine: 4 splits 3 h.\n"
    assert _reasons(table(), cells.iloc[4:]) == []


def test_few_splits_have_a_reason():
    cells = pd.DataFrame([cell("iris", "svm", 1.0), cell("wine", "svm", 1.0)]).assign(published=1.0)
    cells["splits"] = [3, 4]
    title, text = _reasons(table(unmeasured=lambda dataset, method: "4 splits 3 h"), cells)
    assert "Fewer than 4 splits" in title
    assert text == "* svm on iris: 4 splits 3 h.\n"


def test_worse_cells_stand_with_their_causes():
    cells = pd.DataFrame([cell("iris", method, 3.0, "worse") for method in ("svm", "rvm")]).assign(
        published=2.5
    )
    causes = {("toy", "iris", ""): "other rows"}
    assert _worse(table(), cells, causes)[1] == (
        "* iris (svm error 3 instead of 2.5, rvm error 3 instead of 2.5): other rows.\n"
    )
    assert "no cause found" in _worse(table(), cells, {})[1]
    assert _worse(table(), cells.iloc[:0], causes) == []


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
    assert text.startswith("20 splits ")
    assert " or 100 splits " in text
    assert "not known" in costs.reason("no-table", 100)("iris", "svm")


@pytest.mark.parametrize("table", published_tables()[0].values(), ids=lambda table: table.name)
def test_every_printed_cell_is_measured_or_says_how_long_it_would_take(table):
    records = read_records(results_folder() / f"{table.name}.csv")
    known = {
        (each["dataset"], each["method"])
        for each in records
        if each["splits"] >= min(ENOUGH_SPLITS, table.n_splits)
    }
    unknown = [
        place for place in table.published if place not in known and "not known" in table.unmeasured(*place)
    ]
    assert not unknown


@pytest.mark.parametrize("paper", papers()[0], ids=lambda paper: paper.tables[0].name)
def test_every_cell_that_is_worse_than_printed_has_a_cause(paper):
    for table in paper.tables:
        cells = with_verdicts(table, summaries_of(read_records(results_folder() / f"{table.name}.csv")))
        worse = cells[cells["verdict"] == "worse"] if len(cells) else cells
        places = [(each.dataset, each.method) for each in worse.itertuples()]
        assert not [place for place in places if not cause_of(paper.causes, table.name, *place)]


def test_outcomes_of_a_test_are_counted():
    study = replace(table(), measures={"error: outcome": Measure(None), "error": Measure()})
    outcomes = {"iris": 1.0, "wine": -1.0, "wdbc": 0.0}
    cells = pd.DataFrame([cell(name, "svm", value, "", "error: outcome") for name, value in outcomes.items()])
    _, text = _outcomes(study, cells)
    assert "| error | svm | 1 | 1 | 1 |" in text
    assert "rvm" not in text
    assert _outcomes(table(), cells) == []


def test_every_commit_that_measured_a_cell_is_in_the_history():
    here = results_folder()
    shallow = subprocess.run(
        ["git", "rev-parse", "--is-shallow-repository"], capture_output=True, text=True, cwd=here, check=False
    )
    if shallow.stdout.strip() != "false":
        pytest.skip("no history")
    names = {
        name
        for path in here.glob("*.csv")
        for record in read_records(path)
        for name in record["commit"].split()
    }
    assert not [name for name in names - {"unknown"} if not in_history(name)]
    assert not in_history("0" * 7)
