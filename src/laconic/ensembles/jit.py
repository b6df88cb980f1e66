"""Compiled functions, made on first use and kept on disk."""

from importlib import import_module


def compiled(function):
    """``function`` compiled by numba without the interpreter lock, kept on disk where there is a place for it."""
    njit = import_module("numba").njit
    try:
        return njit(nogil=True, error_model="numpy", cache=True)(function)
    except RuntimeError:  # no writable folder for the cache
        return njit(nogil=True, error_model="numpy")(function)
