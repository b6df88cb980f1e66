"""Which tables are read in blocks."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from ...basis.blocks import RowBlocks, is_dask, row_blocks

# Rows of an array in memory from which it is read in blocks: from there on a fit is faster and takes far less
# memory, at the same log-loss. Set by hand.
FROM_ROWS = 20_000


def table_of(machine: Any, X: Any, y: Any, sample_weight: Any, reset: bool = True) -> RowBlocks:
    """Table of the rows, after the checks of names and numbers of features.

    Parameters
    ----------
    machine : estimator
        Machine that is fitted or updated.
    X, y, sample_weight : object
        Arguments of its method.
    reset : bool
        Whether names and number of the features are learned, else compared.
    """
    name, streamed = type(machine).__name__, is_streamed(X)
    if not streamed:
        validate_data(machine, X, reset=reset, skip_check_array=True)
        if y is None:
            raise ValueError(f"{name} requires y to be passed, but the target y is None.")
        y = np.asarray(y).ravel()
    source = row_blocks(X, y, sample_weight)
    if not source.n_features:
        raise ValueError("X must have at least one feature; it has 0 feature(s).")
    if streamed and reset:
        machine.n_features_in_ = source.n_features
        if hasattr(machine, "feature_names_in_"):
            del machine.feature_names_in_
        if source.feature_names is not None:
            machine.feature_names_in_ = np.array(source.feature_names, dtype=object)
    elif streamed and source.n_features != machine.n_features_in_:
        raise ValueError(
            f"X has {source.n_features} features, but {name} is expecting "
            f"{machine.n_features_in_} features as input."
        )
    return source


def is_streamed(X: Any) -> bool:
    """Whether ``X`` is no array in memory: blocks, a Dask collection, or paths of files."""
    if isinstance(X, RowBlocks | str | Path) or is_dask(X):
        return True
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(path, str | Path) for path in X)


def comes_in_blocks(X: Any, from_rows: int = FROM_ROWS) -> bool:
    """Whether a machine reads ``X`` in blocks: what is no array in memory, and arrays of many rows."""
    if is_streamed(X) or isinstance(X, np.memmap):
        return True
    is_array = isinstance(X, np.ndarray) or sparse.issparse(X)
    return bool(is_array and X.ndim == 2 and X.shape[0] >= from_rows and X.dtype.kind in "biuf")
