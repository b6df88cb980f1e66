"""Tables as blocks of rows: arrays, memory maps, sparse matrices, Parquet files and Dask collections.

Everything that streamed inference asks of a table is a sum over its rows, and a few rows drawn at random.
"""

from .arrays import ArrayBlocks
from .base import HeldBlocks, MappedBlocks, RowBlock, RowBlocks, joined
from .dask_collections import DaskBlocks, is_dask
from .parquet import ParquetBlocks
from .sources import row_blocks
from .survey import Moments, Standardised, Survey, surveyed

__all__ = [
    "ArrayBlocks",
    "DaskBlocks",
    "HeldBlocks",
    "MappedBlocks",
    "Moments",
    "ParquetBlocks",
    "RowBlock",
    "RowBlocks",
    "Standardised",
    "Survey",
    "is_dask",
    "joined",
    "row_blocks",
    "surveyed",
]
