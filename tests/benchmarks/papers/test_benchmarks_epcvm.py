"""Tables of the EPCVM paper: published values, targets, one repetition of every method."""

from dataclasses import replace

import pytest
from benchmarks.papers import epcvm

from pauca import EPCVMClassifier, SparseGPClassifier
from pauca.evaluation import RunStore, compare_with_published, failures, reproduce

EVIDENCE, MEDIAN, ENGINES = epcvm.TABLES


def test_published_values():
    heart, german = EVIDENCE.published["heart", "EPCVM"], EVIDENCE.published["german", "QDA"]
    assert heart == {"error": 16.65, "vectors": 14.8, "fit_seconds": 0.28}
    assert german == {"fit_seconds": 0.0}
    assert EVIDENCE.published["titanic", "SVM"] == {
        "error": 21.18,
        "auc": 75.18,
        "vectors": 489.5,
        "fit_seconds": 0.75,
    }
    assert EVIDENCE.published == MEDIAN.published
    assert len(epcvm.DATASETS) == 13


def test_names_stand_for_the_machines_so_called():
    """Printed values of the paper stand beside its own machine only."""
    for name, machine in (("SparseGP", SparseGPClassifier), ("EPCVM", EPCVMClassifier)):
        for suffix, engine in (("", "laplace"), ("-EP", "ep")):
            method = epcvm.METHODS[name + suffix]
            assert type(method.own) is type(method.machine) is machine
            assert method.own.inference == engine
            printed = any(EVIDENCE.published[dataset, name + suffix] for dataset in epcvm.DATASETS)
            assert printed == (name == "EPCVM")


def test_targets_are_half_a_point_above_the_published_error():
    bounds = {(bound.dataset, bound.method): bound.bound for bound in EVIDENCE.bounds}
    assert bounds["image", "SparseGP"] == pytest.approx(5.18 + 0.5)
    assert bounds["heart", "SparseGP-EP"] == pytest.approx(16.65 + 0.5)
    assert {dataset for dataset, _ in bounds} == set(epcvm.DATASETS)


@pytest.mark.parametrize("method", ENGINES.methods)
def test_every_engine_is_measured(method, monkeypatch):
    monkeypatch.setitem(epcvm._ENGINES, "HMC", EPCVMClassifier(gamma=0.02, inference="hmc", n_draws=20))
    record = epcvm.measure_engine("wdbc", 0, method)
    assert set(record) == set(ENGINES.measures)
    assert 1 < record["error"] < 15


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", epcvm.METHODS)
def test_every_method_is_measured(method):
    record = epcvm.measure("wdbc", 0, method)
    assert set(record) == set(EVIDENCE.measures)
    assert 1 < record["error"] < 15
    assert 95 < record["auc"] <= 100
    assert (record["vectors"] is None) == (method in ("kNN", "LDA", "QDA"))


def test_parameters_are_chosen_once_and_used(monkeypatch):
    few = epcvm.METHODS["kNN"]._replace(grid={"n_neighbors": [7, 200]})
    monkeypatch.setitem(epcvm.METHODS, "kNN", few)
    assert epcvm.choose("wdbc", "kNN") == {"n_neighbors": 7}
    assert epcvm.choose("wdbc", "LDA") == {}
    narrow, wide = (epcvm.measure("wdbc", 0, "SVM", {"C": 1.0, "gamma": gamma}) for gamma in (10.0, 0.01))
    assert narrow["vectors"] > wide["vectors"]


def test_the_median_protocol_measures_what_it_has_chosen(monkeypatch):
    few = epcvm.METHODS["kNN"]._replace(grid={"n_neighbors": [7, 200]})
    monkeypatch.setitem(epcvm.METHODS, "kNN", few)
    table = replace(MEDIAN, datasets=("wdbc",), methods=("kNN", "LDA"), published={}, spread={}, bounds=())
    store = RunStore()
    reproduce(table, store, n_splits=1)
    assert failures(table, store, 1) == []
    cells = compare_with_published(table, store, 1).set_index(["method", "measure"])["measured"]
    for method, parameters in (("kNN", {"n_neighbors": 7}), ("LDA", {})):
        assert cells[method, "error"] == epcvm.measure("wdbc", 0, method, parameters)["error"]
