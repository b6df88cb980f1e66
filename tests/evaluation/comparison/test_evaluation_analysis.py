"""Statistical analysis of comparisons."""

import numpy as np
import pytest
from test_evaluation_experiment import CLASSIFIERS, benchmark

from pauca.evaluation import (
    Benchmark,
    analyse,
    compare,
    corrected_t,
    mean_ranks,
    repeated_splits,
)


@pytest.fixture(scope="module")
def three_tables():
    rng = np.random.default_rng(0)
    benchmarks = {}
    for k in range(3):
        X = rng.normal(size=(80, 3))
        y = (X[:, k] + 0.5 * rng.normal(size=80) > 0).astype(int)
        benchmarks[f"table {k}"] = Benchmark(X, y, repeated_splits(y, 3), CLASSIFIERS)
    return compare(benchmarks)


def test_analysis_over_tables(three_tables):
    analysis = analyse(three_tables, "error", control="logistic")
    assert analysis.friedman["test"].tolist() == ["Friedman", "Iman-Davenport"]
    assert len(analysis.nemenyi) == len(analysis.wilcoxon) == 3
    assert set(analysis.control["control"]) == {"logistic"}
    assert analysis.mean_ranks.equals(mean_ranks(three_tables.scores("error")))
    assert analysis.critical_difference < analyse(three_tables, "error").critical_difference


def test_direction_of_measures(three_tables):
    best = {name: analyse(three_tables, name).mean_ranks["method"][0] for name in ("auc", "log_loss")}
    assert best == {"auc": three_tables.scores("auc").mean().idxmax(), "log_loss": best["log_loss"]}
    assert three_tables.scores("log_loss").mean().idxmin() == best["log_loss"]


def test_analysis_over_the_splits_of_one_table():
    comparison = compare({"cancer": benchmark()})
    analysis = analyse(comparison, "log_loss", test_over_train=1.0)
    assert analysis.nemenyi is None
    assert analysis.friedman is None
    assert len(analysis.splits) == 3
    scores = comparison.split_scores("cancer", "log_loss")
    expected = corrected_t(scores["stump"], scores["logistic"], 1.0).iloc[0]
    row = analysis.splits.set_index(["method_1", "method_2"]).loc[("logistic", "stump")]
    assert row["p_value"] == pytest.approx(expected["p_value"])
    assert row["p_holm"] >= row["p_value"]
    assert row["gain"] == pytest.approx(expected["difference"])
    assert row["gain"] > 0


def test_a_control_is_compared_with_the_others_only(three_tables):
    pairs = analyse(three_tables, "error", control="stump").splits
    assert set(pairs["method_1"]) == {"stump"}
    assert len(pairs) == 3 * 2


def test_measures_without_a_direction_rank_nothing(three_tables):
    with pytest.raises(ValueError, match="neither large nor small"):
        analyse(three_tables, "coverage")
