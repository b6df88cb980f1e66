"""Fits that succeed or change nothing."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from .reporting import reporting

Method = TypeVar("Method", bound=Callable)


def atomic(method: Method) -> Method:
    """Let a method that learns change its estimator in one step at its end, or not at all.

    The method runs on a shallow copy of the estimator, whose attributes replace those of the estimator when
    it returns. If it raises or is interrupted, the estimator predicts as before; so it does in other threads
    while the method runs. The method must assign attributes and not change the values of old ones in place.
    What it tells while it works (`pauca.reporting`) is shown as the estimator's ``verbose`` asks.

    Parameters
    ----------
    method : callable
        Method such as ``fit`` or ``partial_fit``.

    Returns
    -------
    method : callable
        The method; what it returns is the estimator where it returned the copy.
    """

    @wraps(method)
    def replacing(self: Any, *args: Any, **kwargs: Any) -> Any:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        with reporting(copy):
            result = method(copy, *args, **kwargs)
        self.__dict__ = copy.__dict__
        return self if result is copy else result

    return cast(Method, replacing)
