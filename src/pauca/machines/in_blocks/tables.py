"""Which tables are read in blocks."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ...basis.blocks import RowBlocks, is_dask

# Rows of an array in memory from which it is read in blocks: from there on a fit is faster and takes far less
# memory, at the same log-loss. Set by hand.
FROM_ROWS = 20_000


def is_streamed(X: Any) -> bool:
    """Whether ``X`` is no array in memory: blocks, a Dask collection, or paths of files."""
    if isinstance(X, RowBlocks | str | Path) or is_dask(X):
        return True
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(path, str | Path) for path in X)


def comes_in_blocks(X: Any) -> bool:
    """Whether a machine reads ``X`` in blocks: what is no array in memory, and arrays of many rows."""
    if is_streamed(X) or isinstance(X, np.memmap):
        return True
    is_array = isinstance(X, np.ndarray) or sparse.issparse(X)
    return bool(is_array and X.ndim == 2 and X.shape[0] >= FROM_ROWS and X.dtype.kind in "biuf")
