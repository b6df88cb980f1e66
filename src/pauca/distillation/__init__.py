"""Distillation: any model becomes a small sparse Gaussian process that agrees with it."""

from .report import Distillation
from .teaching import distil

__all__ = ["Distillation", "distil"]
