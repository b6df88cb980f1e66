"""The data: generated problems for speed, benchmark sets in halves for regret."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pauca import datasets
from pauca.datasets import make_friedman1, make_ripley, make_twonorm

_SIBLING = Path(__file__).resolve().parents[3] / "shared" / "data"
_GENERATORS = {"twonorm": make_twonorm, "ripley": make_ripley, "friedman1": make_friedman1}
_MAX_TRAIN = 1000
_N_TEST = 2000


@dataclass(frozen=True)
class Problem:
    """Training and test rows, features standardised on the training rows."""

    name: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def generated(name, n_train, n_test):
    """A problem drawn from a generator, always the same one."""
    X, y = _GENERATORS[name](n_train, random_state=0)
    X_test, y_test = _GENERATORS[name](n_test, random_state=1)
    return standardised(f"{name} N={n_train}", X, y, X_test, y_test)


def of_size(name, n_train):
    """Training rows of a generator, or a random part of those of the first split of a benchmark set."""
    if name in _GENERATORS:
        return generated(name, n_train, _N_TEST)
    if " vs " in name:
        return _digit_pair(name, n_train)
    data = load(name)
    train, test = data.splits[0] if len(data.splits) else halves(data, 0)
    train = _random_numbers(name, 0).permutation(train)[:n_train]
    return standardised(f"{name} N={n_train}", data.X[train], data.y[train], data.X[test], data.y[test])


def _digit_pair(name, n_train):
    """Training and test images of two digits of MNIST, 14 x 14 pixels from 0 to 1, for example "4 vs 9"."""
    data = load("mnist14")
    pair = [int(digit) for digit in name.split(" vs ")]
    train, test = (rows[np.isin(data.y[rows], pair)] for rows in data.splits[0])
    train = train[:n_train]
    X, X_test = data.X[train] / 255.0, data.X[test] / 255.0
    return Problem(f"{name} N={n_train}", X, data.y[train], X_test, data.y[test])


def half(name, split, max_train=_MAX_TRAIN):
    """One half of a benchmark set to train on (at most ``max_train`` rows, drawn at random), one to test."""
    data = load(name)
    train, test = halves(data, split)
    train = _random_numbers(name, split).permutation(train)[:max_train]
    return standardised(f"{name}/{split}", data.X[train], data.y[train], data.X[test], data.y[test])


def halves(data, split):
    """Rows to train on and rows to test: one of the set's own half splits, or drawn at random."""
    if len(data.half_splits) > split:
        return data.half_splits[split]
    return np.array_split(_random_numbers(data.name, split).permutation(len(data.y)), 2)


def _random_numbers(name, split):
    return np.random.default_rng([split, *name.encode()])


def load(name):
    """A benchmark set; unless told otherwise, `pauca.datasets` also looks beside the repository."""
    if "PAUCA_DATA" not in os.environ and _SIBLING.is_dir():
        os.environ["PAUCA_DATA"] = str(_SIBLING)
    return datasets.load(name)


def reference_gamma(X):
    """The inverse of the summed variances of the features."""
    return float(1 / X.var(axis=0).sum())


def standardised(name, X, y, X_test, y_test):
    """A problem with features of mean zero and variance one over the training rows."""
    mean, std = X.mean(axis=0), X.std(axis=0)
    std = np.where(std > 0, std, 1.0)
    return Problem(name, (X - mean) / std, y, (X_test - mean) / std, y_test)
