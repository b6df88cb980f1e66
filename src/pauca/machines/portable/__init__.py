"""Portable forms of the machines: one function for each kind of stored posterior."""

from .expansions import portable_expansions, with_linear_model
from .linear import portable_linear
from .processes import portable_processes

__all__ = ["portable_expansions", "portable_linear", "portable_processes", "with_linear_model"]
