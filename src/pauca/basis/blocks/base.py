"""Blocks of rows, and what may be asked of a table that comes in blocks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Entries of a block of features, 16 MB of doubles, and its most rows; set by hand.
_BLOCK_ENTRIES, _MAX_ROWS = 2_000_000, 65_536
# Factors of the finaliser of the generator SplitMix64 (Steele, Lea & Flood 2014).
_GOLDEN, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)
_LARGEST_KEY = 2.0**64
# Standard deviations by which more rows than needed are drawn, so that enough of them come; numerical guard.
_MARGIN = 8.0


def rows_of_block(n_features: int) -> int:
    """Rows of a block whose features take a moderate share of the memory."""
    return int(np.clip(_BLOCK_ENTRIES // max(n_features, 1), 256, _MAX_ROWS))


@dataclass(frozen=True)
class RowBlock:
    """Some rows of a table.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Features.
    y : ndarray of shape (n_rows,) or None
        Targets; None where only predictions are asked for.
    weights : ndarray of shape (n_rows,)
        How many times each row counts.
    index : ndarray of int of shape (n_rows,)
        Number of each row in the whole table.
    origin : str
        Name of the file or argument that the rows come from.
    first : int
        Number of the first row within its origin.
    """

    X: Any
    y: Any
    weights: NDArray
    index: NDArray
    origin: str = "X"
    first: int = 0

    def __len__(self) -> int:
        return len(self.weights)

    def keys(self, seed: int) -> NDArray:
        """Pseudo-random 64-bit number of each row, which depends on its number and the seed alone."""
        with np.errstate(over="ignore"):
            z = (self.index.astype(np.uint64) + np.uint64(seed) * _FIRST + np.uint64(1)) * _GOLDEN
            z = (z ^ (z >> np.uint64(30))) * _FIRST
            z = (z ^ (z >> np.uint64(27))) * _SECOND
            return z ^ (z >> np.uint64(31))

    def part(self, rows: Any) -> "RowBlock":
        """Block of some of the rows: a slice, a mask or their places."""
        y = None if self.y is None else self.y[rows]
        return replace(self, X=self.X[rows], y=y, weights=self.weights[rows], index=self.index[rows])

    def below(self, share: float, seed: int) -> "RowBlock":
        """Rows whose keys are below a ``share`` of all keys: a random part, nested in those of more rows."""
        return self if share >= 1 else self.part(self.keys(seed) < np.uint64(share * (_LARGEST_KEY - 2048)))

    def place(self, row: int) -> str:
        """Words that name a row, for messages: its number within its file or argument."""
        return f"row {self.first + row} of {self.origin}"


def joined(blocks: list[RowBlock]) -> RowBlock:
    """One block of the rows of several, in order of their numbers in the whole table."""
    order = np.argsort(np.concatenate([block.index for block in blocks]), kind="stable")
    y = None if blocks[0].y is None else np.concatenate([block.y for block in blocks])[order]
    parts = ("X", "weights", "index")
    X, weights, index = (np.concatenate([getattr(b, name) for b in blocks])[order] for name in parts)
    return RowBlock(X, y, weights, index, blocks[0].origin)


def added(left: Any, right: Any) -> Any:
    """Sum of two results of a pass: numbers, arrays, or tuples of them."""
    if isinstance(left, tuple):
        return tuple(added(a, b) for a, b in zip(left, right, strict=True))
    return left + right


class RowBlocks(ABC):
    """Table whose rows are read in blocks, as often as asked.

    Subclasses say how blocks are read. What is computed never depends on the size of the blocks, or on the
    order in which they come, beyond rounding.
    """

    n_features: int
    feature_names: list[str] | None = None

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @abstractmethod
    def blocks(self) -> Iterator[RowBlock]:
        """Blocks of all rows."""

    def total(self, function: Callable[[RowBlock], Any], combine: Callable[[Any, Any], Any] = added) -> Any:
        """Sum of what ``function`` gives for each block.

        Parameters
        ----------
        function : callable
            From a block to numbers, arrays or tuples of them.
        combine : callable
            Sum of two such results; any associative operation.

        Returns
        -------
        total : object
            Combined result of all blocks; a ValueError where there are none.
        """
        result, is_first = None, True
        for block in self.blocks():
            value = function(block)
            result, is_first = (value, False) if is_first else (combine(result, value), False)
        if is_first:
            raise ValueError("X has no rows (found 0 samples); at least one is needed.")
        return result

    def part(self, share: float, seed: int) -> "RowBlocks":
        """Random part of the rows, kept in memory; parts of one seed are nested."""
        return self if share >= 1 else HeldBlocks(self.gathered(share, seed))

    def gathered(self, share: float, seed: int) -> RowBlock:
        """Rows of a random part in one block in memory."""
        return joined([block.below(share, seed) for block in self.blocks()])

    def drawn(self, n_rows: int, seed: int) -> RowBlock:
        """Rows of the smallest keys, ``n_rows`` of them, in one block in memory."""
        share = min(1.0, (n_rows + _MARGIN * np.sqrt(n_rows) + _MARGIN) / max(self.n_rows, 1))
        block = self.gathered(share, seed)
        if len(block) <= n_rows:
            return block
        return block.part(np.sort(np.argsort(block.keys(seed), kind="stable")[:n_rows]))

    def mapped(self, transform: Callable[[RowBlock], RowBlock]) -> "RowBlocks":
        """Table whose blocks are transformed as they are read."""
        return MappedBlocks(self, transform)


class HeldBlocks(RowBlocks):
    """Rows of one block, which is in memory.

    Parameters
    ----------
    block : RowBlock
        Rows, with their numbers in the table that they were drawn from.
    """

    def __init__(self, block: RowBlock) -> None:
        self.block, self.n_features = block, int(block.X.shape[1])

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.block)

    def blocks(self) -> Iterator[RowBlock]:
        """Blocks of all rows."""
        size = rows_of_block(self.n_features)
        return (self.block.part(slice(first, first + size)) for first in range(0, self.n_rows, size))


class MappedBlocks(RowBlocks):
    """Table whose blocks are transformed as they are read.

    Parameters
    ----------
    source : RowBlocks
        Table.
    transform : callable
        From a block to a block of the same rows.
    """

    def __init__(self, source: RowBlocks, transform: Callable[[RowBlock], RowBlock]) -> None:
        self.source, self.transform = source, transform
        self.n_features, self.feature_names = source.n_features, source.feature_names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.source.n_rows

    def blocks(self) -> Iterator[RowBlock]:
        """Transformed blocks of all rows."""
        return (self.transform(block) for block in self.source.blocks())

    def total(self, function: Callable[[RowBlock], Any], combine: Callable[[Any, Any], Any] = added) -> Any:
        """Sum of what ``function`` gives for each transformed block, where the source keeps its rows.

        Parameters
        ----------
        function : callable
            From a block to numbers, arrays or tuples of them.
        combine : callable
            Sum of two such results; any associative operation.
        """
        return self.source.total(Composed(self.transform, function), combine)

    def part(self, share: float, seed: int) -> RowBlocks:
        """Random part of the rows, transformed; parts of one seed are nested."""
        part = self.source.part(share, seed)
        return self if part is self.source else part.mapped(self.transform)

    def gathered(self, share: float, seed: int) -> RowBlock:
        """Transformed rows of a random part in one block in memory."""
        return self.transform(self.source.gathered(share, seed))

    def drawn(self, n_rows: int, seed: int) -> RowBlock:
        """Transformed rows of the smallest keys in one block in memory."""
        return self.transform(self.source.drawn(n_rows, seed))


@dataclass(frozen=True)
class Composed:
    """Function of a block after a transformation of it; travels to other processes.

    Parameters
    ----------
    transform : callable
        From a block to a block.
    function : callable
        From a block to a result.
    """

    transform: Callable[[RowBlock], RowBlock]
    function: Callable[[RowBlock], Any]

    def __call__(self, block: RowBlock) -> Any:
        return self.function(self.transform(block))
