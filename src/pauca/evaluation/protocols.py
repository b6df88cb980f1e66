"""Protocols: splits into training and test rows, and hyperparameters chosen once for all splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import (
    GroupShuffleSplit,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.utils.multiclass import type_of_target

from ..validation import as_labels, check_number

Indices = NDArray[np.integer]
Splits = list[tuple[Indices, Indices]]


def repeated_splits(
    y: ArrayLike,
    n_splits: int,
    *,
    train_size: float | int = 0.5,
    stratify: bool = False,
    seed: int = 0,
    groups: ArrayLike | None = None,
) -> Splits:
    """Draw random splits into training and test rows; the first K do not depend on ``n_splits``.

    Parameters
    ----------
    y : array-like of shape (n,)
        Targets.
    n_splits : int
        Number of splits.
    train_size : float or int, default=0.5
        Fraction or number of training rows; the others are test rows.
    stratify : bool, default=False
        Whether every split keeps the proportions of the classes.
    seed : int, default=0
        Seed of the splits.
    groups : array-like of shape (n,), default=None
        Group of each row, such as the patient it was measured on: no group has rows on both sides of a split.
        ``train_size`` is then a fraction or number of groups, and ``stratify`` has no effect.

    Returns
    -------
    list of (train, test)
        Row indices.
    """
    check_number("n_splits", n_splits, 1, kind=Integral)
    check_number("seed", seed, 0, kind=Integral)
    check_number("train_size", train_size, 0, strict=True)
    kind: Any = partial(StratifiedShuffleSplit if stratify else ShuffleSplit, 1, train_size=train_size)
    if groups is not None:
        kind = partial(GroupShuffleSplit, 1, train_size=train_size)
    return _drawn(y, (kind(random_state=_seed(seed, k)) for k in range(n_splits)), groups)


def five_by_two(y: ArrayLike, *, stratify: bool = True, seed: int = 0) -> Splits:
    """Draw the ten splits of five repetitions of two-fold cross-validation.

    Parameters
    ----------
    y : array-like of shape (n,)
        Targets.
    stratify : bool, default=True
        Whether every split keeps the proportions of the classes.
    seed : int, default=0
        Seed of the splits.

    Returns
    -------
    list of (train, test)
        Row indices; the two splits of a repetition follow each other.
    """
    check_number("seed", seed, 0, kind=Integral)
    kind = StratifiedKFold if stratify else KFold
    return _drawn(y, (kind(2, shuffle=True, random_state=_seed(seed, k)) for k in range(5)))


def median_choice(
    search: Any, X: ArrayLike, y: ArrayLike, splits: Sequence[tuple[Indices, Indices]], n_first: int = 5
) -> dict[str, Any]:
    """Choose hyperparameters for all splits of a dataset: their median over the first training sets.

    This is the rule of Raetsch's benchmark (G. Raetsch, T. Onoda, K.-R. Mueller, Soft margins for AdaBoost,
    Machine Learning 42, 2001). For hyperparameters that are not numbers the most frequent value is taken.

    Parameters
    ----------
    search : estimator with ``best_params_``
        For example a `sklearn.model_selection.GridSearchCV`; it is cloned.
    X : array-like of shape (n, n_features)
        Features.
    y : array-like of shape (n,)
        Targets.
    splits : sequence of (train, test)
        Row indices.
    n_first : int, default=5
        Number of splits on whose training rows the search runs.

    Returns
    -------
    dict
        Values of the hyperparameters by name, as in ``best_params_``.
    """
    X, y = np.asarray(X), np.asarray(y)
    found = [clone(search).fit(X[train], y[train]).best_params_ for train, _ in splits[:n_first]]
    if not found:
        raise ValueError("splits is empty: nothing to choose parameters on.")
    return {name: _median_or_mode([parameters[name] for parameters in found]) for name in found[0]}


def _median_or_mode(values: Sequence[Any]) -> Any:
    """Lower median of numbers, which is one of them; otherwise the most frequent value."""
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in values):
        return sorted(values)[(len(values) - 1) // 2]
    return Counter(values).most_common(1)[0][0]


def _drawn(y: ArrayLike, splitters: Iterable[Any], groups: ArrayLike | None = None) -> Splits:
    """Splits of all splitters, one splitter after the other."""
    y = as_labels("y", y)
    if type_of_target(y) == "unknown":
        raise ValueError("y must hold numbers, or labels that are all text.")
    return [split for splitter in splitters for split in splitter.split(np.zeros(len(y)), y, groups)]


def _seed(seed: int, k: int) -> int:
    """Seed of repetition k, independent of the other repetitions."""
    return int(np.random.SeedSequence([seed, k]).generate_state(1)[0])
