"""Verdicts on measured values."""

import pytest

from pauca.evaluation import (
    Bound,
    Measure,
    RunStore,
    Target,
    compare_with_published,
    failures,
    reproduce,
    targets,
)
from pauca.evaluation.papers.verdicts import verdict


def verdicts(table, store):
    return [target.verdict for target in targets(table, compare_with_published(table, store))]


def test_cells_have_measured_and_published_values_and_verdicts(table):
    store = RunStore()
    reproduce(table(), store)
    cells = compare_with_published(table(), store).set_index(["method", "measure"])
    assert cells.loc[("svm", "error"), "measured"] == pytest.approx(4.1)
    assert cells.loc[("svm", "error"), "standard_error"] == pytest.approx(0.1 / 3**0.5)
    assert cells["splits"].tolist() == [3, 3, 3]
    assert cells["verdict"].tolist() == ["agrees", "better", "better"]


def test_what_was_not_run_is_not_measured(table):
    cells = compare_with_published(table(), RunStore())
    assert set(cells["verdict"]) == {"not measured"}
    assert len(cells) == 3


@pytest.mark.parametrize(
    ("mean", "error", "better", "expected"),
    [
        (10.9, float("nan"), "lower", "agrees"),
        (11.1, float("nan"), "lower", "worse"),
        (8.9, float("nan"), "lower", "better"),
        (11.1, float("nan"), "higher", "better"),
        (8.9, float("nan"), "higher", "worse"),
        (11.1, float("nan"), None, "differs"),
        (11.1, 0.06, "lower", "unclear"),
        (11.1, 0.04, "lower", "worse"),
        (10.9, 0.06, "lower", "agrees"),
    ],
)
def test_verdicts(mean, error, better, expected):
    assert verdict(mean, error, 10.0, Measure(0.5, 0.05, better)) == expected


def test_failures_are_listed_once_with_their_reason(table):
    def missing(dataset, split, method):
        raise OSError("no such set")

    broken, store = table(measure=missing), RunStore()
    reproduce(broken, store)
    assert failures(broken, store) == [
        "svm on iris: OSError: no such set",
        "rvm on iris: OSError: no such set",
    ]


def test_targets_are_bounds_on_measured_means(table):
    bounds = (Bound("iris", "svm", "error", 4.05), Bound("iris", "svm", "size", 5, at_least=True))
    bounded, store = table(bounds=bounds), RunStore()
    assert set(verdicts(bounded, store)) == {"not measured"}
    reproduce(bounded, store)
    assert verdicts(bounded, store) == ["MISS", "PASS"]


def test_a_bound_may_be_another_method(table):
    bounds = (Bound("iris", "svm", "error", "rvm"), Bound("iris", "rvm", "error", "svm"))
    errors = {"svm": 3.0, "rvm": 4.0}
    bounded = table(
        bounds=bounds, measure=lambda dataset, split, method: {"error": errors[method], "size": 1}
    )
    store = RunStore()
    assert set(verdicts(bounded, store)) == {"not measured"}
    reproduce(bounded, store)
    first, second = targets(bounded, compare_with_published(bounded, store))
    assert (first.value, first.bound, first.verdict) == (3.0, 4.0, "PASS")
    assert (second.value, second.bound, second.verdict) == (4.0, 3.0, "MISS")
    assert first.name == "svm, iris: error, beside rvm"


@pytest.mark.parametrize(
    ("value", "at_least", "verdict"),
    [(10.0, True, "PASS"), (9.9, True, "MISS"), (10.0, False, "PASS"), (10.1, False, "MISS")],
)
def test_verdicts_on_targets(value, at_least, verdict):
    assert Target("t", value, 10, at_least).verdict == verdict


def test_what_was_not_measured_has_no_verdict():
    target = Target("t", None, 10, True)
    assert target.verdict == "not measured"
    assert target.row() == {"target": "t", "measured": None, "wanted": "≥ 10", "verdict": "not measured"}
