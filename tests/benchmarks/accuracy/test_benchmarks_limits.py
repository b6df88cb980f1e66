"""Errors of peers and of given gammas beside the project's targets."""

import pandas as pd
from benchmarks.__main__ import main, parse
from benchmarks.accuracy import limits

from pauca.evaluation import RunStore


def test_rows_have_the_bound_and_the_statistic_of_every_method():
    errors = pd.DataFrame(
        [
            ("heart", "pauca", 16.0),
            ("heart", "pauca", 18.0),
            ("heart", "LDA", 15.0),
            ("titanic", "LDA", 22.0),
        ],
        columns=["dataset", "method", "error"],
    )
    heart, titanic = limits.rows(errors, "mean")
    assert heart == {"study": "heart", "target": 17.15, "pauca": 17.0, "LDA": 15.0}
    assert titanic["target"] == 21.33
    assert titanic["LDA"] == 22.0
    assert pd.isna(titanic["pauca"])
    assert limits.rows(errors.iloc[:0], "mean") == []


def test_every_study_has_a_bound_of_the_project():
    bounds = {name: study.bound for name, study in limits.STUDIES.items() if name != "wdbc"}
    assert len(bounds) == 8
    assert all(0 < bound < 100 for bound in bounds.values())


def test_quick_run_writes_a_page(tmp_path):
    main(["limits", "--quick", "--page", str(tmp_path / "page.md")])
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert page.startswith("# Benchmarks")
    assert "| study | target | pauca | LDA |\n| --- | --- | --- | --- |\n| wdbc | – | " in page
    assert "pauca 0." in page.splitlines()[-1]


def test_quick_run_measures_peers_and_gammas():
    report = limits.run(parse(["limits", "--quick"]), RunStore())
    peers, gammas, _ = (table.rows[0] for table in report.tables)
    assert {"pauca", "LDA"} < set(peers)
    assert {"gamma × 0.01", "gamma × 0.03"} < set(gammas)
    assert all(0 <= error < 30 for row in (peers, gammas) for error in list(row.values())[2:])
    assert not report.notes
    assert not report.targets
