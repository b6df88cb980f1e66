"""Rows of memory maps, read so that few of their pages are held at a time."""

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Bytes that are read at a time; set by hand.
_BYTES = 16 * 2**20


def held(X: Any) -> Any:
    """Rows of a memory map in single precision, read some at a time; any other X as it is.

    Parameters
    ----------
    X : object
        Rows.

    Returns
    -------
    rows : ndarray of float32 or object
    """
    if not isinstance(X, np.memmap) or X.ndim != 2 or X.dtype.kind not in "biuf":
        return X
    rows = np.empty(X.shape, dtype=np.float32)
    size = max(1, _BYTES // max(X.shape[1] * X.itemsize, 1))
    for first in range(0, len(X), size):
        with np.errstate(over="ignore"):
            rows[first : first + size] = X[first : first + size]
        _forget(X)
    return rows


def _forget(X: NDArray) -> None:
    """Let the system take back the pages of a memory map, whose contents are in its file."""
    pages = getattr(X, "_mmap", None)
    if pages is not None and getattr(X, "mode", None) in ("r", "r+") and hasattr(pages, "madvise"):
        pages.madvise(mmap.MADV_DONTNEED)
