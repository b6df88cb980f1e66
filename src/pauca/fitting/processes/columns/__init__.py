"""Processes over the columns of a table: kernels of columns and pairs, and the effects that they have."""

from .effects import effect_moments
from .structure import additive_start, column_factors, column_shares, combined_start, n_parameters

__all__ = [
    "additive_start",
    "column_factors",
    "column_shares",
    "combined_start",
    "effect_moments",
    "n_parameters",
]
