"""Checks at the public door: every wrong argument gets a ValueError that names it."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length, check_random_state, compute_sample_weight

_LARGEST = 1e100


def check_option(name, value, options):
    """``value`` must be one of ``options``."""
    if not (isinstance(value, str) and value in options):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}.")


def _is_number(value, kind=Real):
    return isinstance(value, kind) and not isinstance(value, bool) and np.isfinite(value)


def check_number(name, value, low, *, kind=Real, strict=False, optional=False):
    """``value`` must be a finite number of the given kind, at least (or above) ``low``."""
    if optional and value is None:
        return
    if not _is_number(value, kind) or value < low or (strict and value == low):
        noun = "an integer" if kind is Integral else "a number"
        bound = f"above {low}" if strict else f"of at least {low}"
        tail = " or None" if optional else ""
        raise ValueError(f"{name} must be {noun} {bound}{tail}; got {value!r}.")


def check_share(name, value):
    """``value`` must be strictly between zero and one."""
    if not _is_number(value) or not 0 < value < 1:
        raise ValueError(f"{name} must be a share between 0 and 1; got {value!r}.")


def check_gamma(gamma, rules):
    """``gamma`` must be a positive number or the name of a rule."""
    if isinstance(gamma, str):
        if gamma not in rules:
            raise ValueError(
                f"gamma must be a positive number or one of {', '.join(map(repr, rules))}; got {gamma!r}."
            )
    else:
        check_number("gamma", gamma, 0, strict=True)


def check_hyperprior(name, value):
    """Shape and rate as floats; ``value`` must be a pair of positive numbers."""
    pair = isinstance(value, tuple | list) and len(value) == 2
    if not pair or not all(_is_number(part) and part > 0 for part in value):
        raise ValueError(f"{name} must be two positive numbers, shape and rate; got {value!r}.")
    return tuple(map(float, value))


def check_kernel(kernel, names):
    """``kernel`` must be one of the known ``names`` or a function of two matrices."""
    if not callable(kernel):
        check_option("kernel", kernel, names)


def check_seed(random_state):
    """``random_state`` as a RandomState."""
    try:
        return check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            f"random_state must be None, an integer or a RandomState; got {random_state!r}."
        ) from error


def check_class_weight(class_weight, y):
    """Weight of each row by its class."""
    try:
        weights = compute_sample_weight(class_weight, y)
    except ValueError as error:
        raise ValueError(f"class_weight is not usable: {error}") from error
    if (weights < 0).any() or not np.isfinite(weights).all():
        raise ValueError(f"class_weight must have finite, non-negative values; got {class_weight!r}.")
    return weights


def check_size(name, values):
    """The squares of ``values`` must not overflow when they are summed."""
    entries = values.data if sparse.issparse(values) else values
    if float(np.abs(entries).max(initial=0.0)) > _LARGEST:
        raise ValueError(f"{name} has entries beyond {_LARGEST:.0e}; scale it first.")


def check_weights(sample_weight, X):
    """Weights as an array: ones, or the given non-negative numbers, not all of them zero."""
    if sample_weight is None:
        return np.ones(X.shape[0])
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.ndim != 1:
        raise ValueError(f"sample_weight must be one-dimensional; got shape {weights.shape}.")
    check_consistent_length(weights, X)
    if (weights < 0).any() or not weights.any():
        raise ValueError("sample_weight must be non-negative and not all of it zero.")
    return weights
