"""``pauca compare``: ranks, tests and an HTML report from tables."""

import numpy as np
import pandas as pd
import pytest

from pauca.evaluation import RunStore

QUICK = ["--machines", "rvm,logreg,rf", "--splits", "2"]


def test_one_table_is_compared_over_its_splits(run, csv):
    result = run("compare", csv, "--target", "kind", *QUICK)
    assert result.exit_code == 0, result.output
    assert "log-" in result.stdout
    assert "corrected t test over splits: needs at least 3" in result.stdout


def test_json_holds_results_and_tests(run_json, label_tables):
    command = ["compare", *label_tables[:2], "--target", "label", "--machines", "rvm,logreg"]
    document = run_json(*command, "--splits", "2", "--control", "rvm")
    assert len(document["results"]) == 2 * 2 * 2
    assert {test["control"] for test in document["tests"]["control"]} == {"RVM"}
    assert set(document["scores"]) == {"table0", "table1"}
    assert document["measure"] == "error"


def test_a_second_run_computes_only_what_is_missing(run_json, label_tables, tmp_path):
    command = ["compare", *label_tables[:1], "--target", "label", "--machines", "rvm,logreg"]
    first = run_json(*command, "--splits", "2")
    with RunStore(tmp_path / "pauca-report.sqlite") as store:
        assert len(store) == 4
    second = run_json(*command, "--splits", "3")
    with RunStore(tmp_path / "pauca-report.sqlite") as store:
        assert len(store) == 6
    kept = [row for row in second["results"] if row["split"] < 2]
    assert kept == first["results"]


def test_a_measure_that_some_machines_lack_ranks_nobody(run_json, label_tables, tmp_path):
    command = ["compare", *label_tables[:2], "--target", "label", "--machines", "rvm,logreg"]
    document = run_json(*command, "--splits", "2", "--measure", "vectors")
    assert document["scores"]["table0"]["logistic"] is None
    assert document["scores"]["table0"]["RVM"] >= 0
    assert "mean_ranks" not in document["tests"]
    assert "Mean ranks" not in (tmp_path / "pauca-report.html").read_text(encoding="utf-8")


def test_regression_tables(run, csv, tmp_path):
    result = run("compare", csv, "--target", "price", "--machines", "rvm,logreg", "--splits", "2")
    assert result.exit_code == 0, result.output
    assert "RMSE" in result.stdout
    assert "Reliability diagram" in (tmp_path / "pauca-report.html").read_text(encoding="utf-8")


def test_text_of_the_user_is_escaped(run, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "<b>y</b>": rng.integers(0, 2, 40)})
    frame.to_csv(tmp_path / "<i>t.csv", index=False)
    command = ["compare", "<i>t.csv", "--target", "<b>y</b>", "--machines", "rvm,logreg", "--splits", "2"]
    assert run(*command).exit_code == 0
    page = (tmp_path / "pauca-report.html").read_text(encoding="utf-8")
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;i&gt;t" in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--machines", "rvm,nope"], "no machine is called 'nope'; there are sparsegp"),
        (["--machines", "rvm"], "at least two machines"),
        (["--measure", "nope"], "no measure is called 'nope'; there are error"),
        (["--control", "nope"], "no machine is called 'nope'"),
        (["--control", "svm"], "is not one of the machines"),
        (["--test-size", "0.99"], "cannot hold out"),
        (["-o", "nowhere/page.html"], "does not exist"),
    ],
)
def test_wrong_options_are_refused_in_one_line(run, csv, refused, options, message):
    refused(run("compare", csv, "--target", "kind", "--machines", "rvm,logreg", *options), 2, message)


def test_tables_of_different_tasks_are_refused(run, csv, tmp_path, refused):
    pd.DataFrame({"a": range(30), "kind": np.linspace(0, 1, 30)}).to_csv(tmp_path / "other.csv", index=False)
    refused(run("compare", csv, "other.csv", "--target", "kind"), 2, "choose one by --task")
    refused(run("compare", csv, csv, "--target", "kind"), 2, "named twice")


def test_the_default_machine_stands_first(run_json, label_tables):
    document = run_json("compare", *label_tables[:1], "--target", "label", "--splits", "1")
    assert next(iter(document["scores"]["table0"])) == "sparse GP"
