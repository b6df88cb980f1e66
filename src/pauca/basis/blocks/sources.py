"""One door to all tables that come in blocks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .arrays import ArrayBlocks
from .base import RowBlocks
from .dask_collections import DaskBlocks, is_dask
from .parquet import ParquetBlocks


def row_blocks(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    columns: Sequence[str] | None = None,
    block_rows: int | None = None,
) -> RowBlocks:
    """Table that is read block by block.

    Parameters
    ----------
    X : array, memory map, sparse matrix, Dask array or data frame, path or list of paths, or RowBlocks
        Features; paths name Parquet files, folders of them, or patterns.
    y : array-like, Dask collection or str, optional
        Targets; for Parquet files and Dask data frames the name of their column.
    sample_weight : array-like, Dask collection or str, optional
        How many times each row counts; for Parquet files and Dask data frames the name of a column.
    columns : sequence of str, optional
        Columns of Parquet files that are features; by default all others.
    block_rows : int, optional
        Rows of a block; by default so many that a block takes 16 MB. Dask collections keep their partitions.

    Returns
    -------
    table : RowBlocks
        Table for ``fit``, ``partial_fit`` and ``predict`` of the sparse Gaussian process machines.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.basis import row_blocks
    >>> row_blocks(np.ones((10, 3)), np.zeros(10)).n_rows
    10
    """
    if isinstance(X, RowBlocks):
        if y is not None or sample_weight is not None:
            raise ValueError("y and sample_weight belong to the blocks; pass them to row_blocks.")
        return X
    if is_dask(X):
        return DaskBlocks(X, y, sample_weight)
    if isinstance(X, str | Path) or (isinstance(X, list | tuple) and X and isinstance(X[0], str | Path)):
        for name, value in (("y", y), ("sample_weight", sample_weight)):
            if value is not None and not isinstance(value, str):
                raise ValueError(f"{name} must be the name of a column where X is a path; got {value!r}.")
        return ParquetBlocks(X, y, columns=columns, weight=sample_weight, block_rows=block_rows)
    return ArrayBlocks(X, y, sample_weight, block_rows=block_rows)
