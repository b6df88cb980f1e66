"""Machines on tables that come in blocks: fits, updates with new rows, predictions, progress."""

from .classification import BlockClassifier
from .fitting import FEW_VECTORS, BlockMachine
from .predictions import by_blocks
from .regression import BlockRegressor
from .relevance import BlockVectorClassifier
from .tables import comes_in_blocks, is_streamed

__all__ = [
    "FEW_VECTORS",
    "BlockClassifier",
    "BlockMachine",
    "BlockRegressor",
    "BlockVectorClassifier",
    "by_blocks",
    "comes_in_blocks",
    "is_streamed",
]
