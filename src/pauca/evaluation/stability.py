"""Stability of feature rankings: agreement of the rankings found on random subsets of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from ..machines import SpikeSlabClassifier
from ..validation import as_labels, check_number

# Numbers of top features that are compared by default, about a factor of two apart; set by hand, not tuned.
_DEFAULT_SIZES = (1, 2, 5, 10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Stability:
    """Agreement of feature rankings, by the number of top features that are compared.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of features k.
    index : ndarray of shape (n_sizes,)
        Kuncheva's index of the sets of the first k features: 1 if all sets are equal, 0 if they overlap as
        much as sets drawn at random.
    rankings : ndarray of shape (n_resamples, n_features)
        Features, best first, one ranking for each subset of the rows.
    """

    sizes: NDArray[np.int_]
    index: NDArray[np.float64]
    rankings: NDArray[np.int_]

    def frequencies(self, size: int) -> NDArray[np.float64]:
        """Fraction of the rankings in which each feature is among the first ones.

        Parameters
        ----------
        size : int
            Number of top features.

        Returns
        -------
        ndarray of shape (n_features,)
        """
        counts = np.bincount(self.rankings[:, :size].ravel(), minlength=self.rankings.shape[1])
        return counts / len(self.rankings)


def stability(
    X: ArrayLike,
    y: ArrayLike,
    n_resamples: int = 50,
    *,
    estimator: Any = None,
    sizes: Sequence[int] | None = None,
    train_size: float = 2 / 3,
    random_state: int | np.random.RandomState | None = 0,
) -> Stability:
    """Measure how stable the ranking of features is over random subsets of the rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Targets.
    n_resamples : int, default=50
        Number of subsets of the rows.
    estimator : estimator, default=None
        Estimator that is fitted to each subset. It must have ``ranking_`` (features, best first, or their
        ranks as in scikit-learn's ``RFE``), or else ``coef_`` or ``feature_importances_``, by whose absolute
        values features are ranked. A `SpikeSlabClassifier` by default.
    sizes : sequence of int, default=None
        Numbers of features to compare, each below n_features; by default from 1 to 200.
    train_size : float, default=2/3
        Fraction of the rows in each subset; classes keep their proportions.
    random_state : int, RandomState instance or None, default=0
        Seed of the subsets.

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
    X, y = np.asarray(X), as_labels("y", y)
    if X.ndim != 2 or len(X) != len(y):
        raise ValueError(f"X must have a row for each of the {len(y)} labels; got shape {X.shape}.")
    estimator = SpikeSlabClassifier() if estimator is None else estimator
    checked_sizes = _checked_sizes(sizes, X.shape[1])
    check_number("n_resamples", n_resamples, 2, kind=Integral)
    check_number("train_size", train_size, 0, strict=True)
    if not isinstance(estimator, BaseEstimator):
        raise TypeError(f"estimator must be an estimator; got {estimator!r:.60}.")
    kind = StratifiedShuffleSplit if is_classifier(estimator) else ShuffleSplit
    subsets = kind(n_resamples, train_size=train_size, random_state=random_state).split(X, y)
    rankings = np.array([_ranking(clone(estimator).fit(X[rows], y[rows])) for rows, _ in subsets])
    index = np.array([kuncheva_index(rankings, size) for size in checked_sizes])
    return Stability(checked_sizes, index, rankings)


def kuncheva_index(rankings: NDArray[np.int_], size: int) -> float:
    """Kuncheva's stability index, the mean over pairs of rankings of (|A ∩ B| − k²/d) / (k − k²/d).

    A and B are the sets of the first k of d features (Hernández-Lobato, PhD thesis, equation 7.52).

    Parameters
    ----------
    rankings : ndarray of shape (n_rankings, n_features)
        Features, best first, one ranking in each row.
    size : int
        Number k of top features, below n_features.

    Returns
    -------
    float
        1 if all sets are equal, 0 if they overlap as much as sets drawn at random.
    """
    rankings = np.asarray(rankings)
    if rankings.ndim != 2 or rankings.dtype.kind not in "iu" or len(rankings) < 2:
        raise ValueError(
            f"rankings must be at least two rows of features; got {rankings.dtype} of shape {rankings.shape}."
        )
    n_rankings, n_features = rankings.shape
    if (np.sort(rankings, axis=1) != np.arange(n_features)).any():
        raise ValueError(f"rankings must have each of the {n_features} features once in each row.")
    check_number("size", size, 1, kind=Integral)
    if size >= n_features:
        raise ValueError(f"size must be below the {n_features} features; got {size}.")
    counts = np.bincount(rankings[:, :size].ravel(), minlength=n_features).astype(float)
    shared = np.sum(counts * (counts - 1)) / (n_rankings * (n_rankings - 1))
    by_chance = size**2 / n_features
    return float((shared - by_chance) / (size - by_chance))


def _checked_sizes(sizes: Sequence[int] | None, n_features: int) -> NDArray[np.int_]:
    """Distinct numbers of features in increasing order, all below the number of features."""
    if sizes is None:
        return np.array([size for size in _DEFAULT_SIZES if size < n_features])
    distinct = np.unique(np.asarray(sizes))
    integers = distinct.dtype.kind in "iu" and len(distinct) > 0
    if not integers or distinct[0] < 1 or distinct[-1] >= n_features:
        raise ValueError(f"sizes must be whole numbers from 1 to {n_features - 1}; got {distinct.tolist()}.")
    return distinct


def _ranking(model: Any) -> NDArray[np.int_]:
    """Features of a fitted model, best first."""
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
