"""Tables 2.1 and 2.2 of Hernández-Lobato's thesis (2009): bias and variance of averaged trees.

Twenty inputs from N(r, 1), r uniform in [0, 3], and y = 25 sin(r) / r + N(0, 1); 25 training and 1,000 test
rows, 100 trees without limits, 100 training sets. One repetition is the whole study with its own test set,
so that the spread over repetitions is that of the printed numbers. The parts of bagging in table 2.1 are
those of the whole ensemble, in table 2.2 those of its members. Errors are those against 25 sin(r) / r: the
decomposition that the thesis cites has the noise as a part of its own, and the printed errors are the sums
of squared bias and variance alone.
"""

import numpy as np
from sklearn.ensemble import BaggingRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from pauca.ensembles import bias_variance_covariance
from pauca.evaluation import Measure, PaperTable

from ..harness.costs import reason

_N_SETS, _N_TREES, _N_TRAIN, _N_TEST, _N_INPUTS = 100, 100, 25, 1000, 20
_ENSEMBLES = {"bagging": None, "forest": 1}


def toy(n_rows, rng, noise=1.0):
    """Rows of the thesis's regression problem (2.17)."""
    r = rng.uniform(0, 3, n_rows)
    X = rng.normal(r[:, None], 1.0, (n_rows, _N_INPUTS))
    return X, 25 * np.sinc(r / np.pi) + noise * rng.normal(size=n_rows)


def measure(dataset, split, n_sets=_N_SETS):
    """Mean squared error, squared bias, variance and covariance of all predictors over the training sets."""
    rng = np.random.default_rng([2, split])
    X_test, y_test = toy(_N_TEST, rng, noise=0.0)
    sets = [toy(_N_TRAIN, rng) for _ in range(n_sets)]
    tree = DecisionTreeRegressor(random_state=0)
    single = np.stack([tree.fit(X, y).predict(X_test)[None] for X, y in sets])
    outputs = {
        name: np.stack([_members(n_features, X, y, k, X_test) for k, (X, y) in enumerate(sets)])
        for name, n_features in _ENSEMBLES.items()
    }
    means = {name: each.mean(axis=1, keepdims=True) for name, each in outputs.items()}
    records = {"single tree": _whole(single, y_test), "bagging": _whole(means["bagging"], y_test)}
    for name, each in outputs.items():
        parts = bias_variance_covariance(each, y_test)
        last = {"mse": parts.mse, "squared bias": parts.squared_bias, "variance": parts.variance}
        last["covariance"] = parts.covariance
        records[f"{name}, members"] = {key: float(values[-1]) for key, values in last.items()}
    return records


def _members(n_features, X, y, seed, X_test):
    """Predictions of all trees of one ensemble, a row each."""
    if n_features is None:
        ensemble = BaggingRegressor(DecisionTreeRegressor(), _N_TREES, random_state=seed)
    else:
        ensemble = RandomForestRegressor(_N_TREES, max_features=n_features, random_state=seed)
    return np.stack([tree.predict(X_test) for tree in ensemble.fit(X, y).estimators_])


def _whole(outputs, y):
    """Parts of the error of one predictor in each repetition."""
    parts = bias_variance_covariance(outputs, y)
    bias, variance = float(parts.squared_bias[0]), float(parts.variance[0])
    return {"mse": float(parts.mse[0]), "squared bias": bias, "variance": variance, "covariance": None}


TABLES = (
    PaperTable(
        name="bias-variance",
        title="Hernández-Lobato 2009, tables 2.1 and 2.2: parts of the error of trees and their averages",
        datasets=("toy",),
        methods=("single tree", "bagging", "bagging, members", "forest, members"),
        n_splits=20,
        measure=measure,
        together=True,
        measures={
            "mse": Measure(),
            "squared bias": Measure(None),
            "variance": Measure(None),
            "covariance": Measure(None),
        },
        published={
            ("toy", "single tree"): {"mse": 36.80, "squared bias": 9.49, "variance": 27.30},
            ("toy", "bagging"): {"mse": 15.75, "squared bias": 11.16, "variance": 4.60},
            ("toy", "bagging, members"): {
                "mse": 15.75,
                "squared bias": 11.15,
                "variance": 31.82,
                "covariance": 4.32,
            },
            ("toy", "forest, members"): {
                "mse": 12.07,
                "squared bias": 10.70,
                "variance": 34.27,
                "covariance": 1.04,
            },
        },
        n_published=1,
        unmeasured=reason("bias-variance", 20),
        version=2,  # version 1 had noise in the targets of the test rows
    ),
)
