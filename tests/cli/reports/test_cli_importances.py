"""Columns that matter, by shuffling."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, LogisticRegression

from pauca.cli.reports.importances import MAX_COLUMNS, importance_rows
from pauca.evaluation import Benchmark


def benchmark(task, n_columns=4):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, n_columns)), columns=[f"c{k}" for k in range(n_columns)])
    y = 3 * X["c2"] + X["c1"]
    y = (y > 0).to_numpy() if task == "classification" else y.to_numpy()
    machine = LogisticRegression() if task == "classification" else LinearRegression()
    return Benchmark(X, y, [(np.arange(100), np.arange(100, 200))], {"linear": machine}, task)


def test_columns_are_sorted_by_their_effect():
    for task in ("classification", "regression"):
        rows = importance_rows(benchmark(task))
        assert [row["column"] for row in rows][:2] == ["c2", "c1"]
        effects = [float(row["linear"]) for row in rows]
        assert effects[0] > effects[1] > 0.05


def test_the_effect_is_that_of_shuffling():
    """Shuffling a column of weight w and variance 1 raises the squared error by 2 w^2 (no other noise)."""
    row = importance_rows(benchmark("regression"))[0]
    assert abs(float(row["linear"]) - 3 * np.sqrt(2)) < 0.8


def test_many_columns_are_left_out():
    assert importance_rows(benchmark("regression", MAX_COLUMNS + 1)) == []
