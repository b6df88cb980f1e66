"""Kernels as programs: elementary kernels and the sums and products that join them, in postfix order."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..basis import (
    RBF,
    Additive,
    Cosine,
    FunctionKernel,
    Kernel,
    Laplacian,
    Linear,
    Matern32,
    Matern52,
    Polynomial,
    Product,
    RationalQuadratic,
    Scaled,
    Sum,
)
from .errors import CannotExport

# Codes of the operations; the last two join the two results before them.
CODES = {
    "rbf": 0,
    "matern32": 1,
    "matern52": 2,
    "rational_quadratic": 3,
    "laplacian": 4,
    "linear": 5,
    "poly": 6,
    "cosine": 7,
    "sum": 8,
    "product": 9,
    "additive": 10,
}
# Kernels of the squared distance, of the sum of absolute differences, and of the inner product.
SQUARED = frozenset({"rbf", "matern32", "matern52", "rational_quadratic"})
STATIONARY = SQUARED | {"laplacian"}
JOINS = ("sum", "product")


@dataclass(frozen=True)
class Operation:
    """An elementary kernel with up to three parameters, or a join.

    Parameters
    ----------
    name : str
        Key of `CODES`.
    parameters : tuple of float
        Parameters of the kernel.
    amplitude : float
        Factor of its values.
    scales : ndarray of shape (n_features,) or None
        Factors of the features in this kernel alone; None: all are one.
    additive : Additive or None
        Kernel of main effects and pairs, for the operation "additive".
    """

    name: str
    parameters: tuple[float, ...] = ()
    amplitude: float = 1.0
    scales: NDArray | None = None
    additive: Any = None

    @property
    def code(self) -> int:
        """Number of the operation."""
        return CODES[self.name]


_PARAMETERS = {
    RBF: ("gamma",),
    Matern32: ("gamma",),
    Matern52: ("gamma",),
    RationalQuadratic: ("gamma", "alpha"),
    Laplacian: ("gamma",),
    Linear: ("constant",),
    Polynomial: ("gamma", "coef0", "degree"),
    Cosine: (),
}


def program_of(
    kernel: Kernel | None, amplitude: float = 1.0, scales: NDArray | None = None
) -> tuple[Operation, ...]:
    """Operations that give the values of a kernel, times an amplitude; none for no kernel.

    Raises
    ------
    CannotExport
        For a function of the user's, and for kernels that are not pauca's own.
    """
    if kernel is None:
        return ()
    if isinstance(kernel, Scaled):
        factors = np.asarray(kernel.scales)[kernel.groups]
        factors = factors if scales is None else factors * scales
        return program_of(kernel.kernel, amplitude * kernel.amplitude, factors)
    if isinstance(kernel, Sum):
        left, right = (program_of(part, amplitude, scales) for part in (kernel.left, kernel.right))
        return (*left, *right, Operation("sum"))
    if isinstance(kernel, Product):
        parts = program_of(kernel.left, amplitude, scales), program_of(kernel.right, 1.0, scales)
        return (*parts[0], *parts[1], Operation("product"))
    if isinstance(kernel, Additive) and scales is None:
        return (Operation("additive", (), amplitude, None, kernel),)
    names = _PARAMETERS.get(type(kernel))
    if names is None:
        raise CannotExport(_cannot(kernel))
    parameters = tuple(float(getattr(kernel, name)) for name in names)
    return (Operation(kernel.name, parameters, amplitude, scales),)


def _cannot(kernel):
    own = ", ".join(repr(name) for name in CODES if name not in (*JOINS, "additive"))
    if isinstance(kernel, FunctionKernel):
        what = "A kernel that is a function"
    else:
        what = f"The kernel {type(kernel).__name__}"
    return f"{what} cannot be exported: fit with one of {own}, or with sums and products of these kernels."


def depth(program: tuple[Operation, ...]) -> int:
    """Largest number of results that wait to be joined."""
    waiting = most = 0
    for operation in program:
        waiting += -1 if operation.name in JOINS else 1
        most = max(most, waiting)
    return most
