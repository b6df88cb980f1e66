"""Parts of the harness: problems, runs of contenders, reports."""

import numpy as np
import pytest
from benchmarks.harness.contenders import Contender, classifiers
from benchmarks.harness.problems import generated, reference_gamma
from benchmarks.harness.report import Report, Table, print_table, ratio
from benchmarks.harness.runs import classify, failures, run_contenders
from sklearn.naive_bayes import GaussianNB

from pauca.evaluation import RunStore


@pytest.fixture
def problem():
    return generated("twonorm", 40, 50)


def _recording(name, calls, n_vectors=lambda model: 1):
    def fit(X, y):
        calls.append(name)
        return GaussianNB().fit(X, y)

    return Contender(name, fit, n_vectors)


def _broken(X, y):
    raise ImportError("needs a compiler")


def test_generated_problems_are_standardised_and_repeatable(problem):
    again = generated("twonorm", 40, 50)
    np.testing.assert_array_equal(problem.X_test, again.X_test)
    np.testing.assert_allclose(problem.X.std(axis=0), 1.0)
    assert reference_gamma(problem.X) == pytest.approx(1 / 20)


def test_contenders_take_turns(problem):
    calls = []
    contenders = [_recording(name, calls) for name in "abc"]
    rows = run_contenders(problem, contenders, classify, 3, RunStore())
    assert calls == list("abccbaabc")
    assert [row["runs"] for row in rows] == [3, 3, 3]
    assert all(row["fit_s"] > 0 and row["error_%"] < 50 for row in rows)


def test_runs_reuse_what_the_store_has(problem):
    calls, store = [], RunStore()
    contenders = [_recording("a", calls)]
    first = run_contenders(problem, contenders, classify, 2, store)
    assert run_contenders(problem, contenders, classify, 2, store) == first
    assert calls == ["a", "a"]


def test_a_broken_contender_is_named_with_its_reason_and_stops_nobody(problem):
    calls = []
    contenders = [Contender("broken", _broken, len), _recording("works", calls)]
    rows = run_contenders(problem, contenders, classify, 2, RunStore())
    assert failures(rows) == ["broken skipped on twonorm N=40: ImportError: needs a compiler"]
    assert rows[0]["runs"] == 1
    assert calls == ["works", "works"]


def test_contenders_stay_out_of_problems_beyond_their_limit(problem):
    contender = Contender("small", _broken, len, max_rows=39)
    assert run_contenders(problem, [contender], classify, 1, RunStore()) == []


def test_names_of_contenders_are_distinct():
    names = [contender.name for contender in classifiers()]
    assert len(set(names)) == len(names)


def test_what_was_not_measured_has_no_ratio():
    assert ratio(None, 1.0) is None
    assert ratio(1.0, None) is None


def test_tables_are_printed_with_and_without_rich(capsys, monkeypatch):
    table = Table("Title", [{"machine": "RVM", "seconds": 0.25, "vectors": None}])
    Report([table], notes=["a note"]).show()
    monkeypatch.setattr("benchmarks.harness.report.Console", None)
    print_table(table)
    shown = capsys.readouterr().out
    assert shown.count("Title") == 2
    assert shown.count("0.25") == 2
    assert "a note" in shown
