"""Data of the plots, as plain arrays."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class Curve:
    """Predictive mean and standard deviation over a grid of one feature."""

    x: np.ndarray
    mean: np.ndarray
    std: np.ndarray


def curve(machine: Any, X: Any, n_points: int = 300) -> Curve:
    """Predictions of a regressor over the range of its only feature."""
    table, X = X, np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != 1:
        raise ValueError(f"X must have exactly one feature to be drawn as a curve; got shape {X.shape}.")
    x = np.linspace(X.min(), X.max(), n_points)
    return Curve(x, *machine.predict(like(machine, table, x[:, None]), return_std=True))


def known_labels(y: ArrayLike, classes: np.ndarray) -> np.ndarray:
    """Labels, all of which must be among the classes of a fitted machine."""
    labels = np.asarray(y)
    unknown = np.setdiff1d(labels, classes)
    if len(unknown):
        raise ValueError(f"y has labels that the machine was not fitted with: {unknown.tolist()}.")
    return labels


def log_precisions(machine: Any) -> np.ndarray:
    """Posterior means of the precisions of the kept weights, as log10."""
    if getattr(machine, "inference", None) != "variational":
        raise ValueError(
            'machine must be fitted with inference="variational", which alone infers precisions, as in '
            f'RVMRegressor(inference="variational"); it is {machine}.'
        )
    mean = machine.alpha_posterior_.mean
    return np.log10(mean[np.isfinite(mean)])


def weights(machine: Any, which: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Sorted training rows on which the columns of one class are centred, and their mean weights."""
    coef = machine.dual_coef_[which]
    used = np.flatnonzero(coef)
    order = used[np.argsort(machine.relevance_[used], kind="stable")]
    return machine.relevance_[order], coef[order]


def plane(X: Any, n: int = 200, margin: float = 0.15) -> tuple[Any, np.ndarray]:
    """A grid of n x n points over the data: the two coordinate matrices, and the points as rows.

    ``margin`` is added on every side, as a fraction of the range of the data.
    """
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"X must have exactly two features to be drawn in the plane; got shape {X.shape}.")
    low, high = X.min(axis=0), X.max(axis=0)
    pad = margin * (high - low)
    grid = np.meshgrid(*np.linspace(low - pad, high + pad, n).T)
    return grid, np.column_stack([grid[0].ravel(), grid[1].ravel()])


def like(machine: Any, X: Any, rows: np.ndarray) -> Any:
    """Rows as the machine takes them: with the columns of X if it was fitted with names of features."""
    named = hasattr(X, "columns") and hasattr(machine, "feature_names_in_")
    return type(X)(rows, columns=X.columns) if named else rows


def axis_names(X: Any) -> list[str]:
    """Names of the columns of a data frame; of other data those of mathematics."""
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    n_features = np.shape(X)[1]
    return ["x"] if n_features == 1 else [f"x{k + 1}".translate(_SUBSCRIPTS) for k in range(n_features)]


def exceedance(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Finite sizes from 1 on, sorted, and the fraction of all sizes that is larger than each."""
    finite = np.sort(sizes[np.isfinite(sizes)])
    larger = 1 - np.arange(1, len(finite) + 1) / len(sizes)
    inside = (finite >= 1) & (larger > 0)
    return finite[inside], larger[inside]


@dataclass(frozen=True)
class Expression:
    """Standardised values of features (rows) in samples (columns), indices of features, labels of samples."""

    values: np.ndarray
    features: np.ndarray
    labels: np.ndarray


def expression(machine: Any, X: ArrayLike, y: ArrayLike, top: int = 16) -> Expression:
    """Heat map of the most probable features.

    Samples are sorted by class, features by their probability, the most probable first.
    """
    X, y = np.asarray(X), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != len(machine.ranking_):
        raise ValueError(
            f"X must have the {len(machine.ranking_)} features of the machine; got shape {X.shape}."
        )
    features, order = machine.ranking_[:top], np.argsort(y, kind="stable")
    part = X[np.ix_(order, features)].astype(float)
    spread = part.std(axis=0)
    values = (part - part.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Expression(values.T, features, y[order])


def sets_of(machine: Any, which: int | None) -> list[Any]:
    """Credible sets of a machine, of all classes or of one, largest probability first."""
    sets = getattr(machine, "credible_sets_", [])
    return sets if which is None else [each for each in sets if each.label == machine.classes_[which]]


def feature_names(machine: Any, features: Iterable[int]) -> list[str]:
    """Names of features: column names of the training table, or else indices."""
    names = getattr(machine, "feature_names_in_", None)
    return [str(feature) if names is None else str(names[feature]) for feature in features]


def path_of(machine: Any, which: int) -> tuple[np.ndarray, int]:
    """Rounds of one class with their leave-one-out estimates, and the index of the chosen round."""
    if "loo_error" not in machine.path_.dtype.names:
        raise ValueError(
            'machine has no leave-one-out estimates along its path: those with inference="ep" and '
            "ARDClassifier have."
        )
    path = machine.path_[machine.path_["machine"] == which]
    if len(path) == 0:
        raise ValueError(f"which must be at most {machine.path_['machine'].max()}; got {which!r}.")
    chosen = machine.chosen_rounds_[which] if hasattr(machine, "chosen_rounds_") else len(path) - 1
    return path, chosen
