"""The two-class problems of the thesis's experiments on votes, and their bagged trees."""

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from pauca.datasets import make_circle, make_ringnorm, make_threenorm, make_twonorm

from ..harness.problems import Problem, load

_GENERATORS = {
    "circle": make_circle,
    "ringnorm": make_ringnorm,
    "threenorm": make_threenorm,
    "twonorm": make_twonorm,
}
_PAIRS = {"balance": ("L", "R"), "dna": ("ei", "ie")}
_TREE_GRID = {"ccp_alpha": [0.0, 0.001, 0.002, 0.004, 0.008, 0.015, 0.03]}


def voting_problem(name, split):
    """300 rows to train and 1000 to test on from a generator, or two thirds and one third of a set."""
    if name in _GENERATORS:
        X, y = _GENERATORS[name](1300, random_state=split)
        return Problem(name, X[:300], y[:300], X[300:], y[300:])
    X, y = _two_classes(name)
    rng = np.random.default_rng([split, *name.encode()])
    train, test = np.split(rng.permutation(len(y)), [2 * len(y) // 3])
    return Problem(name, X[train], y[train], X[test], y[test])


def _two_classes(name):
    """Features and the two classes of the thesis."""
    data = load(name)
    if name == "abalone":  # adults and infants, by size and number of rings
        return np.column_stack([data.X[:, 1:], data.extras["rings"]]), data.X[:, 0] != 0
    if name == "boston":
        return data.X, data.y > 21
    if name == "yeast":
        return data.X, data.y == data.class_names.index("CYT")
    if name in _PAIRS:
        rows = np.isin(np.asarray(data.class_names)[data.y], _PAIRS[name])
        return data.X[rows], data.y[rows]
    return data.X, data.y


def bagged_trees(n_members, seed, ccp_alpha=0.0):
    """Bagging of trees that look at all features."""
    tree = DecisionTreeClassifier(ccp_alpha=ccp_alpha)
    return BaggingClassifier(tree, n_members, random_state=seed)


def cost_of_leaves(problem):
    """The constant of cost-complexity pruning that 10-fold cross-validation prefers for one tree."""
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), _TREE_GRID, cv=10, refit=False)
    return search.fit(problem.X, problem.y).best_params_["ccp_alpha"]
