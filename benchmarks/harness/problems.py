"""Training and test rows: generated problems, and benchmark sets in halves or of a given size."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pauca import datasets
from pauca.datasets import make_friedman1, make_friedman2, make_friedman3, make_ripley, make_twonorm

_SIBLING = Path(__file__).resolve().parents[3] / "shared" / "data"
_GENERATORS = {
    "twonorm": make_twonorm,
    "ripley": make_ripley,
    "friedman1": make_friedman1,
    "friedman2": make_friedman2,
    "friedman3": make_friedman3,
}
# Training rows of a half, at most, and test rows of a generator; set by hand for time.
_MAX_TRAIN = 1000
_N_TEST = 2000
# Rows of a generator that are split into three quarters and a quarter; set by hand.
_N_GENERATED = 400
# Share of the rows that `three_quarters` trains on.
_TRAIN_SHARE = 0.75
# Key of the numerical target, for sets whose y is a class.
_NUMERICAL_TARGETS = {"abalone": "rings"}


@dataclass(frozen=True)
class Problem:
    """Training and test rows, features standardised on the training rows."""

    name: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def generated(name: str, n_train: int, n_test: int) -> Problem:
    """Problem drawn from a generator with fixed seeds."""
    X, y = _GENERATORS[name](n_train, random_state=0)
    X_test, y_test = _GENERATORS[name](n_test, random_state=1)
    return standardised(f"{name} N={n_train}", X, y, X_test, y_test)


def of_size(name: str, n_train: int) -> Problem:
    """Problem with ``n_train`` rows of a generator, of two digits, or of a set's first training split."""
    if name in _GENERATORS:
        return generated(name, n_train, _N_TEST)
    if " vs " in name:
        return _digit_pair(name, n_train)
    data = load(name)
    train, test = data.splits[0] if len(data.splits) else halves(data, 0)
    train = _rng(name, 0).permutation(train)[:n_train]
    return standardised(f"{name} N={n_train}", data.X[train], data.y[train], data.X[test], data.y[test])


def _digit_pair(name, n_train):
    """Training and test images of two digits of MNIST, 14 x 14 pixels from 0 to 1, for example "4 vs 9"."""
    data = load("mnist14")
    pair = [int(digit) for digit in name.split(" vs ")]
    train, test = (rows[np.isin(data.y[rows], pair)] for rows in data.splits[0])
    train = train[:n_train]
    X, X_test = data.X[train] / 255.0, data.X[test] / 255.0
    return Problem(f"{name} N={n_train}", X, data.y[train], X_test, data.y[test])


def half(name: str, split: int, max_train: int | None = _MAX_TRAIN) -> Problem:
    """Problem with one half of a benchmark set to train on, at most ``max_train`` rows, and one to test."""
    data = load(name)
    train, test = halves(data, split)
    train = _rng(name, split).permutation(train)[:max_train]
    return standardised(f"{name}/{split}", data.X[train], data.y[train], data.X[test], data.y[test])


def frequent(problem: Problem, least: int) -> Problem:
    """Problem without the rows of classes that have fewer than ``least`` training rows."""
    labels, counts = np.unique(problem.y, return_counts=True)
    kept, tested = (np.isin(y, labels[counts >= least]) for y in (problem.y, problem.y_test))
    return replace(
        problem,
        X=problem.X[kept],
        y=problem.y[kept],
        X_test=problem.X_test[tested],
        y_test=problem.y_test[tested],
    )


def three_quarters(name: str, split: int, n_generated: int | None = None) -> Problem:
    """Regression problem with three quarters of a set to train on, at most 1000 rows, and the rest to test.

    A generator gives ``n_generated`` rows, 400 by default, new ones for each split.
    """
    if name in _GENERATORS:
        X, y = _GENERATORS[name](n_generated or _N_GENERATED, random_state=split)
    else:
        data = load(name)
        X, y = data.X, data.extras.get(_NUMERICAL_TARGETS.get(name), data.y).astype(float)
    rows = _rng(name, split).permutation(len(y))
    n_train = int(_TRAIN_SHARE * len(y))
    train, test = rows[:n_train][:_MAX_TRAIN], rows[n_train:]
    return standardised(f"{name}/{split}", X[train], y[train], X[test], y[test])


def halves(data, split):
    """Indices of training and test rows: one of the set's own half splits, or drawn at random."""
    if len(data.half_splits) > split:
        return data.half_splits[split]
    return np.array_split(_rng(data.name, split).permutation(len(data.y)), 2)


def _rng(name, split):
    return np.random.default_rng([split, *name.encode()])


def load(name):
    """Benchmark set by name, from $PAUCA_DATA or else from ``shared/data`` beside the repository."""
    if "PAUCA_DATA" not in os.environ and _SIBLING.is_dir():
        os.environ["PAUCA_DATA"] = str(_SIBLING)
    return datasets.load(name)


def reference_gamma(X: np.ndarray) -> float:
    """Inverse of the summed variances of the features, the gamma of machines that do not choose one."""
    return float(1 / X.var(axis=0).sum())


def standardised(name, X, y, X_test, y_test) -> Problem:
    """Problem with features of mean zero and variance one over the training rows."""
    mean, std = X.mean(axis=0), X.std(axis=0)
    std = np.where(std > 0, std, 1.0)
    return Problem(name, (X - mean) / std, y, (X_test - mean) / std, y_test)
