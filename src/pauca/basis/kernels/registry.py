"""Kernels by name, and the kernel that a user's argument stands for."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from inspect import isabstract
from types import MappingProxyType
from typing import Any, TypeVar

from ...validation import check_option
from .base import Kernel
from .dot_product import Cosine, Linear, Polynomial
from .given import FunctionKernel, Precomputed
from .stationary import RBF, Laplacian, Matern32, Matern52, RationalQuadratic

_registered: dict[str, type[Kernel]] = {}
# Classes of the kernels that have a name, in the order of the documentation.
KERNELS: Mapping[str, type[Kernel]] = MappingProxyType(_registered)

KernelClass = TypeVar("KernelClass", bound=type[Kernel])


def register_kernel(cls: KernelClass) -> KernelClass:
    """Make a kernel class known under its ``name`` to all machines; also a decorator.

    Parameters
    ----------
    cls : subclass of Kernel
        A frozen dataclass whose fields have defaults, with values and derivatives, and a name of its own.

    Returns
    -------
    type
        The class.

    Raises
    ------
    TypeError
        If the class lacks a method, is no dataclass or has no field ``gamma`` though ``has_gamma`` is true.
    ValueError
        If it has no name or the name is taken.
    """
    if not (isinstance(cls, type) and issubclass(cls, Kernel)):
        raise TypeError(f"A kernel must be a subclass of Kernel; got {cls!r}.")
    if isabstract(cls):
        missing = ", ".join(sorted(cls.__abstractmethods__))
        raise TypeError(f"{cls.__name__} cannot be registered: it lacks {missing}.")
    if "__dataclass_fields__" not in vars(cls):
        raise TypeError(f"{cls.__name__} cannot be registered: make it a frozen dataclass.")
    if cls.has_gamma and "gamma" not in _field_names(cls):
        raise TypeError(f"{cls.__name__} cannot be registered: it lacks the field gamma.")
    if not cls.name or cls.name in _registered:
        raise ValueError(f"{cls.__name__} needs a name that is not taken; got {cls.name!r}.")
    _registered[cls.name] = cls
    return cls


def unregister_kernel(name: str) -> None:
    """Remove a kernel from those that have a name.

    Parameters
    ----------
    name : str
        Name of a registered kernel.
    """
    check_option("name", name, KERNELS)
    del _registered[name]


def _field_names(cls: type[Kernel]) -> set[str]:
    return {field.name for field in fields(cls)}  # type: ignore[arg-type]


def as_kernel(
    kernel: str | Kernel | Callable, *, gamma: float = 1.0, degree: float = 3, coef0: float = 1.0
) -> Kernel:
    """Kernel that the argument ``kernel`` of a machine stands for.

    Parameters
    ----------
    kernel : str, Kernel or callable
        A registered name, a kernel (returned as it is), or a function of two matrices.
    gamma : float, default=1.0
        Inverse width of a kernel given by name, where it has one.
    degree : float, default=3
        Degree of a kernel given by name, where it has one.
    coef0 : float, default=1.0
        Constant of a kernel given by name, where it has a field ``coef0``.

    Returns
    -------
    Kernel

    Raises
    ------
    ValueError
        If the name is not known.
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        raise ValueError(f"kernel must be an instance: write {kernel.__name__}(); got the class.")
    if callable(kernel):
        return FunctionKernel(kernel)
    check_option("kernel", kernel, KERNELS)
    cls = KERNELS[kernel]
    given: dict[str, Any] = {"gamma": gamma, "degree": degree, "coef0": coef0}
    return cls(**{name: given[name] for name in given.keys() & _field_names(cls)})


def is_precomputed(kernel: Any) -> bool:
    """Whether a machine's argument ``kernel`` says that X holds kernel values.

    Parameters
    ----------
    kernel : str, Kernel or callable
        Argument of a machine.

    Returns
    -------
    bool
    """
    return kernel.is_precomputed if isinstance(kernel, Kernel) else _is_name(kernel, Precomputed.name)


def takes_sparse(kernel: Any) -> bool:
    """Whether a machine's argument ``kernel`` allows sparse rows.

    Parameters
    ----------
    kernel : str, Kernel or callable
        Argument of a machine.

    Returns
    -------
    bool
    """
    kernel = KERNELS[kernel]() if isinstance(kernel, str) and kernel in KERNELS else kernel
    return kernel.takes_sparse if isinstance(kernel, Kernel) else not callable(kernel)


def _is_name(kernel: Any, name: str) -> bool:
    return isinstance(kernel, str) and kernel == name


for _cls in (
    *(RBF, Laplacian, Matern32, Matern52, RationalQuadratic),
    *(Polynomial, Linear, Cosine, Precomputed),
):
    register_kernel(_cls)
