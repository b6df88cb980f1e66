"""Data and base learners for the benchmarks of ensembles."""

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedShuffleSplit
from sklearn.neural_network import MLPRegressor
from sklearn.tree import DecisionTreeClassifier

from pauca import datasets

from ..harness.problems import load, standardised

NETWORK = MLPRegressor(activation="logistic", solver="lbfgs", max_iter=1000)
_NETWORK_GRID = {"hidden_layer_sizes": [(3,), (5,), (7,)], "alpha": np.exp([-6.0, -3.3, -0.7, 2.0]).tolist()}
_TREE_GRID = {"ccp_alpha": [0.0, 0.001, 0.002, 0.004, 0.008, 0.015, 0.03]}
_GENERATORS = {
    name: getattr(datasets, f"make_{name}") for name in ("friedman1", "friedman2", "friedman3", "peak")
}
_SYNTHETIC_CLASSES = "ringnorm", "twonorm"


def regression_problem(name, split):
    """200 rows to train on and 2000 to test from a generator, or a fold of repeated cross-validation."""
    if name in _GENERATORS:
        X, y = _GENERATORS[name](2200, random_state=split)
        return standardised(name, X[:200], y[:200], X[200:], y[200:])
    data = load(name)
    X = _one_hot(data.X, data.extras.get("categorical", np.zeros(data.X.shape[1], dtype=bool)))
    repetition, fold = divmod(split, 10)
    train, test = list(KFold(10, shuffle=True, random_state=repetition).split(X))[fold]
    return standardised(name, X[train], data.y[train], X[test], data.y[test])


def _one_hot(X, categorical):
    columns = [
        X[:, [j]] == np.unique(X[:, j]) if nominal else X[:, [j]] for j, nominal in enumerate(categorical)
    ]
    return np.hstack(columns).astype(float)


def classification_problem(name, split):
    """300 rows to train on for the synthetic sets, otherwise two thirds."""
    data = load(name)
    if name in _SYNTHETIC_CLASSES:
        splitter = ShuffleSplit(1, train_size=300, test_size=1000, random_state=split)
    else:
        splitter = StratifiedShuffleSplit(1, test_size=1 / 3, random_state=split)
    train, test = next(splitter.split(data.X, data.y))
    return standardised(name, data.X[train], data.y[train], data.X[test], data.y[test])


def tuned_network(problem, y):
    """An unfitted network with the units and the weight decay that cross-validation prefers."""
    network = clone(NETWORK).set_params(random_state=0)
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(network, _NETWORK_GRID, cv=folds, scoring="neg_mean_squared_error", refit=False)
    return clone(NETWORK).set_params(**search.fit(problem.X, y).best_params_)


def pruned_tree(problem):
    """An unfitted tree with the constant of cost-complexity pruning that cross-validation prefers."""
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), _TREE_GRID, cv=10, refit=False)
    return DecisionTreeClassifier(**search.fit(problem.X, problem.y).best_params_)
