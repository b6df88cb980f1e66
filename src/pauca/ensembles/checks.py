"""Argument checks that pruning, early voting and the size of ensembles share."""

from dataclasses import dataclass, replace
from math import ceil
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from ..validation import as_array, check_option, check_size, check_weights

TASKS = "regression", "classification"
VOTINGS = "auto", "hard", "soft"
# Slack, in members, before a share of the members is rounded up. Numerical guard: 0.29 * 100 exceeds 29.
_ROUNDING_SLACK = 1e-9


@dataclass(frozen=True)
class MemberOutputs:
    """Checked outputs of all members with the targets; classes are codes 0, ..., n_classes - 1.

    ``outputs`` has the members first: shape (n_members, n_samples) or (n_members, n_samples, n_outputs).
    ``weights`` are those of the rows; ``known`` masks the rows that count for each member (None: all rows).
    """

    task: str
    outputs: NDArray
    y: NDArray
    weights: NDArray
    known: NDArray | None
    n_classes: int = 0

    @property
    def n_members(self) -> int:
        """Number of members."""
        return len(self.outputs)

    @property
    def rows_of_members(self) -> NDArray:
        """Sum of the weights of the rows that count for each member."""
        if self.known is None:
            return np.full(self.n_members, self.weights.sum())
        return self.known @ self.weights

    def subset(self, selected: NDArray) -> "MemberOutputs":
        """Outputs of some of the members, given by their indices."""
        known = None if self.known is None else self.known[selected]
        return replace(self, outputs=self.outputs[selected], known=known)


def check_ensemble(ensemble: Any) -> None:
    """Raise unless the ensemble is an estimator, and not its class."""
    if isinstance(ensemble, type) or not hasattr(ensemble, "get_params"):
        raise TypeError(f"ensemble must be an estimator to be trained; got {ensemble!r:.80}.")


def check_outputs(
    outputs: ArrayLike,
    y: ArrayLike,
    task: str = "regression",
    sample_weight: ArrayLike | None = None,
    known: ArrayLike | None = None,
) -> MemberOutputs:
    """Outputs, targets, row weights and the mask of rows that count, checked for matching shapes."""
    check_option("task", task, TASKS)
    outputs, y = as_array("outputs", outputs), as_array("y", y)
    _check_shapes(outputs, y, task)
    weights = check_weights(sample_weight, y)
    mask = _check_known(known, outputs)
    if task == "classification":
        try:
            classes, codes = np.unique(np.concatenate([y, outputs.ravel()]), return_inverse=True)
        except TypeError as error:
            raise TypeError("outputs and y must hold labels of one kind, all numbers or all text.") from error
        coded = codes[len(y) :].reshape(outputs.shape)
        return MemberOutputs(task, coded, codes[: len(y)], weights, mask, len(classes))
    return MemberOutputs(task, _numbers("outputs", outputs), _numbers("y", y), weights, mask)


def check_member_count(size: Any, n_members: int, *, auto: bool = False, name: str = "size") -> Any:
    """Number of members that an argument stands for, a share being rounded up; None for "auto"."""
    if auto and isinstance(size, str) and size == "auto":
        return None
    if _is(size, Integral) and 1 <= size <= n_members:
        return int(size)
    if _is(size, Real) and not _is(size, Integral) and 0 < size <= 1:
        return max(1, ceil(size * n_members - _ROUNDING_SLACK))
    tail = ' or "auto"' if auto else ""
    raise ValueError(
        f"{name} must be an integer from 1 to the {n_members} members, a share above 0 and up to 1.0{tail}; "
        f"got {size!r}."
    )


def check_jobs(n_jobs: Any) -> None:
    """``n_jobs`` must be None or a whole number other than zero."""
    if n_jobs is not None and (not _is(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or a whole number other than 0; got {n_jobs!r}.")


def check_confidence(confidence: Any) -> None:
    """``confidence`` must be above one half and at most one."""
    if not _is(confidence, Real) or not 0.5 < confidence <= 1:
        raise ValueError(f"confidence must be a number in (0.5, 1]; got {confidence!r}.")


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
