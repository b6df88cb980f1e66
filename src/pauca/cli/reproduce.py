"""``pauca reproduce``: the tables of the papers again, measured beside published."""

from dataclasses import dataclass
from pathlib import Path

from pauca.evaluation import RunStore, Workers, compared_ranks, failures, judge, reproduce, targets

from .papers import chosen_tables, default_store, published_tables
from .report import print_json, print_lines, print_rows, resumable, watched


@dataclass(frozen=True)
class ReproduceOptions:
    """What the command line asks for."""

    tables: tuple[str, ...] = ()
    splits: int | None = None
    jobs: int = 1
    dask: str | None = None
    store: Path | None = None


def list_tables(as_json=False):
    """Names and titles of what can be reproduced."""
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


def reproduce_tables(options, as_json=False):
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
        _print(result)
    print_lines(notes, style="dim")


def _reproduced(table, store, options):
    """Run one table; its cells, targets and notes as plain values."""
    workers = Workers(options.jobs, options.dask)
    with watched(table.name) as watch:
        reproduce(table, store, n_splits=options.splits, workers=workers, watch=watch)
    return described(table, store, options.splits)


def described(table, store, n_splits=None):
    """What the store has of a table, as plain values."""
    cells = judge(table, store, n_splits)
    return {
        "table": table.name,
        "title": table.title,
        "cells": cells.to_dict("records"),
        "ranks": compared_ranks(table, cells).to_dict("records"),
        "targets": [target.row() for target in targets(table, cells)],
        "notes": failures(table, store, n_splits),
    }


def _print(result):
    print_rows(f"{result['table']}: {result['title']}", [_row(cell) for cell in result["cells"]])
    print_rows("Mean ranks", result["ranks"])
    if result["targets"]:
        print_rows("Targets of this project", result["targets"])
    print_lines(result["notes"], style="dim")


def _row(cell):
    """A cell as it is printed: the standard error beside the mean."""
    names = ("dataset", "method", "measure", "published", "measured", "standard_error", "splits", "verdict")
    return {name.replace("_", " "): cell[name] for name in names}
