"""Published tables beside measured ones, as plain values and on stdout."""

from collections.abc import Iterable, Mapping
from typing import Any

from pauca.evaluation import (
    PaperTable,
    RunStore,
    compared_ranks,
    failures,
    records_of,
    summaries_of,
    targets,
    with_verdicts,
)

from .terminal import Row, print_lines, print_rows

_CELLS = ("dataset", "method", "measure", "published", "measured", "standard error", "splits", "verdict")


def table_results(
    table: PaperTable,
    store: RunStore,
    n_splits: int | None = None,
    known: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Cells, ranks, targets and failures of a table that the store or known records have, as plain values."""
    cells = with_verdicts(table, summaries_of([*records_of(table, store, n_splits), *known]))
    return {
        "table": table.name,
        "title": table.title,
        "cells": cells.to_dict("records"),
        "ranks": compared_ranks(table, cells).to_dict("records"),
        "targets": [target.row() for target in targets(table, cells)],
        "notes": failures(table, store, n_splits),
    }


def print_results(result: dict[str, Any]) -> None:
    """Print the results of one table."""
    print_rows(f"{result['table']}: {result['title']}", [cell_row(cell) for cell in result["cells"]])
    print_rows("Mean ranks", result["ranks"])
    if result["targets"]:
        print_rows("Targets of this project", result["targets"])
    print_lines(result["notes"], style="dim")


def cell_row(cell: Row) -> Row:
    """A cell with the columns that are shown: the standard error beside the mean."""
    return {name: cell[name.replace(" ", "_")] for name in _CELLS}
