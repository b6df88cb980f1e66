"""Published tables: what is run, what is stored, and the verdicts."""

from functools import partial

import pytest

from pauca.evaluation import Bound, Measure, PaperTable, RunStore, Unit, failures, judge, reproduce, targets
from pauca.evaluation.papers.verdicts import verdict

PUBLISHED = {("iris", "svm"): {"error": 4.0, "size": 50}, ("iris", "rvm"): {"error": 4.5}}


def measure(dataset, split, method):
    return {"error": 4.0 + 0.1 * split, "size": {"svm": 10.0, "rvm": None}[method]}


def table(**changes):
    settings = {
        "name": "toy-1",
        "title": "A toy",
        "datasets": ("iris",),
        "methods": ("svm", "rvm"),
        "n_splits": 3,
        "measure": measure,
        "measures": {"error": Measure(absolute=0.2), "size": Measure(relative=0.1)},
        "published": PUBLISHED,
    }
    return PaperTable(**{**settings, **changes})


def test_cells_have_measured_and_published_values_and_verdicts():
    store = RunStore()
    reproduce(table(), store)
    cells = judge(table(), store).set_index(["method", "measure"])
    assert cells.loc[("svm", "error"), "measured"] == pytest.approx(4.1)
    assert cells.loc[("svm", "error"), "standard_error"] == pytest.approx(0.1 / 3**0.5)
    assert cells["splits"].tolist() == [3, 3, 3]
    assert cells["verdict"].tolist() == ["agrees", "better", "better"]


def test_fewer_splits_are_the_first_ones_and_never_more_than_the_paper_has():
    store = RunStore()
    reproduce(table(), store, n_splits=2)
    assert judge(table(), store)["splits"].tolist() == [2, 2, 2]
    reproduce(table(), store, n_splits=30)
    assert len(store) == 6


def test_what_was_not_run_is_not_measured():
    cells = judge(table(), RunStore())
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


def test_methods_that_share_work_are_measured_and_stored_together():
    calls = []

    def together(dataset, split):
        calls.append(split)
        return {method: {"error": 1.0} for method in ("svm", "rvm")}

    shared, store = table(measure=together, together=True), RunStore()
    reproduce(shared, store)
    assert calls == [0, 1, 2]
    assert len(store) == 6


def _with_parameters(calls, dataset, split, method, parameters):
    calls.append((split, method, parameters))
    return {"error": 1.0}


def test_parameters_are_chosen_once_and_stored():
    calls, choices = [], []

    def choose(dataset, method):
        choices.append(method)
        return {"C": len(method)}

    chosen, store = table(measure=partial(_with_parameters, calls), choose=choose), RunStore()
    reproduce(chosen, store, n_splits=2)
    reproduce(chosen, store)
    assert choices == ["svm", "rvm"]
    assert calls[0] == (0, "svm", {"C": 3})
    assert len(calls) == 6
    assert judge(chosen, store)["splits"].max() == 3


def test_failures_are_listed_once_with_their_reason():
    def missing(dataset, split, method):
        raise OSError("no such set")

    broken, store = table(measure=missing), RunStore()
    reproduce(broken, store)
    assert failures(broken, store) == [
        "svm on iris: OSError: no such set",
        "rvm on iris: OSError: no such set",
    ]


def test_a_new_version_does_not_take_old_results():
    store = RunStore()
    reproduce(table(), store, n_splits=1)
    assert Unit("toy-1 v1", "iris", 0, "svm") in store
    assert judge(table(version=2), store)["splits"].max() == 0


def test_targets_are_bounds_on_measured_means():
    bounds = (Bound("iris", "svm", "error", 4.05), Bound("iris", "svm", "size", 5, at_least=True))
    bounded, store = table(bounds=bounds), RunStore()
    assert {target.verdict for target in targets(bounded, judge(bounded, store))} == {"not measured"}
    reproduce(bounded, store)
    assert [target.verdict for target in targets(bounded, judge(bounded, store))] == ["MISS", "PASS"]


def test_a_bound_may_be_another_method():
    bounds = (Bound("iris", "svm", "error", "rvm"), Bound("iris", "rvm", "error", "svm"))
    errors = {"svm": 3.0, "rvm": 4.0}
    bounded = table(
        bounds=bounds, measure=lambda dataset, split, method: {"error": errors[method], "size": 1}
    )
    store = RunStore()
    assert {target.verdict for target in targets(bounded, judge(bounded, store))} == {"not measured"}
    reproduce(bounded, store)
    first, second = targets(bounded, judge(bounded, store))
    assert (first.value, first.bound, first.verdict) == (3.0, 4.0, "PASS")
    assert (second.value, second.bound, second.verdict) == (4.0, 3.0, "MISS")
    assert first.name == "svm, iris: error, beside rvm"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"published": {("irsi", "svm"): {"error": 1}}}, "no 'irsi'; there are iris"),
        ({"published": {("iris", "smv"): {"error": 1}}}, "no 'smv'"),
        ({"published": {("iris", "svm"): {"erorr": 1}}}, "no 'erorr'; there are error, size"),
        ({"bounds": (Bound("iris", "svm", "time", 1),)}, "no 'time'"),
        ({"bounds": (Bound("iris", "svm", "error", "rmv"),)}, "no 'rmv'"),
        ({"together": True, "choose": print}, "exclude each other"),
    ],
)
def test_misspelt_names_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        table(**changes)
