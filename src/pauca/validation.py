"""Checks of the arguments of public functions: a wrong one raises a ValueError that names it."""

import math
import warnings
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length, check_random_state, compute_sample_weight
from sklearn.utils.validation import validate_data

# Largest entry of data in absolute value; numerical guard against overflow of sums of squares.
LARGEST_ENTRY = 1e100
# Largest weight of a row, and largest ratio of two positive ones; numerical guard.
LARGEST_WEIGHT = 1e12
# Mean of the positive sample weights below which a warning says that the evidence sees hardly any rows. Class
# weights and weights with a mean of one stay far above it, weights of 1 / n fall below it from 11 rows on.
# Set by hand, not tuned.
_LEAST_MEAN_WEIGHT = 0.1


def check_option(name: str, value: Any, options: Collection[str]) -> None:
    """Raise unless ``value`` is one of ``options``."""
    if not (isinstance(value, str) and value in options):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}.")


def _is_number(value: Any, kind: Any = Real) -> bool:
    """Whether ``value`` is a finite number of the given kind and no bool."""
    if not isinstance(value, kind) or isinstance(value, bool):
        return False
    return isinstance(value, Integral) or math.isfinite(value)


def check_number(
    name: str,
    value: Any,
    low: float,
    *,
    kind: type = Real,
    strict: bool = False,
    optional: bool = False,
) -> None:
    """Raise unless ``value`` is a finite number that is large enough.

    Parameters
    ----------
    name : str
        Name of the argument for the message.
    value : object
        Value of the argument.
    low : float
        Lower bound.
    kind : type, default=Real
        ``numbers.Real`` or ``numbers.Integral``.
    strict : bool, default=False
        Whether the bound itself is too small.
    optional : bool, default=False
        Whether None is allowed.
    """
    if optional and value is None:
        return
    if not _is_number(value, kind) or value < low or (strict and value == low):
        noun = "an integer" if kind is Integral else "a number"
        bound = f"above {low}" if strict else f"of at least {low}"
        tail = " or None" if optional else ""
        raise ValueError(f"{name} must be {noun} {bound}{tail}; got {value!r}.")


def as_numbers(name: str, values: ArrayLike, n_dimensions: int | None = None) -> NDArray[np.float64]:
    """Array of finite numbers, or a ValueError that names the argument.

    Parameters
    ----------
    name : str
        Name of the argument for the message.
    values : array-like
        Values of the argument.
    n_dimensions : int, default=None
        Number of dimensions; None: any.

    Returns
    -------
    numbers : ndarray
    """
    if hasattr(values, "dtype") and np.iscomplexobj(values):
        raise ValueError(f"Complex data not supported: {name} must have real numbers.")
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers only.") from error
    if n_dimensions is not None and numbers.ndim != n_dimensions:
        raise ValueError(f"{name} must have {n_dimensions} dimensions; got shape {numbers.shape}.")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must hold finite numbers.")
    return numbers


def as_array(name: str, values: ArrayLike) -> NDArray:
    """Array of values, or a ValueError that names the argument if their lengths differ."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must have parts of one length.") from error


def as_labels(name: str, labels: ArrayLike) -> NDArray:
    """One-dimensional array of labels, or a ValueError that names the argument."""
    array = as_array(name, labels)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one label for each row; got shape {array.shape}.")
    return array


def distinct(name: str, labels: ArrayLike) -> NDArray:
    """Sorted distinct labels, or a TypeError that names the argument if they have no order."""
    try:
        return np.unique(as_labels(name, labels))
    except TypeError as error:
        raise TypeError(f"{name} must hold labels of one kind, all numbers or all text.") from error


def check_share(name: str, value: Any) -> None:
    """Raise unless ``value`` is a number strictly between zero and one."""
    if not _is_number(value) or not 0 < value < 1:
        raise ValueError(f"{name} must be a share between 0 and 1; got {value!r}.")


def check_gamma(gamma: Any, rules: Collection[str]) -> None:
    """Raise unless ``gamma`` is a positive number or the name of one of the ``rules``."""
    if isinstance(gamma, str):
        if gamma not in rules:
            raise ValueError(
                f"gamma must be a positive number or one of {', '.join(map(repr, rules))}; got {gamma!r}."
            )
    else:
        check_number("gamma", gamma, 0, strict=True)


def check_hyperprior(name: str, value: Any) -> tuple[float, float]:
    """Shape and rate as floats; raise unless ``value`` is a pair of positive numbers."""
    pair = isinstance(value, tuple | list) and len(value) == 2
    if not pair or not all(_is_number(part) and part > 0 for part in value):
        raise ValueError(f"{name} must be two positive numbers, shape and rate; got {value!r}.")
    shape, rate = value
    return float(shape), float(rate)


def check_kernel(kernel: Any, names: Collection[str]) -> None:
    """Raise unless ``kernel`` is one of the known ``names`` or a function of two matrices."""
    if not callable(kernel):
        check_option("kernel", kernel, names)


def check_seed(random_state: Any) -> np.random.RandomState:
    """RandomState for an argument ``random_state``; raise unless it is None, an integer or a RandomState."""
    try:
        return check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            f"random_state must be None, an integer or a RandomState; got {random_state!r}."
        ) from error


def check_class_weight(class_weight: Any, y: ArrayLike) -> NDArray:
    """Weight of each row by its class; raise unless the weights are finite and non-negative."""
    try:
        weights = compute_sample_weight(class_weight, y)
    except ValueError as error:
        raise ValueError(f"class_weight is not usable: {error}") from error
    if (weights < 0).any() or not np.isfinite(weights).all():
        raise ValueError(f"class_weight must have finite, non-negative values; got {class_weight!r}.")
    return weights


def check_rows(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Rows (and targets) as arrays by scikit-learn's checks; text in a column is refused by its name.

    Parameters
    ----------
    estimator : estimator
        Estimator whose features are counted and named.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,), optional
        Targets.
    **options
        Options of scikit-learn's ``validate_data``.

    Returns
    -------
    X, or X and y
        Checked arrays.
    """
    if options.get("y_numeric") and np.asarray(y).dtype.kind in "USmM":
        raise ValueError("y must hold numbers; got text or times.")
    try:
        return validate_data(estimator, X, y, **options)
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        name = "X must hold numbers: " + _first_text(X) if _has_text(X) else "y must hold numbers"
        raise ValueError(f"{name}; encode it first ({error}).") from error


def _has_text(X: Any) -> bool:
    try:
        np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        return not sparse.issparse(X)
    return False


def _first_text(X: Any) -> str:
    """The first column that is not of numbers, by its name where it has one."""
    for name in getattr(X, "columns", ()):
        if _has_text(X[name]):
            return f"column {name!r} does not"
    return "an entry is text"


def check_size(name: str, values: Any) -> None:
    """Raise if the squares of ``values``, dense or sparse, might overflow when they are summed."""
    entries = values.data if sparse.issparse(values) else values
    if max(float(entries.max(initial=0.0)), -float(entries.min(initial=0.0))) > LARGEST_ENTRY:
        raise ValueError(f"{name} has entries beyond {LARGEST_ENTRY:.0e}; scale it first.")


def check_weights(sample_weight: ArrayLike | None, X: Any) -> NDArray:
    """Weights of the rows of X: ones for None; raise unless they are non-negative and not all zero."""
    if sample_weight is None:
        return np.ones(X.shape[0])
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.ndim != 1:
        raise ValueError(f"sample_weight must be one-dimensional; got shape {weights.shape}.")
    check_consistent_length(weights, X)
    if (weights < 0).any() or not weights.any():
        raise ValueError("sample_weight must be non-negative and not all of it zero.")
    largest, smallest = weights.max(), weights[weights > 0].min()
    if largest > LARGEST_WEIGHT or largest > LARGEST_WEIGHT * smallest:
        raise ValueError(
            f"sample_weight must not exceed {LARGEST_WEIGHT:.0e}, nor {LARGEST_WEIGHT:.0e} times the "
            "smallest positive one: a weight is the number of times that a row counts."
        )
    return weights


def check_case_weights(sample_weight: ArrayLike | None, X: Any) -> NDArray:
    """Weights of the rows of X as numbers of times that each row counts; warn where they sum to far too few.

    Checks are those of `check_weights`. The evidence of a machine sees as many rows as the weights sum to, so
    that weights of 1 / n stand for one row.
    """
    weights = check_weights(sample_weight, X)
    total, n_rows = weights.sum(), np.count_nonzero(weights)
    if total < _LEAST_MEAN_WEIGHT * n_rows:
        warnings.warn(
            f"sample_weight sums to {total:.3g} for {n_rows} rows of positive weight: a weight is the number "
            "of times that a row counts, so that the machine sees hardly any data. For weights of relative "
            "importance pass sample_weight / sample_weight[sample_weight > 0].mean().",
            UserWarning,
            stacklevel=3,
        )
    return weights
