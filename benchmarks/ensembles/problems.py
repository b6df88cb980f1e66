"""Problems and base learners of the benchmarks of ensembles, as in Hernández-Lobato's thesis (2009)."""

from dataclasses import replace

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.neural_network import MLPRegressor
from sklearn.tree import DecisionTreeClassifier

from pauca import datasets

from ..harness.problems import Problem, load, standardised
from ..papers.microarrays import prepared
from .cart import Cart

NETWORK = MLPRegressor(activation="logistic", solver="lbfgs", max_iter=1000)
_NETWORK_GRID = {"hidden_layer_sizes": [(3,), (5,), (7,)], "alpha": np.exp([-6.0, -3.3, -0.7, 2.0]).tolist()}
_TREE_GRID = {"ccp_alpha": [0.0, 0.001, 0.002, 0.004, 0.008, 0.015, 0.03]}
_REGRESSION_GENERATORS = {
    name: getattr(datasets, f"make_{name}") for name in ("friedman1", "friedman2", "friedman3", "peak")
}
_VOTING_GENERATORS = {
    name: getattr(datasets, f"make_{name}") for name in ("circle", "ringnorm", "threenorm", "twonorm")
}
_OZONE = "V5", "V6", "V7", "V8", "V10", "V11", "V12", "V13"
_SYNTHETIC_CLASSES = "ringnorm", "twonorm"
# Classes of sets with more than two that the thesis keeps in its experiments on votes.
_PAIRS = {"balance": ("L", "R"), "dna": ("ei", "ie")}


def regression_problem(name, split):
    """Regression problem: 200 training and 2000 test rows of a generator, or one of repeated ten folds."""
    if name in _REGRESSION_GENERATORS:
        X, y = _REGRESSION_GENERATORS[name](2200, random_state=split)
        return standardised(name, X[:200], y[:200], X[200:], y[200:])
    data = load(name)
    if name == "ozone":  # the eight attributes of the UCI file
        columns = [data.feature_names.index(each) for each in _OZONE]
        data = replace(data, X=data.X[:, columns])
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
    """Classification problem: 300 training rows of the synthetic sets, two thirds of the others."""
    data = load(name)
    if name in _SYNTHETIC_CLASSES:
        splitter = ShuffleSplit(1, train_size=300, test_size=1000, random_state=split)
    else:
        splitter = StratifiedShuffleSplit(1, test_size=1 / 3, random_state=split)
    train, test = next(splitter.split(data.X, data.y))
    return standardised(name, data.X[train], data.y[train], data.X[test], data.y[test])


def tuned_network(problem, y):
    """Unfitted network with the number of units and the weight decay chosen by cross-validation."""
    network = clone(NETWORK).set_params(random_state=0)
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(network, _NETWORK_GRID, cv=folds, scoring="neg_mean_squared_error", refit=False)
    return clone(NETWORK).set_params(**search.fit(problem.X, y).best_params_)


def voting_problem(name: str, split: int) -> Problem:
    """Two-class problem: 300 training, 1000 test rows of a generator; two thirds and one third of a set."""
    if name in _VOTING_GENERATORS:
        X, y = _VOTING_GENERATORS[name](1300, random_state=split)
        return Problem(name, X[:300], y[:300], X[300:], y[300:])
    X, y = _two_classes(name)
    rng = np.random.default_rng([split, *name.encode()])
    train, test = np.split(rng.permutation(len(y)), [2 * len(y) // 3])
    return Problem(name, X[train], y[train], X[test], y[test])


def _two_classes(name):
    """Features and the two classes of the thesis's experiments on votes."""
    data = load(name)
    if name == "abalone":  # adults and infants, by size and number of rings
        return np.column_stack([data.X[:, 1:], data.extras["rings"]]), data.X[:, 0] != 0
    if name == "boston":
        return data.X, data.y > 21
    if name == "hedenfalk":  # the thesis's Microarray
        return prepared(name, data.X), data.y
    if name == "yeast":
        return data.X, data.y == data.class_names.index("CYT")
    if name in _PAIRS:
        rows = np.isin(np.asarray(data.class_names)[data.y], _PAIRS[name])
        return data.X[rows], data.y[rows]
    return data.X, data.y


def bagged_trees(n_members: int, seed: int, ccp_alpha: float = 0.0) -> BaggingClassifier:
    """Unfitted bagging of trees that use all features."""
    return BaggingClassifier(Cart(ccp_alpha=ccp_alpha), n_members, random_state=seed)


def best_ccp_alpha(problem: Problem) -> float:
    """Constant of cost-complexity pruning of one tree, chosen by 10-fold cross-validation.

    Fewer folds where no class has ten rows.
    """
    largest = np.unique(problem.y, return_counts=True)[1].max()
    folds = StratifiedKFold(min(10, largest), shuffle=True, random_state=0)
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), _TREE_GRID, cv=folds, refit=False)
    return search.fit(problem.X, problem.y).best_params_["ccp_alpha"]
