"""``pauca reproduce``: the tables of the papers again, measured beside published."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pauca.atomic_file import replacing
from pauca.evaluation import PaperTable, RunStore, Workers, reproduce

from ..papers import chosen_tables, default_store, published_tables
from ..reports.progress import resumable, store_progress
from ..reports.reproduced import print_results, results_page, table_results
from ..reports.terminal import print_json, print_lines, print_rows
from ..tables.files import check_destination


@dataclass(frozen=True)
class ReproduceOptions:
    """Options of ``pauca reproduce``; no names of tables mean all of them."""

    tables: tuple[str, ...] = ()
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
    chosen = chosen_tables(tables, options.tables)
    path = options.store or default_store()
    with resumable(path), RunStore(path) as store:
        results = [_reproduced(table, store, options) for table in chosen]
    if as_json:
        print_json({"tables": results, "notes": notes})
        return
    for result in results:
        print_results(result)
    print_lines(notes, style="dim")


def write_results(path: Path, options: ReproduceOptions) -> None:
    """Write what the store has as a Markdown page, without computing anything."""
    check_destination(path)
    tables, _ = published_tables()
    chosen = chosen_tables(tables, options.tables)
    with RunStore(options.store or default_store()) as store:
        page, n_known = results_page(chosen, store, options.splits)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
    print_lines([f"wrote {path}: {n_known} of {len(chosen)} tables"])


def _reproduced(table: PaperTable, store: RunStore, options: ReproduceOptions) -> dict[str, Any]:
    """Run one table; its cells, targets and notes as plain values."""
    workers = Workers(options.jobs, options.dask)
    with store_progress(table.name) as watch:
        reproduce(table, store, n_splits=options.splits, workers=workers, watch=watch)
    return table_results(table, store, options.splits)
