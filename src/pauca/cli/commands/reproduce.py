"""``pauca reproduce``: the tables of the papers again, measured beside published."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pauca.evaluation import (
    PaperTable,
    RunStore,
    Workers,
    measured_cells,
    read_records,
    records_of,
    reproduce,
    write_records,
)

from ...reporting import job_bar
from ..errors import BadInput
from ..papers import chosen_tables, default_store, papers, published_tables, results_folder
from ..reports.progress import resumable
from ..reports.reproduced import print_results, table_results
from ..reports.terminal import print_json, print_lines, print_rows


@dataclass(frozen=True)
class ReproduceOptions:
    """Options of ``pauca reproduce``; no names of tables, datasets or methods mean all of them."""

    tables: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    only_missing: bool = False
    splits: int | None = None
    jobs: int = 1
    dask: str | None = None
    store: Path | None = None


def list_tables(as_json: bool = False) -> None:
    """Print names and titles of the tables that can be reproduced."""
    tables, notes = published_tables()
    rows = [
        {
            "table": table.name,
            "splits": table.n_splits,
            "datasets": len(table.datasets),
            "methods": len(table.methods),
            "title": table.title,
        }
        for table in tables.values()
    ]
    if as_json:
        print_json({"tables": rows, "notes": notes})
        return
    print_rows("Published tables", rows)
    print_lines(notes, style="dim")


def reproduce_tables(options: ReproduceOptions, as_json: bool = False) -> None:
    """Compute what is missing of each table, then print it with its verdicts."""
    tables, notes = published_tables()
    chosen = [_part(table, options) for table in chosen_tables(tables, options.tables)]
    path = options.store or default_store()
    with resumable(path), RunStore(path) as store:
        results = [_reproduced(table, store, options) for table in chosen]
    if as_json:
        print_json({"tables": results, "notes": notes})
        return
    for result in results:
        print_results(result)
    print_lines(notes, style="dim")


def write_results(folder: Path, options: ReproduceOptions) -> None:
    """Add what the store has to the CSV files of a folder and write its pages, without computing anything."""
    from ..reports.results_pages import write_pages

    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; name a folder.")
    folder.mkdir(parents=True, exist_ok=True)
    known, _ = papers()
    tables = chosen_tables({table.name: table for paper in known for table in paper.tables}, options.tables)
    path = options.store or default_store()
    if path.exists():
        with RunStore(path) as store:
            for table in tables:
                if records := records_of(table, store, options.splits):
                    write_records(folder / f"{table.name}.csv", records)
    n_known = write_pages(folder, known)
    print_lines([f"wrote {folder}: {n_known} tables"])


def _part(table: PaperTable, options: ReproduceOptions) -> PaperTable:
    """The rows and columns of a table that are asked for."""
    if not options.datasets and not options.methods:
        return table
    try:
        return table.part(options.datasets, options.methods)
    except ValueError as error:
        raise BadInput(str(error)) from error


def _reproduced(table: PaperTable, store: RunStore, options: ReproduceOptions) -> dict[str, Any]:
    """Run one table; its cells, targets and notes as plain values."""
    workers, known = Workers(options.jobs, options.dask), []
    if options.only_missing:
        records = read_records(results_folder() / f"{table.name}.csv")
        cells = measured_cells(table, records, options.splits)
        known = [each for each in records if (each["dataset"], each["method"]) in cells]
    places = {(each["dataset"], each["method"]) for each in known}
    with job_bar(table.name) as watch:
        reproduce(table, store, n_splits=options.splits, workers=workers, watch=watch, known=places)
    return table_results(table, store, options.splits, known)
