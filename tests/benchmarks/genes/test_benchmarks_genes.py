"""Peers on many features, and the parts of the benchmark of genes."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.genes import speed as genes
from benchmarks.genes import summary as gene_summary
from benchmarks.genes.peers import DiagonalDiscriminant, EliminatingSVM, FeatureRVM, TunedByFolds
from benchmarks.papers import microarrays
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 40))
    return X, np.where(X[:, 3] > 0.4, "c", np.where(X[:, 8] > 0, "b", "a"))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "machine", [DiagonalDiscriminant(), EliminatingSVM(), FeatureRVM()], ids=lambda m: type(m).__name__
)
def test_peers_learn(data, machine, n_classes):
    X, y = data
    y = y if n_classes == 3 else np.where(y == "c", "c", "a")
    machine.fit(X[:60], y[:60])
    assert np.mean(machine.predict(X[60:]) == y[60:]) > 0.5
    assert getattr(machine, "n_features_", 1) <= 40


def test_diagonal_discriminant_of_one_feature_is_linear_discriminant(data):
    X, y = data
    y = np.where(y == "c", "c", "a")
    ours = DiagonalDiscriminant().fit(X[:, 3:4], y).predict(X[:, 3:4])
    theirs = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X[:, 3:4], y).predict(X[:, 3:4])
    np.testing.assert_array_equal(ours, theirs)


def test_too_few_rows_for_a_value_are_no_obstacle(data):
    X, y = data[0][:20], np.arange(20) % 2
    chosen = TunedByFolds(KNeighborsClassifier(), "n_neighbors", (1, 3, 99)).fit(X, y)
    assert chosen.best_estimator_.n_neighbors in (1, 3)


def test_targets_of_the_genes():
    def rows(seconds, memory):
        return [
            {"machine": name, "fit_cpu_s": own, "fit / EP": own, "peak beside X, times X": memory}
            for name, own in seconds.items()
        ]

    ours, double, gibbs, (peer, _) = genes._EP, genes._DOUBLE, genes._GIBBS, genes._PEERS
    found = genes.targets(
        rows({ours: 1.0, double: 2.0, gibbs: 99.0, peer: 1.2}, 3.0),
        rows({ours: 5.0, double: 9.0, peer: 2.0}, 2.5),
    )
    assert [each.verdict for each in found] == ["MISS", "PASS", "PASS", "PASS", "MISS", "MISS", "MISS"]


def test_one_cell_of_the_table(data_directory):
    measured = microarrays.measure("khan", 0, "EP")
    assert measured["error"] < 20
    assert 1 <= measured["features"] < 100


def test_summary_ranks_over_all_sets():
    cells = pd.DataFrame(
        [
            {"dataset": dataset, "method": method, "measure": measure, "measured": value + place, "splits": 3}
            for place, dataset in enumerate(("a", "b", "c"))
            for measure in ("error", "features", "fit_seconds")
            for method, value in (("SVM", 5.0), ("EP", 4.0), ("kNN", 30.0))
            if (method, measure) != ("kNN", "features")
        ]
    )
    report = gene_summary.summary(cells)
    assert [row["method"] for row in report.tables[0].rows] == ["EP", "SVM", "kNN"]
    assert report.tables[0].rows[2]["features"] is None
    assert report.targets[0].verdict == "PASS"
    assert gene_summary.summary(cells[:0]).notes == ["microarrays: no results"]
