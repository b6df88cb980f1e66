"""How far the ranking of features can be relied on: the same ranking from other parts of the rows."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from ..machines import SpikeSlabClassifier

_DEFAULT_SIZES = (1, 2, 5, 10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Stability:
    """Agreement of rankings by the number of features that are taken from the top.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of features k.
    index : ndarray of shape (n_sizes,)
        Kuncheva's index of the sets of the first k features: 1 if they are all the same, 0 if they share what
        sets drawn at random do.
    rankings : ndarray of shape (n_resamples, n_features)
        Features, best first, one ranking for each part of the rows.
    """

    sizes: np.ndarray
    index: np.ndarray
    rankings: np.ndarray

    def frequencies(self, size):
        """Share of the rankings that have a feature among their first ``size``, for every feature."""
        counts = np.bincount(self.rankings[:, :size].ravel(), minlength=self.rankings.shape[1])
        return counts / len(self.rankings)


def stability(X, y, n_resamples=50, *, estimator=None, sizes=None, train_size=2 / 3, random_state=0):
    """Rank the features on random parts of the rows, and say how much the rankings have in common.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Targets.
    n_resamples : int, default=50
        How many parts of the rows are drawn.
    estimator : estimator, default=None
        Fitted to each part; it must have ``ranking_`` (features as `SpikeSlabClassifier` has them, or
        their ranks as scikit-learn's ``RFE``), or else ``coef_`` or ``feature_importances_``, by whose size
        features are ranked. A `SpikeSlabClassifier` by default.
    sizes : sequence of int, default=None
        Numbers of features to compare, each below n_features; by default from 1 to 200.
    train_size : float, default=2/3
        Share of the rows in each part; classes keep their shares.
    random_state : int, RandomState instance or None, default=0
        Source of the parts.

    Returns
    -------
    Stability

    References
    ----------
    Kuncheva, "A stability index for feature selection", IASTED (2007); Hernández-Lobato, PhD thesis (2009),
    section 7.4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca import stability
    >>> X = np.random.default_rng(0).normal(size=(60, 200))
    >>> result = stability(X, X[:, 3] > 0, 5, sizes=[1])
    >>> float(result.index[0])
    1.0
    """
    X, y = np.asarray(X), np.asarray(y)
    estimator = SpikeSlabClassifier() if estimator is None else estimator
    sizes = _checked_sizes(sizes, X.shape[1])
    if n_resamples < 2:
        raise ValueError(f"n_resamples must be at least 2, for rankings are compared; got {n_resamples!r}.")
    kind = StratifiedShuffleSplit if is_classifier(estimator) else ShuffleSplit
    parts = kind(n_resamples, train_size=train_size, random_state=random_state).split(X, y)
    rankings = np.array([_ranking(clone(estimator).fit(X[part], y[part])) for part, _ in parts])
    return Stability(sizes, np.array([kuncheva_index(rankings, size) for size in sizes]), rankings)


def kuncheva_index(rankings, size):
    """Mean over pairs of (|A ∩ B| − k²/d) / (k − k²/d), A and B the first k of d features (thesis 7.52)."""
    n_rankings, n_features = rankings.shape
    counts = np.bincount(rankings[:, :size].ravel(), minlength=n_features).astype(float)
    shared = np.sum(counts * (counts - 1)) / (n_rankings * (n_rankings - 1))
    by_chance = size**2 / n_features
    return float((shared - by_chance) / (size - by_chance))


def _checked_sizes(sizes, n_features):
    """Numbers of features in rising order, none of them all features."""
    if sizes is None:
        return np.array([size for size in _DEFAULT_SIZES if size < n_features])
    sizes = np.unique(np.asarray(sizes))
    if sizes.dtype.kind not in "iu" or len(sizes) == 0 or sizes[0] < 1 or sizes[-1] >= n_features:
        raise ValueError(f"sizes must be whole numbers from 1 to {n_features - 1}; got {sizes.tolist()}.")
    return sizes


def _ranking(model):
    """Features, best first."""
    if hasattr(model, "ranking_"):
        are_features = np.array_equal(np.sort(model.ranking_), np.arange(len(model.ranking_)))
        return model.ranking_ if are_features else np.argsort(model.ranking_, kind="stable")
    for attribute in ("feature_importances_", "coef_"):
        if hasattr(model, attribute):
            weights = np.abs(np.atleast_2d(getattr(model, attribute))).max(axis=0)
            return np.argsort(-weights, kind="stable")
    raise ValueError(
        "estimator must have ranking_, coef_ or feature_importances_ once fitted; "
        f"{type(model).__name__} has none."
    )
