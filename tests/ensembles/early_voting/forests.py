"""Rows and answers of single trees that the tests of early voting share."""

from dataclasses import replace

import numpy as np
from sklearn.datasets import make_classification

from pauca.ensembles.early_voting.tally import MeanTally, VoteTally, evaluate_forest


def problem(n_classes=2, n_rows=200, missing=0.0, seed=0):
    """Rows in single precision, a share of their entries missing, and classes with a fifth flipped."""
    X, y = make_classification(
        n_rows, 8, n_informative=5, n_classes=n_classes, n_clusters_per_class=1, random_state=seed, flip_y=0.2
    )
    X[np.random.default_rng(seed).random(X.shape) < missing] = np.nan
    return X.astype(np.float32), y


def labels_of(forest, X, n_classes=2):
    """Votes of every tree of a flat forest alone, shape (n_trees, n_rows)."""
    return _totals(VoteTally, forest, X, n_classes).argmax(axis=-1)


def probabilities_of(forest, X, n_classes=2):
    """Probabilities by every tree of a flat forest alone, shape (n_trees, n_rows, n_classes)."""
    return _totals(MeanTally, forest, X, n_classes)


def _totals(kind, forest, X, n_classes):
    trees = [replace(forest, roots=forest.roots[i : i + 1]) for i in range(len(forest.roots))]
    return np.stack([evaluate_forest(kind(len(X), 1, 1.0, n_classes), tree, X).totals for tree in trees])
