"""The benchmarks of credible sets, networks and stability: references, summaries and targets."""

import numpy as np
import pytest
from benchmarks.genes import networks, no_signal, sets, stability
from benchmarks.genes.references import variational_logistic
from scipy.special import log_expit

from pauca.datasets import load
from pauca.evaluation import Unit


def test_variational_logistic_finds_the_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 60))
    y = 2 * X[:, 3] - 2 * X[:, 40] + rng.logistic(size=150) > 0
    chance, coef, _ = variational_logistic(X, y, 2)
    assert set(np.argsort(-chance)[:2]) == {3, 40}
    assert chance[[3, 40]].min() > 0.95
    assert np.delete(chance, [3, 40]).mean() < 0.05
    assert coef[3] > 0 > coef[40]


@pytest.mark.parametrize("effect", [0.0, 0.5, 1.0])
def test_one_feature_beside_an_integral(effect):
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    x = (x - x.mean()) / x.std()
    y = effect * x + rng.logistic(size=80) > 0
    signs, grid = 2 * y - 1.0, np.linspace(-4, 4, 321)
    bias = np.linspace(-2, 2, 161)  # a flat prior
    latent = bias[:, None, None] + grid[:, None] * x
    like = np.exp(log_expit(signs * latent).sum(axis=2)).sum(axis=0)
    weight = np.exp(-0.5 * grid**2)
    expected = 0.5 * (like @ weight) / weight.sum()
    none = 0.5 * like[160]
    chance, _, _ = variational_logistic(x[:, None], y, 0.5)
    assert chance[0] == pytest.approx(expected / (expected + none), abs=0.06)


def test_sets_are_counted():
    row = sets._sets_row("numbers", "m", 0, [np.array([1, 2]), np.array([5])], np.array([2, 9]), 1.0)
    assert row["hits"] == [True, False]
    assert (row["sizes"], row["held"], row["true"]) == ([2, 1], 1, 2)
    (summary,) = sets.sets_summary([row, {**row, "hits": [True], "sizes": [4]}])
    assert summary["coverage"] == pytest.approx(2 / 3)
    assert (summary["median size"], summary["power"], summary["sets"]) == (2, 0.5, 3)


def test_targets_compare_with_the_rule():
    rows = [
        {"outcome": outcome, "method": method, "coverage": 0.9, "median size": size}
        for outcome, method, size in (
            ("numbers", sets.OURS, 3),
            ("numbers", sets.RULE, 2),
            ("classes", sets.OURS, 3),
        )
    ]
    verdicts = [target.row()["verdict"] for target in sets.targets(rows)]
    assert verdicts == ["MISS", "MISS", "MISS"]


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=[pytest.mark.slow] if "skglm" in each else []) for each in sets.rankers()],
)
def test_every_ranker_scores_every_feature(name):
    X, true, _, classes = sets.problem(0, 60, 50)
    for score in (sets.rankers()[name],):
        row = sets._ranking_row(name, score, X, classes, np.isin(np.arange(50), true), 0)
        assert 0 < row["average precision"] <= 1
        assert row["of which real"] <= row["claimed"] <= 50


def test_groups_by_correlation():
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(80, 2))
    X = np.repeat(factor, 3, axis=1) + 0.3 * rng.normal(size=(80, 6))
    X = np.column_stack([X, rng.normal(size=(80, 4))])
    assert sorted(map(list, networks.by_correlation(X))) == [[0, 1, 2], [3, 4, 5]]


def test_pathways_hold_the_genes_that_matter():
    X, y, real, groups = networks.pathways(0, 50, 100)
    assert X.shape == (50, 100)
    assert set(np.unique(y)) == {False, True}
    assert real.sum() == 20
    assert sum(real[group].any() for group in groups) == 2


def test_networks_are_compared_on_the_same_rows():
    rows = networks.on_pathways(10, quick=True)
    assert [row["prior"] for row in rows] == [networks.ALONE, networks.GROUPED]
    (target,) = networks.targets(networks.means(rows), [])
    assert target.row()["measured"] == pytest.approx(
        rows[1]["average precision"] - rows[0]["average precision"]
    )


def test_the_svm_ranks_every_gene_once():
    X, y = stability.generated()
    ranking = stability.RankingSVM().fit(X, y).ranking_
    np.testing.assert_array_equal(np.sort(ranking), np.arange(60))
    assert len(set(ranking[:8]) & {0, 1, 2}) >= 2


def test_stability_is_drawn(tmp_path):
    X, y = stability.generated()
    found = stability.measure(X, y, stability.OURS, 3, [1, 5])
    assert len(found["index"]) == 2
    stability.draw({"generated": {stability.OURS: ([1, 5], found["index"])}}, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_permuted_labels_of_a_real_set(data_directory):
    found = no_signal.permute(load("sonar"), Unit("no-signal", "sonar", 0, "posterior"))
    assert found["excess"] < 0.02
    assert found["claims"] <= found["expected"]


def test_calibration_counts_what_is_real():
    rows = no_signal.calibrate(4, 80, 40, 0.5)
    assert len(rows) == 12
    certain = [row for row in rows if row["probabilities"] == "0.9 to 1"]
    assert all(row["share real"] > 0.5 for row in certain)
    verdicts = [
        each.verdict
        for each in no_signal.targets(
            [{"machine": "posterior", "excess": 0.03, "claims above 0.5": 1.0, "expected a priori": 5.0}],
            [{**certain[0], "probabilities": "0.7 to 0.9", "share real": 0.8, "mean probability": 0.85}],
        )
    ]
    assert verdicts == ["MISS", "PASS", "PASS"]
