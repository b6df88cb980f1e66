"""Shared parts of the generators: argument checks, random numbers, balanced labels, Gaussian mixtures."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Values of ``random_state``, as in scikit-learn.
Seed = int | np.random.RandomState | None


def check_count(value: Any, name: str, minimum: int = 1) -> int:
    """Return `value` as an int, or raise a `ValueError` that names the argument."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < minimum:
        raise ValueError(f"{name} must be an integer of at least {minimum}, got {value!r}.")
    return int(value)


def check_number(value: Any, name: str, minimum: float = 0.0, maximum: float = np.inf) -> float:
    """Return `value` as a finite float within bounds, or raise a `ValueError` that names the argument."""
    is_number = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
    if not is_number or not minimum <= value <= maximum:
        raise ValueError(f"{name} must be a finite number in [{minimum:g}, {maximum:g}], got {value!r}.")
    return float(value)


def random_numbers(random_state: Seed) -> np.random.RandomState:
    """Make a random number generator from a `random_state`."""
    from sklearn.utils import check_random_state

    return check_random_state(random_state)


def balanced_labels(n_samples: int, rng: np.random.RandomState, n_classes: int = 2) -> NDArray[np.int_]:
    """Labels 0, 1, ... in random order; class sizes differ by one at most."""
    return rng.permutation(np.arange(n_samples) % n_classes)


def draw_mixture(
    n_samples: int, centres: ArrayLike, scales: ArrayLike, random_state: Seed
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Draw balanced classes, each an equal mixture of Gaussians with diagonal covariance.

    `centres` has shape (classes, components, features); `scales`, the standard deviations, broadcast to
    (classes, features).
    """
    n_samples = check_count(n_samples, "n_samples")
    n_classes, n_components, n_features = np.shape(centres)
    rng = random_numbers(random_state)
    y = balanced_labels(n_samples, rng, n_classes)
    component = rng.randint(n_components, size=n_samples)
    spread = np.broadcast_to(scales, (n_classes, n_features))[y]
    X = np.asarray(centres, dtype=float)[y, component] + spread * rng.standard_normal((n_samples, n_features))
    return X, y
