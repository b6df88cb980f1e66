"""Verdicts on measured values."""

import pytest

from pauca.evaluation import (
    Bound,
    Measure,
    RunStore,
    Target,
    compare_with_published,
    failures,
    read_records,
    records_of,
    reproduce,
    summaries_of,
    targets,
    with_verdicts,
    write_records,
)
from pauca.evaluation.papers.verdicts import Summary, rounding, summaries, verdict


def verdicts(table, store):
    return [target.verdict for target in targets(table, compare_with_published(table, store))]


def test_cells_have_measured_and_published_values_and_verdicts(table):
    store = RunStore()
    reproduce(table(), store)
    cells = compare_with_published(table(), store).set_index(["method", "measure"])
    assert cells.loc[("svm", "error"), "measured"] == pytest.approx(4.1)
    assert cells.loc[("svm", "error"), "standard_error"] == pytest.approx(0.1 / 3**0.5)
    assert cells["splits"].tolist() == [3, 3, 3]
    assert cells["verdict"].tolist() == ["agrees", "differs", "better"]


def test_what_was_not_run_is_not_measured(table):
    cells = compare_with_published(table(), RunStore())
    assert set(cells["verdict"]) == {"not measured"}
    assert len(cells) == 3


NAN = float("nan")


@pytest.mark.parametrize(
    ("mean", "std", "splits", "spread", "better", "expected"),
    [
        # Standard errors 0.5 of ours and 0.5 of theirs: two of the difference are 1.414.
        (11.4, 5.0, 100, 5.0, "lower", "agrees"),
        (11.5, 5.0, 100, 5.0, "lower", "worse"),
        (8.5, 5.0, 100, 5.0, "lower", "better"),
        (11.5, 5.0, 100, 5.0, "higher", "better"),
        (8.5, 5.0, 100, 5.0, None, "differs"),
        # Without a printed spread ours stands for it; with a small one the paper's part vanishes.
        (11.4, 5.0, 100, None, "lower", "agrees"),
        (11.4, 5.0, 100, 0.0, "lower", "worse"),
        # Fewer splits say less, one says nothing.
        (11.5, 5.0, 20, 5.0, "lower", "agrees"),
        (10.0, NAN, 1, 5.0, "lower", "one split"),
        (NAN, NAN, 0, 5.0, "lower", "not measured"),
        # A mean without spread agrees up to rounding to 10.01.
        (10.02, 0.0, 100, 0.0, "lower", "worse"),
        (10.013, 0.0, 100, 0.0, "lower", "agrees"),
    ],
)
def test_verdicts(mean, std, splits, spread, better, expected):
    assert verdict(Summary(mean, std, splits), 10.01, spread, 100, Measure(better)) == expected


@pytest.mark.parametrize(
    ("printed", "half"), [(5.25, 0.005), (2.8, 0.05), (69, 0.5), (70.0, 0.5), (1e-3, 5e-4)]
)
def test_half_a_unit_of_the_last_digit(printed, half):
    assert rounding(printed) == pytest.approx(half)


def test_seconds_have_no_verdict():
    seconds = Measure(None, compared=False)
    assert verdict(Summary(100.0, 1.0, 50), 0.1, None, 100, seconds) == ""


def test_medians_stand_beside_printed_medians():
    values = [1.0, 2.0, 9.0]
    assert Summary.of(values).mean == 4.0
    assert Summary.of(values, True).mean == 2.0
    assert Summary.of(values, True).std == Summary.of(values).std


def test_printed_spreads_are_used(table):
    store = RunStore()
    reproduce(table(), store)
    wide = table(spread={("iris", "rvm"): {"error": 2.0}})
    cells = with_verdicts(wide, summaries(table(), store)).set_index(["method", "measure"])
    assert cells.loc[("rvm", "error"), "verdict"] == "agrees"
    with pytest.raises(ValueError, match="has no 'mlp'"):
        table(spread={("iris", "mlp"): {"error": 2.0}})


def test_records_survive_a_file_and_newer_ones_take_their_place(table, tmp_path):
    store, path = RunStore(), tmp_path / "toy.csv"
    reproduce(table(), store, n_splits=2)
    write_records(path, records_of(table(), store))
    first = read_records(path)
    assert [each["splits"] for each in first] == [2, 2, 2]
    assert {each["protocol"] for each in first} == {table().study.split()[-1]}
    reproduce(table(), store)
    rvm = [each for each in records_of(table(), store) if each["method"] == "rvm"]
    write_records(path, rvm)
    found = summaries_of(read_records(path))
    assert found["iris", "rvm", "error"] == Summary(pytest.approx(4.1), pytest.approx(0.1), 3)
    assert found["iris", "svm", "error"].splits == 2


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
