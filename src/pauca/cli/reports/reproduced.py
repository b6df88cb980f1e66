"""Published tables beside measured ones: as plain values, on stdout, and as a Markdown page."""

from collections import Counter
from typing import Any

from pauca.evaluation import PaperTable, RunStore, compare_with_published, compared_ranks, failures, targets
from pauca.evaluation.runs.provenance import machine_line
from pauca.evaluation.tables import markdown_table

from .terminal import Row, print_lines, print_rows

_HEAD = """# Results

What was reproduced of the published tables so far. This page is generated from a store of results by
`pauca reproduce --page docs/results.md`; `pauca reproduce` computes what is missing.

A measured mean *agrees* with a published value if they differ by no more than the tolerance of the table,
which `benchmarks/papers` has. If it lies outside by no more than two standard errors of the mean, it is
*unclear* whether it agrees: more repetitions would tell. Otherwise it is *better*, *worse* or, where neither
makes sense, it *differs*. Under "splits" is how many of the paper's repetitions were run.
"""
_VERDICTS = ("agrees", "unclear", "better", "worse", "differs", "not measured")
_CELLS = ("dataset", "method", "measure", "published", "measured", "standard error", "splits", "verdict")


def table_results(table: PaperTable, store: RunStore, n_splits: int | None = None) -> dict[str, Any]:
    """Cells, ranks, targets and failures of a table that the store has, as plain values."""
    cells = compare_with_published(table, store, n_splits)
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
    print_rows(f"{result['table']}: {result['title']}", [_cell_row(cell) for cell in result["cells"]])
    print_rows("Mean ranks", result["ranks"])
    if result["targets"]:
        print_rows("Targets of this project", result["targets"])
    print_lines(result["notes"], style="dim")


def results_page(tables: list[PaperTable], store: RunStore, n_splits: int | None) -> tuple[str, int]:
    """Markdown page of what the store has, and the number of tables on it; other tables are listed last."""
    rows = {table.name: list(store.rows(table.study)) for table in tables}
    known = [table for table in tables if rows[table.name]]
    results = [table_results(table, store, n_splits) for table in known]
    parts = [_HEAD, _overview(results)]
    parts += [_section(*pair, rows[pair[0].name]) for pair in zip(known, results, strict=True)]
    missing = [table.name for table in tables if table not in known]
    if missing:
        parts.append(f"Not run yet: {', '.join(missing)}.\n")
    return "\n".join(parts), len(known)


def _overview(results: list[dict[str, Any]]) -> str:
    """One line for each table: how many cells got which verdict."""
    lines = []
    for result in results:
        verdicts = Counter(cell["verdict"] for cell in result["cells"])
        counts = {word: str(verdicts[word]) for word in _VERDICTS}
        lines.append({"table": result["table"], **counts, "contents": result["title"]})
    return markdown_table(lines) if lines else "Nothing so far.\n"


def _section(table: PaperTable, result: dict[str, Any], rows: list[Row]) -> str:
    """Cells, ranks and targets of a table, and where they were measured."""
    cells = [
        {**_cell_row(cell), "splits": f"{cell['splits']} of {table.n_splits}"} for cell in result["cells"]
    ]
    parts = [f"## {table.name}\n\n{table.title}.\n", markdown_table(cells)]
    if result["ranks"]:
        parts += ["Mean ranks:\n", markdown_table(result["ranks"])]
    if result["targets"]:
        parts += ["Targets of this project:\n", markdown_table(result["targets"])]
    return "\n".join([*parts, _when_and_where(rows)])


def _cell_row(cell: Row) -> Row:
    """A cell with the columns that are shown: the standard error beside the mean."""
    return {name: cell[name.replace(" ", "_")] for name in _CELLS}


def _when_and_where(rows: list[Row]) -> str:
    """Dates and computers of the results."""
    days = sorted({row["written"][:10] for row in rows})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    machines = list(dict.fromkeys(machine_line(row["machine"]) for row in rows))
    return f"Measured {when} on {'; and on '.join(machines)}.\n"
