"""Regression of several targets: one machine for each, whose predictions stand side by side."""

from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

Method = TypeVar("Method", bound=Callable)


class ManyTargets:
    """Regressor that is a list ``targets_`` of machines of its kind where y has several columns."""

    targets_: list
    warm_start: bool
    get_params: Callable

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.multi_output = True
        return tags

    def __getattr__(self, name: str) -> Any:
        if "targets_" in self.__dict__ and not name.startswith("__"):
            k = len(self.targets_)
            raise AttributeError(f"{name} belongs to one target; take it from one of the {k} in targets_.")
        return object.__getattribute__(self, name)  # raises what the property or the class says

    def _fit_targets(self, X: Any, Y: NDArray, **options: Any) -> Self:
        """Fit one machine to each column of Y; with ``warm_start`` from the last fit of the same number."""
        arguments, last = self.get_params(deep=False), self.__dict__.get("targets_", [])
        again = self.warm_start and len(last) == Y.shape[1]
        machines = [clone(self) for _ in Y.T]
        if again:
            machines = [copy(each).set_params(**arguments) for each in last]
        fitted = [machine.fit(X, y, **options) for machine, y in zip(machines, Y.T, strict=True)]
        self.__dict__ = {**arguments, "targets_": fitted, "n_features_in_": fitted[0].n_features_in_}
        if hasattr(fitted[0], "feature_names_in_"):
            self.feature_names_in_ = fitted[0].feature_names_in_
        return self


def by_target(axis: int = -1) -> Callable[[Method], Method]:
    """Let a method with one result for each row have one for each row and target.

    Parameters
    ----------
    axis : int, default=-1
        Axis of the targets in arrays of results.

    Returns
    -------
    decorator : callable
        Decorator of a method of `ManyTargets`. Results that are no arrays become a list.
    """

    def decorated(method: Method) -> Method:
        @wraps(method)
        def predicting(self: Any, *args: Any, **kwargs: Any) -> Any:
            if "targets_" not in self.__dict__:
                return method(self, *args, **kwargs)
            return _stacked([getattr(each, method.__name__)(*args, **kwargs) for each in self.targets_], axis)

        return cast(Method, predicting)

    return decorated


def _stacked(results, axis):
    if isinstance(results[0], tuple):
        return tuple(np.stack(part, axis=axis) for part in zip(*results, strict=True))
    return np.stack(results, axis=axis) if isinstance(results[0], np.ndarray) else results
