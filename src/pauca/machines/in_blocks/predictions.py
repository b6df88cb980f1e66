"""Predictions for tables in blocks: Dask collections stay lazy, all others give arrays."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...basis.blocks import RowBlocks, is_dask, row_blocks
from .tables import is_streamed

Method = TypeVar("Method", bound=Callable)
# Rows of an array that are predicted together; bounds the memory.
_ROWS = 20_000


def by_blocks(method: Method) -> Method:
    """Let a method that predicts each row by itself take tables that come in blocks.

    Parameters
    ----------
    method : callable
        Method of a machine whose first argument is X and whose results have a row for each row of X.

    Returns
    -------
    method : callable
        Gives Dask arrays for Dask collections, else what the method gives.
    """

    @wraps(method)
    def predicting(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("exposure") is not None:
            if is_streamed(X):
                raise ValueError("exposure is for arrays of rows, not for tables in blocks.")
            return method(self, X, *args, **kwargs)
        if is_dask(X):
            return _lazily(self, method, X, args, kwargs)
        if is_streamed(X):
            return _streamed(self, method, _table(self, X), args, kwargs)
        pieces = isinstance(X, np.ndarray) and X.ndim == 2 and len(X) > _ROWS
        if not pieces or any(kwargs.get(name) for name in ("return_cov",)):
            return method(self, X, *args, **kwargs)
        return _joined([method(self, X[k : k + _ROWS], *args, **kwargs) for k in range(0, len(X), _ROWS)])

    return cast(Method, predicting)


def _table(machine, X):
    """Table of the features; of files only the columns that the machine was fitted to are read."""
    names = getattr(machine, "feature_names_in_", None)
    return X if isinstance(X, RowBlocks) else row_blocks(X, columns=None if names is None else list(names))


def _streamed(machine, method, source, args, kwargs):
    """Results of all blocks of a table, joined."""
    check_is_fitted(machine)
    _check_names(machine, source)
    with warnings.catch_warnings():
        # Names were compared above; blocks have none.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return _joined([method(machine, block.X, *args, **kwargs) for block in source.blocks()])


def _check_names(machine, source):
    known = getattr(machine, "feature_names_in_", None)
    if known is not None and source.feature_names is not None and list(known) != source.feature_names:
        missing = [name for name in known if name not in source.feature_names]
        what = f"no column {missing[0]!r}" if missing else "other columns, or in another order"
        raise ValueError(
            f"X has {what}; fit saw {', '.join(map(repr, known))}. Pass row_blocks(..., columns=)."
        )


def _joined(results):
    if isinstance(results[0], tuple):
        return tuple(np.concatenate(part) for part in zip(*results, strict=True))
    return np.concatenate(results)


def _lazily(machine, method, X, args, kwargs):
    """Dask arrays of the results of each partition."""
    import dask

    check_is_fitted(machine)
    like = getattr(X, "_meta_nonempty", None)
    probe = like if like is not None else np.zeros((1, X.shape[1]))
    example = method(machine, probe.iloc[:1] if hasattr(probe, "iloc") else probe, *args, **kwargs)
    sizes = X.chunks[0] if hasattr(X, "chunks") else [np.nan] * X.npartitions
    parts = [part for part in np.ravel(X.to_delayed())]
    shared = dask.delayed(machine, traverse=False)
    results = [dask.delayed(method)(shared, part, *args, **kwargs) for part in parts]
    if not isinstance(example, tuple):
        return _array(results, sizes, example)
    return tuple(_array([r[k] for r in results], sizes, each) for k, each in enumerate(example))


def _array(results, sizes, example):
    import dask.array as da

    pieces = zip(results, sizes, strict=True)
    return da.concatenate(
        [da.from_delayed(result, (size, *example.shape[1:]), example.dtype) for result, size in pieces]
    )
