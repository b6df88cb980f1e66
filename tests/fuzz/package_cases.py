"""Hostile calls of what the package offers besides fits: published settings, evaluation, kernels."""

import sys
from functools import cache

import numpy as np
from hostile_arguments import POSITIVE, VALUES
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import pauca
from pauca import basis, datasets, evaluation, priors


def kernel_values(kernel, gamma, degree, coef0):
    """Values of a kernel between rows, which are matrices of numbers: machines check theirs."""
    found = basis.as_kernel(kernel, gamma=gamma, degree=degree, coef0=coef0)
    for spread in (1e-100, 1e-8, 1.0, 1e8, 1e50):
        A, B = spread * np.random.default_rng(0).normal(size=(2, 5, 3))
        if np.isnan(found(A, B)).any():
            raise ArithmeticError(f"{kernel} gives NaN")


def published_fit(machine, X, y):
    """Short fit of a machine with the settings of a paper."""
    made = pauca.as_published(machine)
    short = {"max_iter": 10, "n_init": 1, "n_draws": 20, "n_samples": 20, "n_burn_in": 5}
    known = made.get_params(deep=False)
    made.set_params(**{name: value for name, value in short.items() if name in known})
    made.fit(X, y)


def blocks_of(X, y, sample_weight, block_rows):
    """Rows of all blocks of an array."""
    list(basis.ArrayBlocks(X, y, sample_weight, block_rows=block_rows).blocks())


def _kernel(rng):
    numbers = {name: float(rng.choice([0.3, 1.0, 7.0])) for name in ("gamma", "coef0")}
    return {"kernel": VALUES["kernel"][rng.integers(8)], **numbers, "degree": 3}


def _rows(rng):
    X, y = datasets.make_ripley(int(rng.integers(6, 40)), random_state=int(rng.integers(9)))
    estimators = GaussianNB(), LogisticRegression(), pauca.ARDClassifier(max_iter=20), Ridge()
    order, middle = rng.permutation(len(y)), len(y) // 2
    names = pauca.machines.published_machines()
    return {
        **{"X": X, "y": y, "estimator": estimators[rng.integers(4)], "train": order[:middle]},
        **{"test": order[middle:], "machine": names[rng.integers(len(names))]},
        **{"sample_weight": rng.random(len(y)), "block_rows": int(rng.integers(1, 50))},
    }


def _network(rng):
    d = int(rng.integers(1, 9))
    groups = [rng.integers(d, size=3) for _ in range(2)]
    edges = np.abs(rng.normal(size=(d, d)))
    return {"network": groups if rng.random() < 0.5 else edges, "n_features": d}


@cache
def _compared():
    X, y = datasets.make_ripley(40, random_state=0)
    splits, estimators = evaluation.repeated_splits(y, 3), {"a": GaussianNB(), "b": LogisticRegression()}
    return evaluation.compare({name: evaluation.Benchmark(X, y, splits, estimators) for name in "xyz"})


def _comparison(rng):
    measures = "error", "log_loss", "vectors", "none"
    return {
        "comparison": _compared(),
        "measure": measures[rng.integers(4)],
        "control": ["a", "b", "c"][rng.integers(3)],
        "test_over_train": float(rng.choice([x for x in POSITIVE if isinstance(x, float)])),
    }


def _calibrations(rng):
    sums = [dict(zip(("rows", "predicted", "observed"), rng.random((3, 5)), strict=True)) for _ in range(2)]
    return {"calibrations": sums}


# Functions with what draws their arguments, as names by module.
PACKAGE_FUNCTIONS = [
    (evaluation, "evaluate", _rows),
    (evaluation, "analyse", _comparison),
    (evaluation, "pooled_calibration", _calibrations),
    (priors, "neighbours", _network),
    # Calls of several public functions in a row.
    *((sys.modules[__name__], name, _rows) for name in ("published_fit", "blocks_of")),
    (sys.modules[__name__], "kernel_values", _kernel),
]
