"""The one decorator of the library for compiled functions.

Importing a module that uses it loads numba, so such modules are imported where their functions are called.
Nothing is compiled before the first call, and the machine code is kept on disk for the next process.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["compiled"]


def compiled(function: Callable | None = None, *, cache: bool = True, **options: Any) -> Callable:
    """Compile ``function`` with numba on its first call.

    Parameters
    ----------
    function : callable, optional
        The function to compile; leave it out to give options, as in ``@compiled(inline="always")``.
    cache : bool, default=True
        Whether the machine code is kept on disk. Without a writable folder it is not, silently.
    **options
        Further options of ``numba.njit``, such as ``fastmath``.

    Returns
    -------
    compiled : callable
        The compiled function: it releases the interpreter lock, and division by zero gives inf or nan as in
        numpy. Without ``function``, a decorator.
    """
    if function is None:
        return lambda function: compiled(function, cache=cache, **options)
    njit = import_module("numba").njit
    try:
        return njit(nogil=True, error_model="numpy", cache=cache, **options)(function)
    except RuntimeError:  # no writable folder for the cache
        return njit(nogil=True, error_model="numpy", **options)(function)
