"""Compiled functions, made on first use and kept on disk."""

from importlib import import_module


def compiled(function):
    """``function`` compiled by numba without the interpreter lock, cached on disk where there is a place for it."""
    njit = import_module("numba").njit
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no writable folder for the cache
        return njit(nogil=True)(function)
