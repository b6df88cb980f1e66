"""Blocks of arrays, memory maps and sparse matrices."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from ...validation import as_array, as_numbers, check_number
from .base import RowBlock, RowBlocks, rows_of_block


class ArrayBlocks(RowBlocks):
    """Array, memory map or sparse matrix, read in blocks of dense double precision.

    Parameters
    ----------
    X : array, memory map or sparse matrix of shape (n_rows, n_features)
        Features.
    y : array of shape (n_rows,), optional
        Targets.
    sample_weight : array of shape (n_rows,), optional
        How many times each row counts; ones by default.
    block_rows : int, optional
        Rows of a block; by default so many that a block takes 16 MB.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.basis import ArrayBlocks
    >>> table = ArrayBlocks(np.ones((10, 3)), block_rows=4)
    >>> [len(block) for block in table.blocks()]
    [4, 4, 2]
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        block_rows: int | None = None,
    ) -> None:
        X = X if hasattr(X, "shape") else as_array("X", X)
        if len(X.shape) != 2:
            raise ValueError(f"X must be two-dimensional; got {len(X.shape)} dimensions.")
        check_number("block_rows", block_rows, 1, kind=int, optional=True)
        self.X = X.tocsr() if sparse.issparse(X) else X
        self.y = None if y is None else as_array("y", y)
        self.weights = None if sample_weight is None else as_numbers("sample_weight", sample_weight)
        for name, values in (("y", self.y), ("sample_weight", self.weights)):
            if values is not None and values.shape != (X.shape[0],):
                raise ValueError(f"{name} must have one entry for each of the {X.shape[0]} rows of X.")
        self.n_features = X.shape[1]
        self.block_rows = block_rows or rows_of_block(self.n_features)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    def blocks(self) -> Iterator[RowBlock]:
        """Blocks of all rows."""
        for first in range(0, self.n_rows, self.block_rows):
            yield self._block(slice(first, min(first + self.block_rows, self.n_rows)))

    def _block(self, rows: slice) -> RowBlock:
        X, size = self.X[rows], rows.stop - rows.start
        X = X.toarray() if sparse.issparse(X) else np.asarray(X)
        return RowBlock(
            np.ascontiguousarray(X, dtype=np.float64),
            None if self.y is None else self.y[rows],
            np.ones(size) if self.weights is None else self.weights[rows],
            np.arange(rows.start, rows.stop),
            first=rows.start,
        )
