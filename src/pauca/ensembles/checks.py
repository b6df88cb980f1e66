"""Checks at the public door of the right half."""

from dataclasses import dataclass
from math import ceil
from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_array

from ..validation import check_option, check_size, check_weights

TASKS = "regression", "classification"


@dataclass(frozen=True)
class Outputs:
    """Checked member outputs with their targets; classes are codes 0, ..., n_classes - 1."""

    task: str
    outputs: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    known: np.ndarray | None
    n_classes: int = 0

    @property
    def n_members(self):
        """How many members there are."""
        return len(self.outputs)


def check_outputs(outputs, y, task="regression", sample_weight=None, known=None):
    """Outputs, targets, weights and the mask of rows that count, all of matching shapes."""
    check_option("task", task, TASKS)
    outputs, y = np.asarray(outputs), np.asarray(y)
    _check_shapes(outputs, y, task)
    weights = check_weights(sample_weight, y)
    known = _check_known(known, outputs)
    if task == "classification":
        classes, codes = np.unique(np.concatenate([y, outputs.ravel()]), return_inverse=True)
        coded = codes[len(y) :].reshape(outputs.shape)
        return Outputs(task, coded, codes[: len(y)], weights, known, len(classes))
    return Outputs(task, _numbers("outputs", outputs), _numbers("y", y), weights, known)


def check_member_count(size, n_members, *, auto=False):
    """How many of the members ``size`` means: an integer, or a share of them rounded up."""
    if auto and isinstance(size, str) and size == "auto":
        return None
    if _is(size, Integral) and 1 <= size <= n_members:
        return int(size)
    if _is(size, Real) and not _is(size, Integral) and 0 < size <= 1:
        return max(1, ceil(size * n_members - 1e-9))
    tail = ' or "auto"' if auto else ""
    raise ValueError(
        f"size must be an integer from 1 to the {n_members} members, a share above 0 and up to 1.0{tail}; "
        f"got {size!r}."
    )


def _is(value, kind):
    return isinstance(value, kind) and not isinstance(value, bool)


def _check_shapes(outputs, y, task):
    dimensions = (2, 3) if task == "regression" else (2,)
    if outputs.ndim not in dimensions or outputs.size == 0:
        raise ValueError(
            "outputs must have one row of predictions for each member, shape (n_members, n_samples)"
            f"{' or (n_members, n_samples, n_outputs)' if task == 'regression' else ''}; "
            f"got shape {outputs.shape}."
        )
    if y.shape != outputs.shape[1:]:
        raise ValueError(
            f"y must have shape {outputs.shape[1:]} to match outputs of shape {outputs.shape}; got {y.shape}."
        )


def _check_known(known, outputs):
    if known is None:
        return None
    known = np.asarray(known)
    if known.dtype != bool or known.shape != outputs.shape[:2]:
        raise ValueError(
            f"known must be a boolean array of shape {outputs.shape[:2]}, members and rows; "
            f"got {known.dtype} of shape {known.shape}."
        )
    return known


def _numbers(name, values):
    values = check_array(values, ensure_2d=False, allow_nd=True, dtype=np.float64, input_name=name)
    check_size(name, values)
    return values
