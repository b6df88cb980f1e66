"""Blocks of Dask arrays and data frames, whose partitions stay where they are."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from .base import RowBlock, RowBlocks, added, joined, rows_of_block

# Results that one task of the reduction adds up; set by hand.
_FAN_IN = 8


def is_dask(X: Any) -> bool:
    """Whether ``X`` is a Dask array or data frame; Dask is not imported to find out."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


class DaskBlocks(RowBlocks):
    """Dask array or data frame: sums are computed where its partitions are and added up by a tree.

    The tree depends on the partitions alone, so that the number of workers changes nothing, and a partition
    whose worker is lost is computed again by Dask.

    Parameters
    ----------
    X : Dask array or data frame of shape (n_rows, n_features)
        Features; arrays have all features in one chunk.
    y : Dask array or series of shape (n_rows,), or str, optional
        Targets, in the partitions of X, or the name of their column in a data frame X.
    sample_weight : Dask array or series of shape (n_rows,), or str, optional
        How many times each row counts, likewise; ones by default.
    """

    def __init__(self, X: Any, y: Any = None, sample_weight: Any = None) -> None:
        import dask

        if not is_dask(X):
            raise ValueError("X must be a Dask array or data frame.")
        if getattr(X, "ndim", 2) != 2:
            raise ValueError(f"X must be two-dimensional; got {X.ndim} dimensions.")
        columns = None if getattr(X, "columns", None) is None else [str(name) for name in X.columns]
        named = [values for values in (y, sample_weight) if isinstance(values, str)]
        unknown = [name for name in named if name not in (columns or [])]
        if unknown:
            raise ValueError(f"X has no column {unknown[0]!r}.")
        self.feature_names = None if columns is None else [name for name in columns if name not in named]
        self.n_features = int(X.shape[1]) if self.feature_names is None else len(self.feature_names)
        split = [values if isinstance(values, str) else None for values in (y, sample_weight)]
        y, sample_weight = (None if isinstance(values, str) else values for values in (y, sample_weight))
        parts = [_partitions(X, "X")]
        for name, values in (("y", y), ("sample_weight", sample_weight)):
            if values is not None and not is_dask(values):
                raise ValueError(f"{name} must be a Dask collection with the partitions of X.")
            parts.append([None] * len(parts[0]) if values is None else _partitions(values, name))
            if len(parts[-1]) != len(parts[0]):
                raise ValueError(
                    f"{name} has {len(parts[-1])} partitions, X has {len(parts[0])}; repartition it."
                )
        self._parts = [
            dask.delayed(_PartitionReader(k, self.feature_names, *split))(*part)
            for k, part in enumerate(zip(*parts, strict=True))
        ]
        self._sizes = getattr(X, "chunks", ((np.nan,),))[0]

    @cached_property
    def counts(self) -> list[int]:
        """Rows of each partition; counted by a pass where Dask does not know them."""
        import dask

        if not np.isnan(self._sizes).any():
            return [int(size) for size in self._sizes]
        return [int(count) for count in dask.compute(*[dask.delayed(len)(part) for part in self._parts])]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(self.counts)

    def blocks(self) -> Iterator[RowBlock]:
        """Blocks of all partitions, one partition after the other in this process."""
        for part, start in zip(self._parts, self._starts(), strict=True):
            yield from _pieces(part.compute(), start)

    def _starts(self):
        return [int(start) for start in np.cumsum([0, *self.counts[:-1]])]

    def total(self, function: Callable[[RowBlock], Any], combine: Callable[[Any, Any], Any] = added) -> Any:
        """Sum of what ``function`` gives for the blocks of each partition, computed where they are.

        Parameters
        ----------
        function : callable
            From a block to numbers, arrays or tuples of them; it travels to the workers.
        combine : callable
            Sum of two such results; any associative operation.
        """
        import dask

        shared = _shared(function)
        with_rows = zip(self._parts, self._starts(), self.counts, strict=True)
        results = [
            dask.delayed(_partition_total)(part, start, shared, combine)
            for part, start, count in with_rows
            if count
        ]
        if not results:
            raise ValueError("X has no rows (found 0 samples); at least one is needed.")
        while len(results) > 1:
            groups = [results[first : first + _FAN_IN] for first in range(0, len(results), _FAN_IN)]
            results = [dask.delayed(_combined)(combine, *group) for group in groups]
        return results[0].compute()

    def part(self, share: float, seed: int) -> RowBlocks:
        """Random part of the rows, which stay on the workers; parts of one seed are nested."""
        return self if share >= 1 else self.mapped(_Below(share, seed))

    def gathered(self, share: float, seed: int) -> RowBlock:
        """Rows of a random part in one block in this process."""
        return joined(self.total(_Gathered(share, seed), _concatenated))


class _Below:
    """Rows of a block that belong to a random part."""

    def __init__(self, share, seed):
        self.share, self.seed = share, seed

    def __call__(self, block):
        return block.below(self.share, self.seed)


class _Gathered(_Below):
    """List of the rows of a block that belong to a random part."""

    def __call__(self, block):
        return [block.below(self.share, self.seed)]


def _concatenated(left, right):
    return left + right


def _shared(function):
    """Function as a task of its own: it is sent to each worker once."""
    import dask

    return dask.delayed(function, pure=False, traverse=False)


def _partitions(values, name):
    """Delayed partitions of a collection, by rows."""
    # Optimised frames may have partitions joined, each collection in its own way.
    is_frame = hasattr(values, "npartitions") and not hasattr(values, "chunks")
    blocks = values.to_delayed(optimize_graph=False) if is_frame else values.to_delayed()
    if isinstance(blocks, np.ndarray):
        if blocks.ndim == 2 and blocks.shape[1] > 1:
            raise ValueError(f"{name} has several chunks of features; use {name}.rechunk({{1: -1}}).")
        blocks = blocks.ravel()
    return list(blocks)


class _PartitionReader:
    """From the values of one partition to a block whose rows are numbered from zero."""

    def __init__(self, number, names, y, weights):
        self.number, self.names, self.y, self.weights = number, names, y, weights

    def __call__(self, X, y, weights):
        origin = f"partition {self.number} of X"
        if self.names is not None:
            missing = [name for name in self.names if name not in map(str, X.columns)]
            if missing:
                raise ValueError(f"{origin} has no column {missing[0]!r}.")
            y = y if self.y is None else X[self.y]
            weights = weights if self.weights is None else X[self.weights]
            others = [name for name in (self.y, self.weights) if name is not None]
            X = X.drop(columns=others)
        X = X.toarray() if sparse.issparse(X) else np.asarray(X)
        y = None if y is None else np.asarray(y)
        weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
        for name, values in (("y", y), ("sample_weight", weights)):
            if values is not None and len(values) != len(X):
                raise ValueError(f"{name} has {len(values)} rows in {origin}, X has {len(X)}.")
        return RowBlock(np.asarray(X, dtype=np.float64), y, weights, np.arange(len(X)), origin)


def _pieces(block, start):
    """Blocks of moderate size of one partition, with the numbers of the whole table."""
    size = rows_of_block(block.X.shape[1])
    for first in range(0, len(block), size):
        piece = block.part(slice(first, first + size))
        yield RowBlock(piece.X, piece.y, piece.weights, piece.index + start, block.origin, first)


def _partition_total(block, start, function, combine):
    result = None
    for piece in _pieces(block, start):
        value = function(piece)
        result = value if result is None else combine(result, value)
    return result


def _combined(combine, first, *others):
    for other in others:
        first = combine(first, other)
    return first
