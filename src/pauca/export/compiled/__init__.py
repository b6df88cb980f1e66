"""Compiled predictors: a portable form evaluated row by row in machine code, or in batches by products."""

from .predictor import Predictor

__all__ = ["Predictor"]
