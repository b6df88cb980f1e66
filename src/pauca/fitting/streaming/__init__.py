"""Processes fitted to rows in blocks: every step of inference is a sum over rows."""

from .fit import LEAST_RISE, BlockLimits, as_training_rows, fit_blocks, sample_of

__all__ = ["LEAST_RISE", "BlockLimits", "as_training_rows", "fit_blocks", "sample_of"]
