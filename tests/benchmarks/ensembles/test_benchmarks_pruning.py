"""Benchmarks of pruning: problems, summaries of stored results, a quick run."""

from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.ensembles import pruning
from benchmarks.ensembles.cart import Cart, one_standard_error_alpha
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


def test_trees_are_pruned_by_their_misclassified_rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    y = (X[:, 0] > 0.5) ^ (rng.uniform(size=300) < 0.2)
    full = Cart(random_state=0).fit(X, y)
    stump = full.pruned(0.01)
    assert full.get_n_leaves() > 20
    assert stump.get_n_leaves() < full.get_n_leaves()
    # The branches whose leaves misclassify as many rows as their root are worth nothing at all.
    least = full.pruned(1e-12)
    assert least.score(X, y) == full.score(X, y) == 1
    assert full.pruned(1.0).get_n_leaves() == 1


def test_the_smallest_tree_within_a_standard_error_is_chosen():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    y = (X[:, 0] > 0.5) ^ (rng.uniform(size=300) < 0.1)
    alpha = one_standard_error_alpha(SimpleNamespace(X=X, y=y))
    assert Cart(ccp_alpha=alpha, random_state=0).fit(X, y).get_n_leaves() == 2
    noise = rng.uniform(size=300) < 0.5
    root = one_standard_error_alpha(SimpleNamespace(X=X, y=noise))
    assert Cart(ccp_alpha=root, random_state=0).fit(X, noise).get_n_leaves() == 1
