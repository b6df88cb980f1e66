"""Regression beside peers: splits, means over sets, ranks, targets and a quick run."""

import numpy as np
import pytest
from benchmarks.__main__ import parse
from benchmarks.accuracy import regression
from benchmarks.accuracy.regression import CATBOOST, GP, GP_ARD, RVM, SPARSE_GP
from benchmarks.harness import problems, trees

from pauca.datasets import Dataset
from pauca.evaluation import RunStore


def row(dataset, split, machine, nlpd, rmse, vectors=None, seconds=1.0):
    share = None if vectors is None else vectors / 100
    scores = {"nlpd": nlpd, "rmse": rmse, "coverage": None if nlpd is None else 0.9}
    sizes = {"vectors": vectors, "vectors / rows": share, "fit_cpu_s": seconds}
    return {
        "problem": f"{dataset}/{split}",
        "set": dataset,
        "machine": machine,
        "runs": 1,
        **scores,
        **sizes,
    }


ROWS = [
    row("a", 10, SPARSE_GP, 0.0, 0.2, 4, 1.0),
    row("a", 11, SPARSE_GP, 0.4, 0.4, 8, 3.0),
    row("a", 10, GP, 0.3, 0.3, 100, 0.5),
    row("a", 11, GP, 0.3, 0.5, 100, 0.5),
    row("a", 10, CATBOOST, None, 0.1),
    row("a", 11, CATBOOST, None, 0.1),
    row("b", 10, SPARSE_GP, 0.5, 0.5, 10, 2.0),
    row("b", 10, GP, 0.4, 0.6, 100, 2.0),
    row("b", 10, CATBOOST, None, 0.7),
    row("c", 10, SPARSE_GP, -9.0, 9.0, 90, 90.0),
]


def test_means_of_splits_are_ranked_on_sets_that_all_machines_have_solved():
    found = {each["machine"]: each for each in regression.summary_rows(regression.set_means(ROWS))}
    ours, process, trees = found[SPARSE_GP], found[GP], found[CATBOOST]
    assert ours["sets"] == 2
    assert ours["nlpd"] == pytest.approx((0.2 + 0.5) / 2)
    assert ours["vectors / rows"] == pytest.approx(0.08)
    assert (ours["rank by density"], process["rank by density"]) == (1.5, 1.5)
    assert (ours["rank by RMSE"], process["rank by RMSE"], trees["rank by RMSE"]) == (1.5, 2.5, 2)
    assert process["fit / SparseGP"] == pytest.approx(np.sqrt(0.25 * 1))
    assert trees["rank by density"] is trees["nlpd"] is trees["vectors"] is None


def test_targets_show_what_is_missed_and_what_was_not_measured():
    found = regression.targets(regression.summary_rows(regression.set_means(ROWS)))
    verdicts = {target.name: target.verdict for target in found}
    assert verdicts == {
        "rank by density: SparseGP − best other": "PASS",
        "rank by RMSE: SparseGP − CatBoost": "PASS",
        "vectors / training rows, mean over the sets": "PASS",
        f"processor seconds to fit: SparseGP / {GP}": "PASS",
        f"processor seconds to fit: SparseGP / {GP_ARD}": "not measured",
    }
    worse = [row("a", 10, SPARSE_GP, 1.0, 0.2, 20, 3.0), row("a", 10, GP, 0.5, 0.3, 100, 1.0)]
    verdicts = [
        each.verdict for each in regression.targets(regression.summary_rows(regression.set_means(worse)))
    ]
    assert verdicts == ["MISS", "not measured", "MISS", "MISS", "not measured"]
    assert regression.targets(regression.summary_rows(regression.set_means([]))) == []


def test_rank_tests_need_two_sets():
    rows = [row(name, 10, m, k, k, 5) for name in "ab" for k, m in enumerate((SPARSE_GP, GP, RVM))]
    notes = regression.rank_notes(regression.set_means(rows))
    assert [note.split(":")[0] for note in notes] == ["ranks by density", "ranks by RMSE"]
    assert regression.rank_notes(regression.set_means(rows[:3])) == []


def test_three_quarters_train_and_the_rest_tests(monkeypatch):
    rows = np.arange(4000.0)
    data = Dataset(
        "abalone", rows[:, None], np.sign(rows - 2000).astype(int), "binary", extras={"rings": rows}
    )
    monkeypatch.setattr(problems, "load", lambda name: data)
    problem, other = (problems.three_quarters("abalone", split) for split in (10, 11))
    assert (len(problem.y), len(problem.y_test)) == (1000, 1000)
    assert not np.intersect1d(problem.y, problem.y_test).size
    assert not np.array_equal(problem.y, other.y)
    assert np.corrcoef(problem.X[:, 0], problem.y)[0, 1] == pytest.approx(1)


def test_a_quick_run_leaves_out_peers_that_are_not_installed(monkeypatch):
    def absent(name):
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr(trees, "import_module", absent)
    report = regression.run(parse(["regression", "--quick"]), RunStore())
    assert [note.split(":")[0] for note in report.notes] == [
        "CatBoost left out",
        "LightGBM left out",
        "XGBoost left out",
    ]
    summary = {each["machine"]: each for each in report.tables[0].rows}
    assert len(summary) == 7
    assert summary[RVM]["coverage"] <= 1
    assert summary[SPARSE_GP]["vectors"] < summary[GP]["vectors"]
    assert all(table.rows for table in report.tables if "Slow peers" not in table.title)


def test_a_set_that_is_missing_is_left_out_by_name(monkeypatch):
    def absent(name, split, n_generated):
        raise FileNotFoundError("no such set")

    monkeypatch.setattr(regression, "_installed", lambda peers, notes: [])
    monkeypatch.setattr(regression, "three_quarters", absent)
    report = regression.run(parse(["regression", "--quick"]), RunStore())
    assert report.notes == ["friedman1 left out: no such set"]
    assert report.targets == []
