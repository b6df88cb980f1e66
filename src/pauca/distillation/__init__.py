"""Distillation: any model becomes a small sparse Gaussian process that agrees with it."""

from .distil import distil
from .report import Distillation

__all__ = ["Distillation", "distil"]
