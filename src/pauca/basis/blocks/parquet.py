"""Blocks of Parquet files, read batch by batch with pyarrow."""

from collections.abc import Iterable, Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...validation import check_number
from .base import RowBlock, RowBlocks, rows_of_block

_SUFFIXES = (".parquet", ".pq")


class ParquetBlocks(RowBlocks):
    """Table in one or more Parquet files, of which one batch of rows is in memory at a time.

    Parameters
    ----------
    paths : str, Path or sequence of them
        Files, folders of files, or patterns such as "data/*.parquet". Files are read in the order of their
        names, whatever the order given.
    target : str, optional
        Column of the targets; none where only predictions are asked for.
    columns : sequence of str, optional
        Columns of the features; by default all but target and weight.
    weight : str, optional
        Column that says how many times each row counts.
    block_rows : int, optional
        Rows of a block; by default so many that a block takes 16 MB.
    """

    def __init__(
        self,
        paths: str | Path | Sequence[str | Path],
        target: str | None = None,
        *,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        block_rows: int | None = None,
    ) -> None:
        check_number("block_rows", block_rows, 1, kind=int, optional=True)
        self.files = _files([paths] if isinstance(paths, str | Path) else list(paths))
        self.target, self.weight = target, weight
        schemas = [_metadata(file) for file in self.files]
        self.counts = [count for _, count in schemas]
        known = schemas[0][0]
        others = [name for name in (target, weight) if name is not None]
        self.feature_names = list(columns) if columns is not None else [n for n in known if n not in others]
        wanted = [*self.feature_names, *others]
        for file, (kinds, _) in zip(self.files, schemas, strict=True):
            _check_columns(file, kinds, wanted, self.files[0], known)
        for name in [*self.feature_names, *([weight] if weight else [])]:
            if not _is_number(known[name]):
                raise ValueError(
                    f"column {name!r} of {self.files[0]} has the type {known[name]}, which is no number; "
                    "encode it or leave it out by columns=[...]."
                )
        if not self.feature_names:
            raise ValueError(f"{self.files[0]} has no column of features besides {', '.join(others)}.")
        self.n_features = len(self.feature_names)
        self.block_rows = block_rows or rows_of_block(self.n_features)
        if sum(self.counts) == 0:
            raise ValueError(f"{_listed(self.files)} has no rows (found 0 samples).")

    @staticmethod
    def count(path: str | Path) -> int:
        """Number of rows of one file, which its footer tells."""
        return _metadata(Path(path))[1]

    @staticmethod
    def kinds(paths: str | Path | Sequence[str | Path]) -> dict[str, bool]:
        """Columns of the first file, and whether they are numbers."""
        files = _files([paths] if isinstance(paths, str | Path) else list(paths))
        return {name: _is_number(kind) for name, kind in _metadata(files[0])[0].items()}

    @property
    def n_rows(self) -> int:
        """Number of rows in all files."""
        return sum(self.counts)

    def blocks(self) -> Iterator[RowBlock]:
        """Blocks of all files, one after the other."""
        start = 0
        for file, count in zip(self.files, self.counts, strict=True):
            first = 0
            for batch in _batches(file, self._names(), self.block_rows):
                yield self._block(batch, file, first, start + first)
                first += batch.num_rows
            if first != count:
                raise ValueError(f"{file} has {first} rows, not the {count} that it said it has.")
            start += count

    def _names(self) -> list[str]:
        others = [name for name in (self.target, self.weight) if name is not None]
        return [*(self.feature_names or []), *others]

    def _block(self, batch: Any, file: Path, first: int, start: int) -> RowBlock:
        n_rows = batch.num_rows
        X = np.empty((n_rows, self.n_features))
        for j, name in enumerate(self.feature_names or []):
            X[:, j] = _numbers(batch.column(name))
        weights = np.ones(n_rows) if self.weight is None else _numbers(batch.column(self.weight))
        y = None if self.target is None else _targets(batch.column(self.target), file, first)
        return RowBlock(X, y, weights, np.arange(start, start + n_rows), str(file), first)


def _files(paths: Iterable[str | Path]) -> list[Path]:
    """Files behind paths, folders and patterns, sorted by name."""
    found: set[Path] = set()
    for path in paths:
        here = Path(path)
        if here.is_dir():
            files = [file for file in here.iterdir() if file.suffix.lower() in _SUFFIXES]
        elif has_magic(str(path)):
            files = [Path(name) for name in glob(str(path))]
        else:
            files = [here]
        if not files:
            raise ValueError(f"{path} names no Parquet file.")
        missing = [file for file in files if not file.exists()]
        if missing:
            raise ValueError(f"X names the file {missing[0]}, which does not exist.")
        found.update(files)
    return sorted(found)


def _metadata(file: Path) -> tuple[dict[str, Any], int]:
    """Types of the columns of a file, and its number of rows."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(file) as opened:
            schema = opened.schema_arrow
            return dict(zip(schema.names, schema.types, strict=True)), opened.metadata.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{file} cannot be read as Parquet; it may be truncated: {error}") from error


def _batches(file: Path, names: list[str], block_rows: int) -> Iterator[Any]:
    """Batches of rows of a file; errors of the reader name it."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(file) as opened:
            yield from opened.iter_batches(block_rows, columns=names, use_threads=False)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{file} cannot be read to its end; it may be truncated: {error}") from error


def _check_columns(
    file: Path, kinds: dict[str, Any], wanted: list[str], first: Path, known: dict[str, Any]
) -> None:
    missing = [name for name in wanted if name not in kinds]
    if missing:
        raise ValueError(f"{file} has no column {missing[0]!r}; it has {', '.join(map(repr, kinds))}.")
    for name in wanted:
        if _is_number(kinds[name]) != _is_number(known[name]):
            raise ValueError(
                f"column {name!r} has the type {kinds[name]} in {file} and {known[name]} in {first}; "
                "all files must have the same schema."
            )


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    checks = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    return any(check(kind) for check in checks)


def _numbers(column: Any) -> NDArray:
    """Column of numbers in double precision, NaN where a value is missing."""
    import pyarrow

    return column.cast(pyarrow.float64()).to_numpy(zero_copy_only=False)


def _targets(column: Any, file: Path, first: int) -> NDArray:
    """Targets as numbers or texts; a ValueError where one is missing."""
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise ValueError(f"y is missing in row {first + row} of {file}.")
    values = column.to_numpy(zero_copy_only=False)
    return values.astype(str) if values.dtype == object else values


def _listed(files: list[Path]) -> str:
    return str(files[0]) if len(files) == 1 else f"{files[0]} and {len(files) - 1} more files"
