"""Expectations of a log likelihood and its derivatives under Gaussian latent values, fast for many rows."""

from .expansion import expected_expansion
from .quadrature import expansion_by_quadrature
from .table import ExpansionTable

__all__ = ["ExpansionTable", "expansion_by_quadrature", "expected_expansion"]
