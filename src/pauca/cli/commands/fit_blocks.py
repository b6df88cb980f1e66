"""``pauca fit`` for Parquet files larger than memory, in this process or on a Dask cluster."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from pauca.basis import DaskBlocks, ParquetBlocks, RowBlock, RowBlocks
from pauca.evaluation.runs.workers import Workers, cluster_client
from pauca.evaluation.trials import predict_distribution, score
from pauca.tables import NUMBER

from ..contenders import DEFAULT_MACHINE, make_machine
from ..errors import BadInput
from ..held_out import warnings_as_notes
from ..reports.progress import share_progress
from ..reports.terminal import print_json, print_lines, print_scores
from ..tables.files import check_model_destination
from ..tables.target import read_target
from .fit import DEFAULT_TEST_SIZE, FitOptions

# Rows of a Parquet file from which it is read in blocks; set by hand.
_FROM_ROWS = 200_000
# Rows from which the task is guessed, and most rows that scores are computed on; set by hand.
_N_GUESSED, _MOST_SCORED = 10_000, 100_000
# Seed of the rows that are held out, which differ from those that hyperparameters are learned from.
_HELD_OUT_SEED = 20_000


def reads_in_blocks(tables: Sequence[Path], dask: str | None) -> bool:
    """Whether tables are read in blocks: several, a folder, a pattern, a large file, or on a cluster."""
    if dask is not None or len(tables) > 1:
        return True
    (table,) = tables
    if table.is_dir() or has_magic(str(table)):
        return True
    if table.suffix.lower() not in (".parquet", ".pq") or not table.is_file():
        return False
    try:
        return ParquetBlocks.count(table) >= _FROM_ROWS
    except ValueError:  # a damaged file, which reading as a whole names
        return False


def fit_files(
    tables: Sequence[Path], options: FitOptions, dask: str | None = None, as_json: bool = False
) -> None:
    """Score the default machine on held-out rows of Parquet files, then refit on all rows and save."""
    output = options.output
    check_model_destination(output)
    _refuse_options(options)
    try:
        names, notes = _columns(tables, options)
        files = ParquetBlocks(tables, options.target, columns=names)
        task, guessed = _task(files, options)
    except ValueError as error:
        raise BadInput(str(error)) from error
    name, title, machine = make_machine(options.machine, task, options.seed)
    run = _Run(files, task, title, machine, [*notes, *guessed])
    test_size = DEFAULT_TEST_SIZE if options.test_size is None else options.test_size
    with _source(files, dask) as source:
        rows = [run.scored(source, test_size)]
        saved = run.saved(source, name, options.target, output) if output is not None else None
    protocol = f"trained on {rows[0]['rows']} rows, scored on {rows[0]['test_rows']} held-out rows"
    place = ", ".join(map(str, tables))
    if as_json:
        document = {"table": place, "target": options.target, "task": task, "rows": files.n_rows}
        columns = dict.fromkeys(names, NUMBER)
        more = {"protocol": protocol, "machines": rows, "notes": run.notes, "model": saved}
        print_json({**document, "columns": columns, **more})
    else:
        print_scores(f"{place}: {options.target}, {protocol}", rows, task)
        print_lines(run.notes, style="dim")
        print_lines([saved["statement"]] if saved else [])


def _refuse_options(options: FitOptions) -> None:
    if options.machine not in (None, DEFAULT_MACHINE):
        raise BadInput(f"files in blocks are learned by {DEFAULT_MACHINE} only; leave --machine out.")
    if options.cv is not None or options.groups is not None:
        raise BadInput("files in blocks are scored on held-out rows: leave --cv and --groups out.")


def _columns(tables: Sequence[Path], options: FitOptions) -> tuple[list[str], list[str]]:
    """Columns of numbers, and a note on those that are left out."""
    kinds = ParquetBlocks.kinds(tables)
    unknown = [name for name in (options.target, *options.drop) if name not in kinds]
    if unknown:
        raise BadInput(f"no column is called {unknown[0]!r}; there are {', '.join(map(repr, kinds))}.")
    names = [name for name in kinds if name not in (options.target, *options.drop)]
    text = [name for name in names if not kinds[name]]
    if len(text) == len(names):
        raise BadInput("no column of numbers is left to learn from.")
    notes = [f"columns left out, for they are no numbers: {', '.join(map(repr, text))}"] if text else []
    return [name for name in names if kinds[name]], notes


def _task(files: ParquetBlocks, options: FitOptions) -> tuple[str, list[str]]:
    """Task that some rows of the target suggest, and a note on it."""
    first = next(iter(files.blocks()))
    task, _, notes = read_target(pd.Series(first.y[:_N_GUESSED], name=options.target), options.task)
    return task, notes


@contextmanager
def _source(files: ParquetBlocks, dask: str | None) -> Iterator[RowBlocks]:
    """Table as read by this process, or by the workers of a cluster."""
    if dask is None:
        yield files
        return
    import dask.dataframe as dd

    with cluster_client(Workers(n_jobs=-1, dask=dask)):
        frame = dd.read_parquet([str(file) for file in files.files], split_row_groups="adaptive")
        yield DaskBlocks(frame[[*(files.feature_names or []), files.target]], files.target)


@dataclass(frozen=True)
class _WithoutHeldOut:
    """Function from a block to one in which the rows that are held out count nothing."""

    share: float

    def __call__(self, block: RowBlock) -> RowBlock:
        held = np.isin(block.index, block.below(self.share, _HELD_OUT_SEED).index, assume_unique=True)
        weights = np.where(held, 0.0, block.weights)
        return RowBlock(block.X, block.y, weights, block.index, block.origin, block.first)


@dataclass(frozen=True)
class _Run:
    """Files, task and machine of one call of the command, and the notes so far."""

    files: ParquetBlocks
    task: str
    title: str
    machine: Any
    notes: list[str]

    def fitted(self, source: RowBlocks, label: str) -> Any:
        """Machine fitted to a table, with a bar that shows how far it is."""
        from sklearn.base import clone

        machine = clone(self.machine)
        with warnings_as_notes(self.title, self.notes), share_progress(label) as watch:
            try:
                return machine.set_params(callback=watch).fit(source).set_params(callback=None)
            except ValueError as error:
                raise BadInput(str(error)) from error

    def scored(self, source: RowBlocks, test_size: float) -> dict[str, Any]:
        """Scores on rows that are held out."""
        n_rows = source.n_rows
        share = min(test_size, _MOST_SCORED / n_rows)
        test = source.gathered(share, _HELD_OUT_SEED)
        if not 0 < len(test) < n_rows:
            raise BadInput(f"cannot hold out {test_size:.0%} of {n_rows} rows.")
        start = perf_counter()
        machine = self.fitted(
            source.mapped(_WithoutHeldOut(share)), f"{self.title} on {n_rows - len(test)} rows"
        )
        middle = perf_counter()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            predicted = predict_distribution(machine, test.X, self.task)
        return {
            "machine": self.title,
            **score(self.task, test.y, predicted, getattr(machine, "classes_", None)),
            "vectors": len(machine.relevance_),
            "log_evidence": machine.log_evidence_,
            "fit_seconds": middle - start,
            "predict_seconds": perf_counter() - middle,
            "rows": n_rows - len(test),
            "test_rows": len(test),
        }

    def saved(self, source: RowBlocks, name: str, target: str, output: Path) -> dict[str, Any]:
        """Description of the machine that is fitted to all rows and saved."""
        from pauca.persistence import save

        n_rows = source.n_rows
        machine = self.fitted(source, f"{self.title} on all {n_rows} rows, to save it")
        columns = dict.fromkeys(self.files.feature_names or [], NUMBER)
        metadata = {"task": self.task, "target": target, "columns": columns, "machine": name}
        save(machine, output, metadata=metadata)
        vectors = len(machine.relevance_)
        return {
            "path": str(output),
            "rows": n_rows,
            "vectors": vectors,
            "log_evidence": machine.log_evidence_,
            "statement": f"saved {output}: {self.title} trained on all {n_rows} rows, {vectors} vectors",
        }
