"""Mean ranks over the sets of the EPCVM paper, and their targets."""

from dataclasses import replace

import pytest
from benchmarks.accuracy import ranks
from benchmarks.papers import epcvm

from pauca.evaluation import RunStore, Unit

EVIDENCE = replace(epcvm.TABLES[0], published=epcvm.published_values())


def _filled(errors):
    """A store with two splits of some sets; ``errors`` by set and method."""
    store = RunStore()
    for dataset, by_method in errors.items():
        for method, error in by_method.items():
            for split in range(2):
                scores = {"error": error + split, "auc": 100 - error, "log_loss": error / 100}
                sizes = {"vectors": 10 if method == "SparseGP" else 20, "fit_seconds": 1.0}
                record = {**scores, **sizes, "probability_rmse": error / 200, "predict_seconds": 0.1}
                store.put(Unit(EVIDENCE.study, dataset, split, method), record)
    return store


def test_ranks_and_their_targets():
    store = _filled(
        {
            "heart": {"SparseGP": 15.0, "RVM": 16.0, "SVM": 17.0},
            "german": {"SparseGP": 25.0, "RVM": 24.0, "SVM": 26.0},
            "image": {"SparseGP": 4.0, "RVM": 6.0, "SVM": 5.0},
        }
    )
    found = ranks.report(EVIDENCE, store, 2)
    targets = {target.name: target for target in found.targets}
    close = targets["sets of 3 with an error at most 0.5 points above the published one"]
    assert (close.value, close.verdict) == (2, "PASS")
    assert targets["mean rank by error minus that of the better of SVM and RVM"].value == pytest.approx(
        -2 / 3
    )
    assert targets["vectors, SparseGP / SVM, largest of all sets"].value == 0.5
    tables = {table.title: table.rows for table in found.tables}
    assert tables["Mean ranks"][0]["method"] == "SparseGP"
    assert tables["Mean ranks"][0]["auc"] == pytest.approx(4 / 3)
    assert [
        row["difference"] for row in tables["Error of SparseGP in percent, beside the published one of EPCVM"]
    ] == pytest.approx([15.5 - 16.65, 25.5 - 24.09, 4.5 - 5.18])
