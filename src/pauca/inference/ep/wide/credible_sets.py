"""Credible sets: features of which at least one matters with a given probability."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CredibleSet", "credible_sets"]

# Features of a large set whose correlations are looked at; set by hand.
_MOST_COMPARED = 100


@dataclass(frozen=True)
class CredibleSet:
    """Features of which at least one has a weight, most probable first.

    Parameters
    ----------
    features : ndarray of int
        Indices of the features.
    probabilities : ndarray
        Probability of each feature to be the one.
    probability : float
        Probability that one of them has a weight.
    purity : float
        Smallest absolute correlation between two of the features.
    label : object, default=None
        Class whose latent function has the weight; None for numbers.
    """

    features: NDArray
    probabilities: NDArray
    probability: float
    purity: float
    label: object = None


def credible_sets(
    assignments: NDArray,
    X: NDArray,
    weights: NDArray,
    *,
    coverage: float = 0.95,
    min_purity: float = 0.5,
    label: object = None,
) -> list[CredibleSet]:
    """Credible sets of single effects.

    The most probable features of an effect enter until their probabilities add up to ``coverage``. Effects
    that are absent with more than the remaining probability give no set, nor do sets of features that are
    hardly correlated: those mean that the effect is not located. Sets with equal features are one.

    Parameters
    ----------
    assignments : ndarray of shape (n_effects, n_features)
        Probability that each single effect is that of each feature.
    X : ndarray of shape (n_rows, n_features)
        Rows.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    coverage : float, default=0.95
        Probability that a set must reach.
    min_purity : float, default=0.5
        Smallest absolute correlation between two features that a set may have.
    label : object, default=None
        Class of the latent function.

    Returns
    -------
    sets : list of CredibleSet
        Most probable first.
    """
    found: dict[tuple, CredibleSet] = {}
    for chances in assignments:
        order = np.argsort(-chances, kind="stable")
        total = np.cumsum(chances[order])
        if total[-1] < coverage:
            continue
        size = int(np.searchsorted(total, coverage)) + 1
        features = order[:size]
        purity = smallest_correlation(X, weights, features)
        names = tuple(np.sort(features).tolist())
        if purity >= min_purity and names not in found:
            probability = float(min(total[size - 1], 1.0))
            found[names] = CredibleSet(features, chances[features], probability, purity, label)
    return sorted(found.values(), key=lambda each: (-each.probability, len(each.features)))


def smallest_correlation(X: NDArray, weights: NDArray, features: NDArray) -> float:
    """Smallest absolute correlation between two of some features; of many, of some evenly spaced ones."""
    if len(features) == 1:
        return 1.0
    if len(features) > _MOST_COMPARED:
        features = features[np.linspace(0, len(features) - 1, _MOST_COMPARED).astype(int)]
    columns = np.asarray(X[:, features], dtype=float)
    columns = columns - np.average(columns, axis=0, weights=weights)
    second = (columns.T * weights) @ columns
    scale = np.sqrt(np.maximum(np.diag(second), np.finfo(float).tiny))
    return float(np.abs(second / np.outer(scale, scale)).min())
