"""Reports of sections: tables, notes and targets, printed, as JSON or as Markdown; ratios and rank tests."""

import os
import re
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from pauca.evaluation import Comparison, PaperTable, RunStore, Target, critical_difference, friedman
from pauca.evaluation.runs.provenance import machine_line
from pauca.evaluation.tables import markdown_table

try:
    from rich.console import Console
    from rich.table import Table as RichTable
except ImportError:
    Console = None

_THREADS = "OPENBLAS_NUM_THREADS"
_HEAD = """# Benchmarks

Speed, memory and accuracy of pauca's machines beside their peers, on one computer. This page is written by
`python -m benchmarks SECTION ... --page docs/benchmarks.md`; [what each section measures, and
how](../benchmarks/README.md). Ratios carry over to other computers, seconds do not.
"""


@dataclass(frozen=True)
class Table:
    """A title and rows with the same keys."""

    title: str
    rows: list[dict]


@dataclass(frozen=True)
class Report:
    """Tables, targets of the project and notes of one section."""

    tables: list[Table]
    targets: list[Target] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def without_targets(self) -> "Report":
        """Report of a quick run, whose problems are smaller than those of the targets."""
        return replace(self, targets=[])

    def as_json(self) -> dict:
        """Report as plain lists and dictionaries."""
        return {
            "tables": [asdict(table) for table in self.tables],
            "targets": [target.row() for target in self.targets],
            "notes": self.notes,
        }

    def as_markdown(self, name: str) -> str:
        """Section of a Markdown page: targets first, then tables and notes."""
        parts = [f"## {name}\n"]
        if self.targets:
            parts.append(markdown_table([target.row() for target in self.targets]))
        for table in self.tables:
            if table.rows:
                parts += [f"{table.title}:\n", markdown_table(table.rows)]
        return "\n".join([*parts, *(f"* {note}\n" for note in self.notes)])

    def show(self) -> None:
        """Print tables, then notes, then targets."""
        for table in self.tables:
            print_table(table)
        for note in self.notes:
            print(note, flush=True)
        if self.targets:
            print_table(Table("Targets", [target.row() for target in self.targets]))


def write_page(path: Path, reports: dict[str, Report], environment: dict) -> None:
    """Write the reports of some sections into a Markdown page; sections that it has besides stay."""
    old = _sections(path.read_text(encoding="utf-8")) if path.exists() else {}
    new = {name: report.as_markdown(name) for name, report in reports.items()}
    parts = [_HEAD, *({**old, **new}).values()]
    day, threads = datetime.now(UTC).date(), os.environ.get(_THREADS)
    limit = f" ({_THREADS}={threads})" if threads else ""
    parts.append(f"Written {day} on {machine_line(environment)}{limit}.\n")
    path.write_text("\n".join(parts), encoding="utf-8")


def _sections(text: str) -> dict[str, str]:
    """Sections of a page by their names, without its last line, which says where it was written."""
    body = re.sub(r"^Written .*$", "", text, flags=re.MULTILINE)
    pieces = re.split(r"^## (.*)$", body, flags=re.MULTILINE)[1:]
    return {
        name: f"## {name}\n\n{content.strip()}\n"
        for name, content in zip(pieces[::2], pieces[1::2], strict=True)
    }


def ratio(numerator: float | None, denominator: float | None) -> float | None:
    """Quotient, or None where one of the two was not measured."""
    return numerator / denominator if numerator is not None and denominator else None


def difference(left: float | None, right: float | None) -> float | None:
    """Difference, or None where one of the two was not measured."""
    return None if left is None or right is None else left - right


def ratio_rows(rows: list[dict], pairs: dict[str, tuple[str, str, str]]) -> list[dict]:
    """One row for each problem; ``pairs[column]`` names two machines and the seconds that are divided."""
    by_machine = {(row["problem"], row["machine"]): row for row in rows}

    def seconds(problem, machine, clock):
        return by_machine.get((problem, machine), {}).get(clock)

    return [
        {
            "problem": problem,
            **{
                column: ratio(seconds(problem, above, clock), seconds(problem, below, clock))
                for column, (above, below, clock) in pairs.items()
            },
        }
        for problem in dict.fromkeys(row["problem"] for row in rows)
    ]


def stored_comparison(table: PaperTable, store: RunStore, n_splits: int) -> Comparison:
    """Comparison of what the store has of the first ``n_splits`` splits of a table."""
    records = [(unit, store.get(unit, {"failed": "not measured"})) for unit in table.units(n_splits)]
    rows = [{**unit._asdict(), **record} for unit, record in records if "failed" not in record]
    return Comparison(pd.DataFrame(rows))


def dataset_means(cells: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Mean of a measure over the splits: a row for each dataset, a column for each method.

    ``cells`` is what `pauca.evaluation.compare_with_published` gives.
    """
    part = cells[(cells["measure"] == measure) & (cells["splits"] > 0)]
    return part.pivot_table(index="dataset", columns="method", values="measured")


def rank_test_note(scores: pd.DataFrame) -> str:
    """Line with Nemenyi's critical difference of mean ranks and the p-value of Iman and Davenport's test."""
    critical = critical_difference(scores.shape[1], len(scores))
    p_value = friedman(scores)["p_value"][1]
    return f"critical difference {critical:.2f} (Nemenyi, 5 %); Iman-Davenport p = {p_value:.1g}"


def print_table(table: Table) -> None:
    """Print a table with rich where it is installed, else in plain columns."""
    if not table.rows:
        return
    header = list(table.rows[0])
    lines = [[_text(row[name]) for name in header] for row in table.rows]
    if Console is None:
        _print_plain(table.title, header, lines)
        return
    drawn = RichTable(*header, title=table.title, title_justify="left")
    for line in lines:
        drawn.add_row(*line)
    # A pipe has no width of its own: make it wide enough for every column.
    width = sum(max(map(len, column)) + 3 for column in zip(header, *lines, strict=True)) + 1
    console = Console()
    Console(width=None if console.is_terminal else max(width, len(table.title))).print(drawn)


def _print_plain(title, header, lines):
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    print(f"\n{title}")
    for line in [header, *lines]:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)), flush=True)


def _text(value):
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
