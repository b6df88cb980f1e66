"""Tables of Bayes machines: problems of the thesis's sizes, one repetition of each table."""

import numpy as np
import pytest
from benchmarks.harness.problems import of_size
from benchmarks.papers import bayes_machines
from benchmarks.papers.bayes_machines import TABLES, circle, digit_pair, digits, real, two_classes


def test_tables_are_those_of_the_thesis():
    by_name = {table.name: table for table in TABLES}
    assert by_name["bayes-circle"].published["10 %", "BM"] == {"error": 5.7, "noise": 8.8}
    assert by_name["bayes-machines"].published["spam", "GPC"] == {"error": 12.7}
    assert by_name["bayes-digits"].published["4 vs 9", "SVM"] == {"error": 11.6}
    assert all(table.n_splits == 50 for table in TABLES)


def test_circle_with_wrong_labels():
    trusting, learned = (circle("10 %", 1, method) for method in ("BM, no noise", "BM"))
    assert learned["error"] < trusting["error"]
    assert 5 < learned["noise"] < 15
    assert trusting["noise"] == 0


@pytest.mark.parametrize("name", ["twonorm", "threenorm"])
def test_generated_problems(name):
    problem = two_classes(name, 0)
    assert problem.X.shape == (100, 20)
    assert problem.X_test.shape == (1000, 20)
    np.testing.assert_allclose(problem.X.std(axis=0), 1)
    assert not np.array_equal(problem.X, two_classes(name, 1).X)


@pytest.mark.parametrize(("name", "n_features", "n_test"), [("boston", 12, 406), ("digits", 64, None)])
def test_sets_of_the_thesis(name, n_features, n_test, data_directory):
    problem = two_classes(name, 0)
    assert problem.X.shape == (bayes_machines._SETS[name][0], n_features)
    assert n_test is None or len(problem.y_test) == n_test
    assert len(np.unique(problem.y)) == 2


def test_methods_on_one_split():
    for method in ("BM", "GPC"):
        assert real("twonorm", 0, method)["error"] < 10


def test_pairs_of_digits(data_directory):
    problem, other = digit_pair(4, 0), digit_pair(4, 1)
    assert problem.X.shape == (100, 196)
    assert problem.X_test.shape == (900, 196)
    assert not np.array_equal(problem.y, other.y)
    large = of_size("4 vs 9", 500)
    assert large.X.shape == (500, 196)
    assert set(large.y) == {4, 9}


@pytest.mark.slow
def test_all_methods_on_a_pair_of_digits(data_directory):
    results = digits("0 vs 9", 0)
    assert set(results) == {"BM", "SBM", "SBM, first pass", "SBM, defaults", "SVM"}
    assert results["SBM"]["vectors"] == 54
    assert all(row["error"] < 15 for row in results.values())
