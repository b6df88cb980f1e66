"""Benchmarks of pruning: problems, summaries of stored results, a quick run."""

from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.ensembles import pruning
from benchmarks.ensembles.problems import _one_hot, classification_problem, regression_problem
from benchmarks.ensembles.pruning_summary import compare, overlap
from benchmarks.papers.pruning import TABLES

from pauca.evaluation import RunStore, Unit

OVERLAP, REGRESSION, _ = TABLES


def test_problems_from_generators():
    problem = regression_problem("friedman1", 3)
    assert problem.X.shape == (200, 10)
    assert problem.X_test.shape == (2000, 10)
    np.testing.assert_allclose(problem.X.mean(axis=0), 0, atol=1e-12)
    assert not np.array_equal(problem.y, regression_problem("friedman1", 4).y)


@pytest.mark.usefixtures("data_directory")
def test_folds_of_a_repetition_are_disjoint():
    sizes = [len(regression_problem("bolts", split).y_test) for split in range(10)]
    assert sum(sizes) == 40
    assert len(classification_problem("heart", 0).y_test) == 90


def test_nominal_columns_become_indicators():
    X = np.array([[2.0, 0.1], [5.0, 0.2], [2.0, 0.3]])
    assert _one_hot(X, [True, False]).tolist() == [[1, 0, 0.1], [0, 1, 0.2], [1, 0, 0.3]]


def stored(table, records):
    """A store with one split: values by dataset and method."""
    store = RunStore()
    for (dataset, method), record in records.items():
        store.put(Unit(table.study, dataset, 0, method), record)
    return store


def test_summary_counts_sets_on_which_pruning_does_not_harm():
    values = {"network": 3.0, "bagging": 2.0, "AdaBoost.R2": 4.0, "ordered": 1.0, "SDP": 1.5}
    values["ordered, out-of-bag"] = 2.5
    records = {
        (name, method): {"mse": value} for name in ("bolts", "peak") for method, value in values.items()
    }
    records["peak", "ordered"] = {"mse": 4.0}
    report = compare(REGRESSION, stored(REGRESSION, records))
    rows = {row["method"]: row for row in report.tables[0].rows}
    assert rows["SDP"]["no worse than bagging, %"] == 100
    assert rows["ordered"]["no worse than bagging, %"] == 50
    assert rows["ordered"]["mean ratio to bagging"] == pytest.approx(1.0)
    assert rows["SDP"]["mean_rank"] == 1.5
    assert [target.verdict for target in report.targets] == ["MISS", "PASS", "PASS", "PASS"]


def test_overlap_is_averaged_by_size():
    records = {
        ("autoprice", method): {"overlap": share, "by_size": [share] * 32}
        for method, share in (("ordered", 80.0), ("SDP", 100.0))
    }
    report = overlap(OVERLAP, stored(OVERLAP, records))
    assert report.tables[0].rows[0] == {"members kept": 1, "ordered": 80.0, "SDP": 100.0}
    assert [target.verdict for target in report.targets] == ["MISS", "PASS"]


def test_nothing_stored():
    for table, summarise in ((OVERLAP, overlap), (REGRESSION, compare)):
        assert summarise(table, RunStore()).notes == [f"{table.name}: no results"]


def test_quick_run():
    report = pruning.run(SimpleNamespace(quick=True, repeats=1), RunStore())
    orders, searches = report.tables
    assert all(row["order"] > 0 for row in orders.rows)
    assert {row["method"] for row in searches.rows} == {"sdp", "exhaustive"}
    assert pruning._from_averages(np.array([[3.0], [1.0], [-0.9]]), np.zeros(1)) == [2, 1, 0]
