"""Processes fitted to rows in blocks: every step of inference is a sum over rows."""

from .class_fit import fit_class_blocks
from .fit import LEAST_RISE, BlockLimits, as_training_rows, fit_blocks, sample_of

__all__ = ["LEAST_RISE", "BlockLimits", "as_training_rows", "fit_blocks", "fit_class_blocks", "sample_of"]
