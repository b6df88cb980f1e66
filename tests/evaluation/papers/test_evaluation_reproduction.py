"""Reproduction of published tables: jobs, stored results, chosen parameters."""

from functools import partial

from pauca.evaluation import RunStore, Unit, compare_with_published, reproduce


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
