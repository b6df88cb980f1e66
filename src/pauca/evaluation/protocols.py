"""Which rows are for training and which for testing, and parameters that are chosen once for all splits."""

from collections import Counter
from numbers import Real

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit


def repeated_splits(y, n_splits, *, train_size=0.5, stratify=False, seed=0):
    """Random partitions into training and test rows; the first K are the same whatever ``n_splits`` is.

    Parameters
    ----------
    y : array-like of shape (n,)
        Targets.
    n_splits : int
    train_size : float or int, default=0.5
        Share or number of rows to train on; the others are for testing.
    stratify : bool, default=False
        Keep the proportions of the classes.
    seed : int, default=0

    Returns
    -------
    list of (train, test)
        Row indices.
    """
    kind = StratifiedShuffleSplit if stratify else ShuffleSplit
    y = np.asarray(y)
    splits = []
    for k in range(n_splits):
        splitter = kind(1, train_size=train_size, random_state=_seed(seed, k))
        splits += splitter.split(np.zeros(len(y)), y)
    return splits


def five_by_two(y, *, stratify=True, seed=0):
    """Five repetitions of two-fold cross-validation: ten splits, the two of a repetition in succession."""
    kind = StratifiedKFold if stratify else KFold
    y = np.asarray(y)
    splits = []
    for k in range(5):
        splits += kind(2, shuffle=True, random_state=_seed(seed, k)).split(np.zeros(len(y)), y)
    return splits


def median_choice(search, X, y, splits, n_first=5):
    """Parameters for all splits of a dataset: the median of those chosen on the first training parts.

    This is the rule of Raetsch's benchmark (G. Raetsch, T. Onoda, K.-R. Mueller, Soft margins for AdaBoost,
    Machine Learning 42, 2001). Of parameters that are not numbers the most frequent value is taken.

    Parameters
    ----------
    search : estimator with ``best_params_``
        For example a `sklearn.model_selection.GridSearchCV`; it is cloned.
    X : array-like of shape (n, n_features)
    y : array-like of shape (n,)
    splits : sequence of (train, test)
    n_first : int, default=5
        How many of the splits to look at.

    Returns
    -------
    dict
        As ``best_params_``.
    """
    X, y = np.asarray(X), np.asarray(y)
    found = [clone(search).fit(X[train], y[train]).best_params_ for train, _ in splits[:n_first]]
    if not found:
        raise ValueError("splits is empty: nothing to choose parameters on.")
    return {name: _middle([parameters[name] for parameters in found]) for name in found[0]}


def _middle(values):
    """The lower median of numbers, which is one of them; otherwise the most frequent value."""
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in values):
        return sorted(values)[(len(values) - 1) // 2]
    return Counter(values).most_common(1)[0][0]


def _seed(seed, k):
    """A seed of its own for each repetition."""
    return int(np.random.SeedSequence([seed, k]).generate_state(1)[0])
