"""The one decorator of the library for compiled functions.

Importing a module that uses it loads numba, so such modules are imported where their functions are called.
Nothing is compiled before the first call, and the machine code is kept on disk for the next process.
"""

from collections.abc import Callable
from functools import cache as remembered
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
        Whether the machine code is kept on disk. Where that fails (no writable folder, a full disk, a damaged
        file) it is compiled anew, silently.
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
    dispatcher = import_module("numba").njit(nogil=True, error_model="numpy", **options)(function)
    if cache:
        _keep_on_disk(dispatcher, function)
    return dispatcher


def _keep_on_disk(dispatcher: Any, function: Callable) -> None:
    """Give the dispatcher a cache of machine code, where there is a folder for it."""
    try:
        # What ``njit(cache=True)`` does, but for the class of the cache.
        dispatcher._cache = _safe_cache()(function)
    except (RuntimeError, OSError):  # no writable folder
        return


@remembered
def _safe_cache() -> type:
    """Class of numba's cache for which a file that cannot be read or written is none."""
    FunctionCache: Any = import_module("numba.core.caching").FunctionCache

    class SafeCache(FunctionCache):
        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                return super().load_overload(sig, target_context)
            except Exception:  # whatever a damaged file may lead to
                self._emptied()
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except Exception:  # a full disk, or an index that is damaged still
                self._emptied()

        def _emptied(self) -> None:
            try:
                self.flush()
            except OSError:
                self.disable()

    return SafeCache
