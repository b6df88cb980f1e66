"""Tables of the EPCVM paper: published values, targets, one repetition of every method."""

from dataclasses import replace

import pytest
from benchmarks.papers import epcvm, epcvm_median

from pauca import EPCVMClassifier, SparseGPClassifier
from pauca.evaluation import RunStore, compare_with_published, failures, reproduce

(EVIDENCE,) = epcvm.TABLES
MEDIAN, ENGINES = epcvm_median.TABLES


def test_published_values():
    heart, german = MEDIAN.published["heart", "EPCVM"], MEDIAN.published["german", "QDA"]
    assert heart == {"error": 16.65, "vectors": 14.8, "fit_seconds": 0.28}
    assert german == {"fit_seconds": 0.0}
    assert MEDIAN.published["titanic", "SVM"] == {
        "error": 21.18,
        "auc": 75.18,
        "vectors": 489.5,
        "fit_seconds": 0.75,
    }
    assert len(epcvm.DATASETS) == 13


def test_printed_values_stand_beside_the_machines_of_the_paper_only():
    assert not EVIDENCE.published
    printed = {method for (_, method), values in MEDIAN.published.items() if values}
    assert printed == set(epcvm_median.METHODS)
    for name in ("EPCVM", "EPCVM-EP"):
        machine = epcvm_median.METHODS[name][0]
        assert (machine.start, machine.shrinkage, machine.max_candidates) == ("empty", False, None)
    assert type(epcvm.METHODS["SparseGP"]) is SparseGPClassifier
    assert type(epcvm.METHODS["EPCVM"]) is EPCVMClassifier


def test_targets_are_half_a_point_above_the_published_error():
    bounds = {(bound.dataset, bound.method): bound.bound for bound in EVIDENCE.bounds}
    assert bounds["image", "SparseGP"] == pytest.approx(5.18 + 0.5)
    assert bounds["heart", "SparseGP-EP"] == pytest.approx(16.65 + 0.5)
    assert {dataset for dataset, _ in bounds} == set(epcvm.DATASETS)


@pytest.mark.filterwarnings("ignore:EPCVMClassifier has chains")
@pytest.mark.parametrize("method", ENGINES.methods)
def test_every_engine_is_measured(method):
    draws = {"n_draws": 20} if method == "HMC" else {}
    record = epcvm_median.measure_engine("wdbc", 0, method, {"gamma": 0.02, **draws})
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
    knn, _ = epcvm_median.METHODS["kNN"]
    monkeypatch.setitem(epcvm_median.METHODS, "kNN", (knn, {"n_neighbors": (200, 7)}))
    assert epcvm_median.choose("wdbc", "kNN") == {"n_neighbors": 7}
    assert epcvm_median.choose("wdbc", "LDA") == {}
    narrow, wide = (
        epcvm_median.measure("wdbc", 0, "SVM", {"C": 1.0, "gamma": gamma}) for gamma in (10.0, 0.01)
    )
    assert narrow["vectors"] > wide["vectors"]


@pytest.mark.filterwarnings("ignore")
def test_the_width_and_the_start_of_pcvm_are_those_with_the_smallest_error(monkeypatch):
    machine, _ = epcvm_median.METHODS["PCVM"]
    quick = machine.set_params(max_iter=30, tol=1.0)
    monkeypatch.setitem(epcvm_median.METHODS, "PCVM", (quick, {"gamma": (0.02,), "only_start": (0, 1)}))
    chosen = epcvm_median.choose("wdbc", "PCVM")
    assert set(chosen) == {"gamma", "only_start"}
    assert 1 < epcvm_median.measure("wdbc", 0, "PCVM", chosen)["error"] < 30


def test_the_median_protocol_measures_what_it_has_chosen(monkeypatch):
    knn, _ = epcvm_median.METHODS["kNN"]
    monkeypatch.setitem(epcvm_median.METHODS, "kNN", (knn, {"n_neighbors": (200, 7)}))
    table = replace(MEDIAN, datasets=("wdbc",), methods=("kNN", "LDA"), published={}, spread={}, bounds=())
    store = RunStore()
    reproduce(table, store, n_splits=1)
    assert failures(table, store, 1) == []
    cells = compare_with_published(table, store, 1).set_index(["method", "measure"])["measured"]
    for method, parameters in (("kNN", {"n_neighbors": 7}), ("LDA", {})):
        assert cells[method, "error"] == epcvm_median.measure("wdbc", 0, method, parameters)["error"]
