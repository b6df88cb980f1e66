"""``pauca reproduce --page``: what was reproduced so far, as a Markdown page."""

from collections import Counter

from pauca.evaluation import RunStore
from pauca.evaluation.runs.provenance import machine_line
from pauca.evaluation.tables import markdown_table

from .papers import chosen_tables, default_store, published_tables
from .report import print_lines
from .reproduce import described
from .tables import check_destination

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


def write_results(path, options):
    """Write the page; tables of which nothing is known are listed at its end."""
    check_destination(path)
    tables, _ = published_tables()
    chosen = chosen_tables(tables, options.tables)
    with RunStore(options.store or default_store()) as store:
        rows = {table.name: list(store.rows(table.study)) for table in chosen}
        known = [table for table in chosen if rows[table.name]]
        results = {table.name: described(table, store, options.splits) for table in known}
    parts = [_HEAD, _overview(known, results)]
    parts += [_section(table, results[table.name], rows[table.name]) for table in known]
    missing = [table.name for table in chosen if table not in known]
    if missing:
        parts.append(f"Not run yet: {', '.join(missing)}.\n")
    path.write_text("\n".join(parts), encoding="utf-8")
    print_lines([f"wrote {path}: {len(known)} of {len(chosen)} tables"])


def _overview(known, results):
    """One line for each table: how many cells got which verdict."""
    lines = []
    for table in known:
        verdicts = Counter(cell["verdict"] for cell in results[table.name]["cells"])
        counts = {word: str(verdicts[word]) for word in _VERDICTS}
        lines.append({"table": table.name, **counts, "contents": table.title})
    return markdown_table(lines) if lines else "Nothing so far.\n"


def _section(table, result, rows):
    """Cells, ranks and targets of a table, and where they were measured."""
    cells = [_cell_row(cell, table.n_splits) for cell in result["cells"]]
    parts = [f"## {table.name}\n\n{table.title}.\n", markdown_table(cells)]
    if result["ranks"]:
        parts += ["Mean ranks:\n", markdown_table(result["ranks"])]
    if result["targets"]:
        parts += ["Targets of this project:\n", markdown_table(result["targets"])]
    return "\n".join([*parts, _circumstances(rows)])


def _cell_row(cell, n_splits):
    values = {name: cell[name.replace(" ", "_")] for name in _CELLS}
    return {**values, "splits": f"{cell['splits']} of {n_splits}"}


def _circumstances(rows):
    """When and on what the results were computed."""
    days = sorted({row["written"][:10] for row in rows})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    machines = list(dict.fromkeys(machine_line(row["machine"]) for row in rows))
    return f"Measured {when} on {'; and on '.join(machines)}.\n"
