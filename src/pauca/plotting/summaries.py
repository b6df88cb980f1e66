"""Data of the plots, as plain arrays."""

from collections.abc import Iterable
from dataclasses import dataclass
from inspect import signature
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from ..evaluation.curves import classification_curves
from ..validation import as_labels, as_numbers, check_number, distinct

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def part_of(machine: Any, attribute: str, kinds: str, name: str = "machine") -> Any:
    """Attribute of a fitted machine, or a TypeError that says which kinds of machines have it."""
    found = getattr(machine, attribute, None)
    if found is None:
        if isinstance(machine, BaseEstimator):
            check_is_fitted(machine)
        raise TypeError(f"{name} must be {kinds}, which has {attribute}; got {_short(machine)}.")
    return found


def check_classifier(machine: Any) -> None:
    """Raise unless a machine is a fitted classifier with probabilities."""
    if not (isinstance(machine, BaseEstimator) and is_classifier(machine)):
        raise TypeError(f"machine must be a fitted classifier; got {_short(machine)}.")
    part_of(machine, "classes_", "a fitted classifier")
    part_of(machine, "predict_proba", "a classifier with probabilities")


def check_length(name: str, values: Any, n_rows: int) -> None:
    """Raise unless an argument has one entry for each row."""
    if np.ndim(values) < 1 or np.shape(values)[0] != n_rows:
        raise ValueError(f"{name} must have {n_rows} rows; got shape {np.shape(values)}.")


def check_index(name: str, index: Any, size: int) -> None:
    """Raise unless an index is a whole number of a sequence of some size."""
    check_number(name, index, 0, kind=Integral)
    if index >= size:
        raise ValueError(f"{name} must be below {size}; got {index}.")


def _short(value: Any) -> str:
    """Text of an object in a message: an estimator by its class."""
    return type(value).__name__ if isinstance(value, BaseEstimator) else repr(value)[:60]


@dataclass(frozen=True)
class Curve:
    """Predictive mean and standard deviation over a grid of one feature."""

    x: np.ndarray
    mean: np.ndarray
    std: np.ndarray


def curve(machine: Any, X: Any, n_points: int = 300) -> Curve:
    """Predictions of a regressor over the range of its only feature."""
    table, X = X, as_numbers("X", X)
    if X.ndim != 2 or X.shape[1] != 1 or not len(X):
        raise ValueError(f"X must have exactly one feature to be drawn as a curve; got shape {X.shape}.")
    x = np.linspace(X.min(), X.max(), n_points)
    rows = like(machine, table, x[:, None])
    return Curve(x, *predicted_with(machine, rows, "return_std", "a regressor with standard deviations"))


def predicted_with(machine: Any, X: Any, option: str, kinds: str, name: str = "machine") -> Any:
    """Predictions with an option of ``predict``, or a TypeError where a machine does not know it."""
    predict = part_of(machine, "predict", kinds, name)
    if option not in signature(predict).parameters:
        raise TypeError(f"{name} must be {kinds}, whose predict takes {option}; got {_short(machine)}.")
    return predict(X, **{option: True})


def known_labels(y: ArrayLike, classes: np.ndarray, n_rows: int | None = None) -> np.ndarray:
    """Labels, all of which must be among the classes of a fitted machine, one for each of some rows."""
    labels = as_labels("y", y)
    if n_rows is not None:
        check_length("y", labels, n_rows)
    unknown = np.setdiff1d(distinct("y", labels), classes)
    if len(unknown):
        raise ValueError(f"y has labels that the machine was not fitted with: {unknown.tolist()}.")
    return labels


def numbers_or_none(name: str, values: ArrayLike | None) -> np.ndarray | None:
    """Finite numbers in one dimension, where there are any."""
    return None if values is None else as_numbers(name, values, 1)


def largest(values: np.ndarray, top: int) -> np.ndarray:
    """Places of the largest values, largest first."""
    check_number("top", top, 1, kind=Integral)
    return np.argsort(-values, kind="stable")[:top]


def places_above(values: np.ndarray, threshold: float, X: Any) -> np.ndarray:
    """Places of the values, one for each row of X, that reach a threshold."""
    check_number("threshold", threshold, 0)
    check_length("X", X, len(values))
    return np.flatnonzero(values >= threshold)


def log_precisions(machine: Any, bins: int = 20) -> np.ndarray:
    """Posterior means of the precisions of the kept weights, as log10, for a histogram of some bins."""
    check_number("bins", bins, 1, kind=Integral)
    if getattr(machine, "inference", None) != "variational":
        raise ValueError(
            'machine must be fitted with inference="variational", which alone infers precisions, as in '
            f'RVMRegressor(inference="variational"); it is {machine}.'
        )
    mean = machine.alpha_posterior_.mean
    return np.log10(mean[np.isfinite(mean)])


def weights(machine: Any, which: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Sorted training rows on which the columns of one class are centred, and their mean weights."""
    dual_coef = part_of(machine, "dual_coef_", "a machine of weighted columns")
    check_index("which", which, len(dual_coef))
    coef = dual_coef[which]
    used = np.flatnonzero(coef)
    order = used[np.argsort(machine.relevance_[used], kind="stable")]
    return machine.relevance_[order], coef[order]


def plane(X: Any, n: int = 200, margin: float = 0.15) -> tuple[Any, np.ndarray]:
    """A grid of n x n points over the data: the two coordinate matrices, and the points as rows.

    ``margin`` is added on every side, as a fraction of the range of the data.
    """
    X = as_numbers("X", X)
    if X.ndim != 2 or X.shape[1] != 2 or not len(X):
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
    ranking = part_of(machine, "ranking_", "a SpikeSlabClassifier")
    part_of(machine, "inclusion_probabilities_", "a SpikeSlabClassifier")
    if X.ndim != 2 or X.shape[1] != len(ranking):
        raise ValueError(f"X must have the {len(ranking)} features of the machine; got shape {X.shape}.")
    if y.shape != (len(X),):
        raise ValueError(f"y must have a label for each of the {len(X)} rows of X; got shape {y.shape}.")
    check_number("top", top, 1, kind=Integral)
    X = as_numbers("X", X)
    features, order = ranking[:top], np.argsort(y, kind="stable")
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
    rounds = part_of(machine, "path_", "a machine that selects columns")
    if "loo_error" not in rounds.dtype.names:
        raise ValueError(
            'machine has no leave-one-out estimates along its path: those with inference="ep" and '
            "ARDClassifier have."
        )
    check_number("which", which, 0, kind=Integral)
    path = rounds[rounds["machine"] == which]
    if len(path) == 0:
        raise ValueError(f"which must be at most {rounds['machine'].max()}; got {which!r}.")
    chosen = machine.chosen_rounds_[which] if hasattr(machine, "chosen_rounds_") else len(path) - 1
    return path, chosen


def class_curves(y_true: ArrayLike, y_prob: ArrayLike) -> dict[str, Any]:
    """Curves of labels and probabilities."""
    y, p = as_labels("y_true", y_true), as_numbers("y_prob", y_prob)
    if p.ndim not in (1, 2) or len(y) != len(p) or not len(y):
        raise ValueError(f"y_prob must have a row for each label; got shapes {y.shape} and {p.shape}.")
    if ((p < 0) | (p > 1)).any():
        raise ValueError("y_prob must hold probabilities between 0 and 1.")
    p = np.column_stack([1 - p, p]) if p.ndim == 1 else p
    labels = distinct("y_true", y)
    if len(labels) != p.shape[1]:
        raise ValueError(
            f"y_prob has {p.shape[1]} classes, but y_true has {len(labels)} different labels: draw "
            "from_estimator, which knows the classes, or add rows of all classes."
        )
    return classification_curves(y, p, labels)
