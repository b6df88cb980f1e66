"""The reports of sections as a Markdown page."""

import os
from datetime import UTC, datetime

from pauca.evaluation.runs.provenance import machine_line
from pauca.evaluation.tables import markdown_table

_THREADS = "OPENBLAS_NUM_THREADS"
_HEAD = """# Benchmarks

Speed, memory and choices side by side with what people use today, on one machine. This page is written by
`python -m benchmarks SECTION ... --page docs/benchmarks.md`; [what each section measures, and
how](../benchmarks/README.md). Ratios travel between machines, seconds do not.
"""


def write_page(path, reports, environment):
    """Write what the sections found, each with its targets first."""
    parts = [_HEAD, *(_section(name, report) for name, report in reports.items())]
    day, threads = datetime.now(UTC).date(), os.environ.get(_THREADS)
    limit = f" ({_THREADS}={threads})" if threads else ""
    parts.append(f"Written {day} on {machine_line(environment)}{limit}.\n")
    path.write_text("\n".join(parts), encoding="utf-8")


def _section(name, report):
    parts = [f"## {name}\n"]
    if report.targets:
        parts.append(markdown_table([target.row() for target in report.targets]))
    for table in report.tables:
        if table.rows:
            parts += [f"{table.title}:\n", markdown_table(table.rows)]
    parts += [f"* {note}\n" for note in report.notes]
    return "\n".join(parts)
