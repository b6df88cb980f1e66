"""Students: sparse Gaussian processes fitted to soft labels, within a limit of bytes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..export import c_bytes
from ..machines import SparseGPClassifier, SparseGPRegressor
from .rows import soft_labelled

# Factor of the number of vectors, or of the least gain of a vector, from a student that is too big to the
# next, and the number of students tried; set by hand.
_SHRINK, _DEMAND, _N_TRIES = 0.8, 3.0, 8
# Bytes of a vector's weights and of the rest of a student.
_A_WEIGHT, _REST = 8, 600


def new_student(classes: NDArray | None, random_state: Any) -> Any:
    """Unfitted student with its defaults."""
    if classes is None:
        return SparseGPRegressor(random_state=random_state)
    return SparseGPClassifier(random_state=random_state)


def fitted_student(
    student: Any,
    classes: NDArray | None,
    X: Any,
    targets: NDArray,
    max_vectors: int | None,
    max_bytes: int | None,
) -> Any:
    """Student of probabilities or numbers, with at most so many vectors and bytes of C in single precision.

    A student that is too big is fitted again with fewer vectors.
    """
    rows, y, weights = (X, targets, None) if classes is None else soft_labelled(X, targets)
    if classes is not None:
        y = classes[y]
    limit = _most_vectors(X.shape[1], 1 if classes is None or len(classes) == 2 else len(classes), max_bytes)
    limit = min(limit, max_vectors) if max_vectors is not None else limit
    for _ in range(_N_TRIES):
        fitted = _limited(clone(student), limit).fit(rows, y, sample_weight=weights)
        n_vectors = len(fitted.relevance_)
        is_small = max_bytes is None or c_bytes(fitted) <= max_bytes
        if is_small and (max_vectors is None or n_vectors <= max_vectors):
            return fitted
        limit = min(limit, int(_SHRINK * n_vectors)) if np.isfinite(limit) else int(_SHRINK * n_vectors)
        if limit < 1:
            break
        if "max_vectors" not in student.get_params():
            student = clone(student).set_params(min_gain=_DEMAND * student.min_gain)
    raise ValueError(f"No student has {max_bytes} bytes or fewer: raise max_bytes, or leave out columns.")


def _limited(student, limit):
    """Student that keeps at most ``limit`` vectors, where it has such an argument."""
    if "max_vectors" not in student.get_params() or not np.isfinite(limit):
        return student
    return student.set_params(max_vectors=max(1, int(limit)))


def _most_vectors(n_features: int, n_latent: int, max_bytes: int | None) -> float:
    """Largest number of vectors that fit in so many bytes: 4 a number, triangles of m (m + 1) / 2."""
    if max_bytes is None:
        return np.inf
    # 2 K m² + (4 d + (8 + 4) K + 8 K) m + rest = bytes.
    square, linear = 2.0 * n_latent, 4.0 * n_features + (4 + 2 * _A_WEIGHT) * n_latent + 4
    left = max_bytes - _REST - 24 * n_features
    if left <= 0:
        return 1
    return max(1.0, np.floor((-linear + np.sqrt(linear**2 + 4 * square * left)) / (2 * square)))
