"""Tables of the section ``scaling``: Friedman labels of any size, and the real large sets."""

import os
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

from ..harness.problems import _SIBLING

FRIEDMAN, FRIEDMAN_FILES = "friedman", "friedman in files"
LARGE = ("skin", "kddcup99", "brfss-heart", "covtype-2v4", "flights3m")
_N_FEATURES, _N_TEST = 20, 100_000
# Seeds of training rows, of test rows, of files and of the partition of real sets. Constants were chosen with
# rows of other seeds (0, 1, 1000) and with the partition that comes with each real set.
_TRAIN_SEED, _TEST_SEED, _FILE_SEED, _PARTITION_SEED = SEEDS = 100, 101, 100_000, 23
# Levels of a nominal column up to which each gets a column of its own; rarer use: means of the target.
_MAX_LEVELS = 50
# Rows of one file, and weight of the overall mean beside the rows of a level; set by hand.
_FILE_ROWS, _SHRINKAGE = 500_000, 20


@dataclass(frozen=True)
class Rows:
    """Training and test rows; y are labels 0 and 1, or numbers."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    limit: float | None = None

    @property
    def is_regression(self) -> bool:
        """Whether y are numbers."""
        return self.y.dtype.kind == "f"


def friedman(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Uniform features with unit variance, labels, and the probability of the label 1."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, _N_FEATURES), dtype=np.float32)
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * np.square(X[:, 2] - 0.5) + 10 * X[:, 3] + 5 * X[:, 4]
    p = 1 / (1 + np.exp(-(f - 14.4) / 1.5))
    y = (rng.random(n_rows) < p).astype(np.int8)
    return (X - np.float32(0.5)) / np.float32(np.sqrt(1 / 12)), y, p.astype(float)


def generated(n_rows: int) -> Rows:
    """Friedman labels; test rows and their Bayes limit are the same for every size."""
    X_test, y_test, p = friedman(_N_TEST, _TEST_SEED)
    limit = float(-np.mean(np.log(np.where(y_test == 1, p, 1 - p))))
    X, y = (friedman(n_rows, _TRAIN_SEED)[:2]) if n_rows else (X_test[:0], y_test[:0])
    return Rows(X.astype(float), y, X_test.astype(float), y_test, limit)


def write_files(folder: Path, n_rows: int) -> list[Path]:
    """Friedman labels in Parquet files."""
    import pyarrow
    from pyarrow import parquet

    paths = []
    for k, first in enumerate(range(0, n_rows, _FILE_ROWS)):
        X, y, _ = friedman(min(_FILE_ROWS, n_rows - first), _FILE_SEED + k)
        columns = {f"x{j}": X[:, j] for j in range(_N_FEATURES)}
        paths.append(folder / f"rows-{k:04}.parquet")
        parquet.write_table(pyarrow.table({**columns, "y": y}), paths[-1])
    return paths


def large(name: str, own_partition: bool = False) -> Rows:
    """A real large set: few levels one by one, many levels by their mean target on the training rows.

    Test rows are as many as in the partition that comes with the set, but drawn anew unless it is asked for.
    """
    folder = Path(os.environ.get("PAUCA_DATA") or _SIBLING) / "large"
    with np.load(folder / f"{name}.npz", allow_pickle=False) as data:
        X, y = data["X"].astype(float), data["y"]
        train, test = (np.ravel(data[key]) for key in ("train_index", "test_index"))
        if not own_partition:
            order = np.random.default_rng([_PARTITION_SEED, crc32(name.encode())]).permutation(len(X))
            train, test = np.sort(order[len(test) :]), np.sort(order[: len(test)])
        nominal = [int(j) for j in np.ravel(data["categorical"])] if "categorical" in data else []
    y = (y > 0).astype(np.int8) if y.dtype.kind in "iub" else y.astype(float)
    columns = [_encoded(X[:, j], y, train) if j in nominal else X[:, [j]] for j in range(X.shape[1])]
    X = np.hstack(columns)
    return Rows(X[train], y[train], X[test], y[test])


def _encoded(codes, y, train):
    levels, places = np.unique(codes, return_inverse=True)
    if len(levels) <= _MAX_LEVELS:
        return (places[:, None] == np.arange(len(levels))).astype(float)
    counts = np.bincount(places[train], minlength=len(levels))
    sums = np.bincount(places[train], y[train], minlength=len(levels))
    means = (sums + _SHRINKAGE * y[train].mean()) / (counts + _SHRINKAGE)
    return means[places][:, None]
