"""Reproduction of published tables: jobs, stored results, chosen parameters."""

from functools import partial

import pytest

from pauca.evaluation import (
    RunStore,
    Unit,
    compare_with_published,
    measured_cells,
    read_records,
    records_of,
    reproduce,
    write_records,
)


def test_fewer_splits_are_the_first_ones_and_never_more_than_the_paper_has(table):
    store = RunStore()
    reproduce(table(), store, n_splits=2)
    assert compare_with_published(table(), store)["splits"].tolist() == [2, 2, 2]
    reproduce(table(), store, n_splits=30)
    assert len(store) == 6


def test_methods_that_share_work_are_measured_and_stored_together(table):
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


def test_parameters_are_chosen_once_and_stored(table):
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
    assert compare_with_published(chosen, store)["splits"].max() == 3


def test_a_new_version_does_not_take_old_results(table):
    store = RunStore()
    reproduce(table(), store, n_splits=1)
    assert table().study.startswith("toy-1 v1 ")
    assert Unit(table().study, "iris", 0, "svm") in store
    assert compare_with_published(table(version=2), store)["splits"].max() == 0


def test_a_part_has_the_results_of_the_whole_table(table):
    whole = table(datasets=("iris", "wine"))
    part = whole.part(["wine"], ["rvm"])
    assert part.study == whole.study
    assert [(job.dataset, job.methods) for job in part.jobs(1)] == [("wine", ("rvm",))]
    store = RunStore()
    reproduce(part, store)
    assert len(store) == 3
    assert Unit(whole.study, "wine", 0, "rvm") in store
    assert whole.part().datasets == whole.datasets
    assert table(together=True).part(methods=["rvm"]).methods == ("svm", "rvm")
    with pytest.raises(ValueError, match="has no 'mlp'; there are svm, rvm"):
        whole.part(methods=["mlp"])


def test_what_is_known_from_elsewhere_is_neither_chosen_nor_measured(table):
    choices, calls = [], []

    def choose(dataset, method):
        choices.append(method)
        return {}

    chosen, store = table(measure=partial(_with_parameters, calls), choose=choose), RunStore()
    reproduce(chosen, store, known={("iris", "svm")})
    assert choices == ["rvm"]
    assert {method for _, method, _ in calls} == {"rvm"}
    # Methods that share work are measured again as long as one of them is missing.
    assert len(table(together=True).jobs(1, {("iris", "svm")})) == 1
    assert table(together=True).jobs(1, {("iris", "svm"), ("iris", "rvm")}) == []


def test_known_are_cells_of_todays_protocol_with_enough_splits(table, tmp_path):
    store, path = RunStore(), tmp_path / "toy.csv"
    reproduce(table(), store, n_splits=2)
    write_records(path, records_of(table(), store))
    records = read_records(path)
    both = {("iris", "svm"), ("iris", "rvm")}
    assert measured_cells(table(), records, 2) == both
    assert measured_cells(table(), records) == set()
    earlier = [{**each, "protocol": "earlier"} for each in records]
    assert measured_cells(table(), earlier, 2) == set()


RECORD = {"dataset": "iris", "method": "svm", "measure": "error", "std": 1.0}
ORIGIN = {"commit": "c", "days": "d", "machine": "m"}


@pytest.mark.parametrize(
    ("splits", "protocol", "kept"),
    [
        (40, "today", True),
        (39, "today", False),
        (19, "tomorrow", False),
        (20, "tomorrow", True),
        (41, "tomorrow", True),
    ],
)
def test_a_short_run_does_not_replace_a_long_one(tmp_path, splits, protocol, kept):
    path = tmp_path / "toy.csv"
    write_records(path, [{**RECORD, **ORIGIN, "mean": 1.0, "splits": 40, "protocol": "today"}])
    write_records(path, [{**RECORD, **ORIGIN, "mean": 2.0, "splits": splits, "protocol": protocol}])
    (found,) = read_records(path)
    assert found["mean"] == (2.0 if kept else 1.0)
