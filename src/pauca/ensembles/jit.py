"""Compiled functions, made on first use and kept on disk."""

from importlib import import_module


def compiled(function):
    """``function`` compiled by numba, free of the interpreter lock, and kept on disk if there is a place."""
    njit = import_module("numba").njit
    try:
        return njit(nogil=True, error_model="numpy", cache=True)(function)
    except RuntimeError:  # no writable folder for the cache
        return njit(nogil=True, error_model="numpy")(function)
