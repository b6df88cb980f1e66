"""Students: sparse Gaussian processes fitted to soft labels, within a limit of bytes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ..export import Predictor, c_bytes, portable_of
from ..machines import SparseGPClassifier, SparseGPRegressor
from .rows import soft_labelled

# Factor of the number of vectors, or of the least gain of a vector, from a student that is too big to the
# next, and the number of students tried; set by hand.
_SHRINK, _DEMAND, _N_TRIES = 0.85, 3.0, 12


@dataclass(frozen=True)
class Limits:
    """Largest student: number of vectors, and bytes of its constants in C in single precision."""

    max_vectors: int | None = None
    max_bytes: int | None = None


def new_student(classes: NDArray | None, X: Any, random_state: Any) -> Any:
    """Unfitted student with its defaults; one of a frame has no kernels of single columns, and is smaller."""
    kind: Any = SparseGPRegressor if classes is None else SparseGPClassifier
    options = {"additive": False} if hasattr(X, "columns") else {}
    return kind(random_state=random_state, **options)


def machine_of(student: Any) -> Any:
    """The machine itself, for a pipeline its last step."""
    return student.steps[-1][1] if isinstance(student, Pipeline) else student


def machine_predictor(student: Any) -> Predictor:
    """Compiled predictor of a fitted student."""
    form: Any = portable_of(student)
    return Predictor(form)


def fitted_student(student: Any, classes: NDArray | None, X: Any, targets: NDArray, limits: Limits) -> Any:
    """Student of probabilities or numbers within the limits.

    A student that is too big is fitted again with fewer vectors.
    """
    steps = student.steps[:-1] if isinstance(student, Pipeline) else []
    encoder = Pipeline([(name, clone(step)) for name, step in steps]) if steps else None
    if encoder is not None:
        X = encoder.fit_transform(X)
    machine = _fitted_machine(machine_of(student), classes, X, targets, limits)
    return machine if encoder is None else Pipeline([*encoder.steps, ("student", machine)])


def _fitted_machine(machine, classes, X, targets, limits):
    rows, y, weights = (X, targets, None) if classes is None else soft_labelled(X, targets)
    y = y if classes is None else classes[y]
    n_latent = 1 if classes is None or len(classes) == 2 else len(classes)
    most = _most_vectors(np.shape(X)[1], n_latent, limits)
    for _ in range(_N_TRIES):
        fitted = _limited(clone(machine), most).fit(rows, y, sample_weight=weights)
        fitted._n_seen = len(targets)
        n_vectors, many = len(fitted.relevance_), limits.max_vectors
        if _is_small(fitted, limits) and (many is None or n_vectors <= many):
            return fitted
        most = min(most, np.floor(_SHRINK * n_vectors))
        if most < 1:
            break
        if "max_vectors" not in machine.get_params():
            machine = clone(machine).set_params(min_gain=_DEMAND * machine.min_gain)
    raise ValueError(
        f"No student has {limits.max_bytes} bytes or fewer: raise max_bytes, or leave out columns."
    )


def _is_small(fitted, limits):
    return limits.max_bytes is None or c_bytes(fitted) <= limits.max_bytes


def _limited(machine, most):
    """Machine that keeps at most so many vectors, where it has such an argument."""
    if "max_vectors" not in machine.get_params() or not np.isfinite(most):
        return machine
    return machine.set_params(max_vectors=max(1, int(most)))


def _most_vectors(n_features: int, n_latent: int, limits: Limits) -> float:
    """Largest number of vectors that may fit: 4 bytes a number of vectors and triangles, 8 of the others."""
    most = np.inf if limits.max_vectors is None else limits.max_vectors
    if limits.max_bytes is None:
        return most
    # Triangles of K classes 2 K m², vectors 4 d m, weights and steps 18 K m, features 24 d.
    square, linear = 2.0 * n_latent, 4.0 * n_features + 18.0 * n_latent
    left = max(limits.max_bytes - 24.0 * n_features, 0.0)
    return min(most, max(1.0, np.floor((np.sqrt(linear**2 + 4 * square * left) - linear) / (2 * square))))
