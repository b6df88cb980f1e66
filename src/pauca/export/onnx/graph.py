"""A graph under construction: nodes and constants in double precision, by name."""

from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import cheb2poly, chebinterpolate
from scipy.special import erfcx

# Degree of the polynomial for log erfcx; its error is 2·10⁻¹¹.
_DEGREE = 16

DOUBLE, FLOAT, INT64, BOOL = 11, 1, 7, 9


class Graph:
    """Nodes that are added to a container of skl2onnx.

    Parameters
    ----------
    scope, container : objects of skl2onnx
        Source of unique names, and the graph.
    """

    def __init__(self, scope: Any, container: Any) -> None:
        self.scope, self.container = scope, container

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add a node with one output; its name."""
        output = output or self.scope.get_unique_variable_name(kind.lower())
        name = self.scope.get_unique_operator_name(kind)
        self.container.add_node(kind, list(inputs), [output], name=name, **attributes)
        return output

    def double(self, values: Any) -> str:
        """Add a constant of doubles."""
        array = np.asarray(values, dtype=np.float64)
        return self._constant(DOUBLE, array, [float(value) for value in array.ravel()])

    def integers(self, values: Any) -> str:
        """Add a constant of integers."""
        array = np.asarray(values, dtype=np.int64)
        return self._constant(INT64, array, [int(value) for value in array.ravel()])

    def texts(self, values: Any) -> str:
        """Add a constant of texts."""
        array = np.asarray(values)
        return self._constant(8, array, [str(value).encode("utf-8") for value in array.ravel()])

    def booleans(self, values: Any) -> str:
        """Add a constant of truth values."""
        array = np.asarray(values, dtype=bool)
        return self._constant(BOOL, array, [bool(value) for value in array.ravel()])

    def _constant(self, kind, array, content):
        name = self.scope.get_unique_variable_name("constant")
        self.container.add_initializer(name, kind, list(array.shape), content)
        return name

    def cast(self, x: str, kind: int, output: str | None = None) -> str:
        """Convert to another type of numbers."""
        return self.node("Cast", x, output=output, to=kind)

    def plus(self, x: str, value: Any) -> str:
        """Add a constant."""
        return self.node("Add", x, self.double(value))

    def times(self, x: str, value: Any) -> str:
        """Multiply by a constant."""
        return self.node("Mul", x, self.double(value))

    def total(self, x: str, axis: int, keep: bool = True) -> str:
        """Sum along an axis."""
        return self.node("ReduceSum", x, self.integers([axis]), keepdims=int(keep))

    def largest(self, x: str, axis: int) -> str:
        """Maximum along an axis, which stays."""
        return self.node("ReduceMax", x, self.integers([axis]), keepdims=1)

    def with_axis(self, x: str, axis: int) -> str:
        """Add an axis of length one."""
        return self.node("Unsqueeze", x, self.integers([axis]))

    def without_axis(self, x: str, axis: int) -> str:
        """Remove an axis of length one."""
        return self.node("Squeeze", x, self.integers([axis]))

    def columns(self, x: str, places: Any) -> str:
        """Select columns."""
        return self.node("Gather", x, self.integers(places), axis=1)

    def log_sum(self, x: str, axis: int) -> str:
        """Logarithm of the sum of exponentials along an axis, which stays."""
        top = self.largest(x, axis)
        return self.node("Add", top, self.node("Log", self.total(self._exp_less(x, top), axis)))

    def softmax(self, x: str) -> str:
        """Exponentials along the last axis of a matrix, normalised."""
        part = self._exp_less(x, self.largest(x, 1))
        return self.node("Div", part, self.total(part, 1))

    def _exp_less(self, x, top):
        return self.node("Exp", self.node("Sub", x, top))

    def log_lower(self, z: str) -> str:
        """log Ψ(−|z|) = log ½ erfcx(a) − a² with a = |z| / √2.

        log(erfcx(a) / t) with t = 2 / (2 + a) is nearly a polynomial in t.
        """
        a = self.times(self.node("Abs", z), np.sqrt(0.5))
        t = self.node("Div", self.double(2.0), self.plus(a, 2.0))
        s = self.plus(self.times(t, 2.0), -1.0)
        first, *others = _log_erfcx_polynomial()[::-1]
        value = self.double(first)
        for coefficient in others:
            value = self.plus(self.node("Mul", value, s), coefficient)
        tail = self.node("Sub", self.node("Log", t), self.node("Mul", a, a))
        return self.plus(self.node("Add", value, tail), -np.log(2))

    def probability(self, z: str) -> str:
        """Ψ(z)."""
        less = self.node("Exp", self.log_lower(z))
        return self.node("Where", self._is_negative(z), less, self._one_less(less))

    def log_probability(self, z: str) -> str:
        """log Ψ(z)."""
        lower = self.log_lower(z)
        upper = self.node("Log", self._one_less(self.node("Exp", lower)))
        return self.node("Where", self._is_negative(z), lower, upper)

    def _is_negative(self, z):
        return self.node("Less", z, self.double(0.0))

    def _one_less(self, x):
        return self.node("Sub", self.double(1.0), x)


@cache
def _log_erfcx_polynomial():
    """Coefficients, lowest degree first, of log(erfcx(2 / t − 2) / t) as a polynomial in s = 2 t − 1."""

    def values(s):
        t = 0.5 * (s + 1)
        return np.log(erfcx(2 / t - 2)) - np.log(t)

    coefficients = cheb2poly(chebinterpolate(values, _DEGREE))
    # Exact at t = 1, so that Ψ(0) = ½ and ties stay ties.
    coefficients[0] -= coefficients.sum()
    return tuple(coefficients)
