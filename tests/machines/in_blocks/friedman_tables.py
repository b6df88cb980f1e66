"""Friedman's function as numbers and as classes, in arrays and in files."""

from itertools import pairwise

import numpy as np
import pyarrow
from pyarrow import parquet


def friedman(n_rows, n_features=6, seed=0):
    """Features, the function and numbers y with noise one."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, n_features))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * np.square(X[:, 2] - 0.5) + 10 * X[:, 3] + 5 * X[:, 4]
    return X, f, f + rng.normal(size=n_rows)


def labelled(n_rows, n_features=6, seed=0):
    """Features, the probability of the label 1, and labels 0 and 1."""
    X, f, _ = friedman(n_rows, n_features, seed)
    p = 1 / (1 + np.exp(-(f - 14.4) / 1.5))
    return X, p, (np.random.default_rng(seed + 1).uniform(size=n_rows) < p).astype(int)


def written(folder, X, y, bounds):
    """Parquet files of consecutive rows with columns x0, x1, ... and y."""
    for k, (first, last) in enumerate(pairwise(bounds)):
        columns = {f"x{j}": X[first:last, j] for j in range(X.shape[1])}
        parquet.write_table(pyarrow.table({**columns, "y": y[first:last]}), folder / f"rows-{k}.parquet")
    return str(folder / "*.parquet")
