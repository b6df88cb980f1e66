"""What the user sees: tables and notes on stdout, progress on stderr, or one JSON document."""

import json
import sys
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from .target import CLASSIFICATION, REGRESSION

_WIDTH_WITHOUT_TERMINAL = 100


_PERCENT, _DECIMAL, _DIGITS, _SHORT = "{:.1%}".format, "{:.3f}".format, "{:.4g}".format, "{:.2g}".format
_SIZES = [
    ("vectors", "vectors", _DIGITS),
    ("log_evidence", "log\nevid.", "{:.1f}".format),
    ("fit_seconds", "fit\nsec.", _SHORT),
    ("predict_seconds", "predict\nsec.", _SHORT),
]
COLUMNS = {
    CLASSIFICATION: [
        ("error", "error", _PERCENT),
        ("log_loss", "log-\nloss", _DECIMAL),
        ("auc", "AUC", _DECIMAL),
        ("calibration_error", "calib.\nerror", _DECIMAL),
        *_SIZES,
    ],
    REGRESSION: [
        ("rmse", "RMSE", _DIGITS),
        ("r2", "R²", _DECIMAL),
        ("nlpd", "neg. log\ndens.", _DECIMAL),
        ("coverage", "within\n95 %", _PERCENT),
        *_SIZES,
    ],
}


def console():
    """Standard output, wide enough for the tables where there is no terminal."""
    output = Console()
    return output if output.is_terminal else Console(width=_WIDTH_WITHOUT_TERMINAL)


def print_scores(title, rows, task):
    """One line for every machine; columns that no machine fills are left out."""
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.show_edge, table.padding = False, (0, 1, 0, 0)
    table.add_column("machine", no_wrap=True)
    columns = [column for column in COLUMNS[task] if any(is_number(row.get(column[0])) for row in rows)]
    for _, header, _ in columns:
        table.add_column(header, justify="right")
    for number, row in enumerate(rows):
        cells = [_cell(row.get(name), show) for name, _, show in columns]
        table.add_row(row["machine"], *cells, style="bold" if number == 0 else None)
    console().print(table, "")


def print_rows(title, rows):
    """Any rows with the same keys, numbers right-aligned with four digits."""
    if not rows:
        return
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.show_edge, table.padding = False, (0, 1, 0, 0)
    for name, value in rows[0].items():
        table.add_column(name, justify="left" if isinstance(value, str) else "right")
    for row in rows:
        table.add_row(*map(_shown, row.values()))
    console().print(table, "")


def print_lines(lines, style=None):
    """Plain lines, wrapped at words, never read as markup."""
    output = console()
    for line in lines:
        output.print(line, style=style, markup=False, highlight=False, soft_wrap=not output.is_terminal)


def print_json(document):
    """One JSON document on stdout; what is not a number is null."""
    print(json.dumps(plain(document), ensure_ascii=False, indent=2, allow_nan=False))


def plain(value: Any) -> Any:
    """The value with nothing but what JSON knows."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    return None if isinstance(value, float) and not np.isfinite(value) else value


def is_number(value):
    """Whether there is a value to show."""
    return value is not None and bool(np.isfinite(value))


@contextmanager
def progress(label, total):
    """A bar on stderr while the block runs, if someone is looking; the block calls what it is given."""
    with _bar() as bar:
        task = bar.add_task(label, total=total)

        def advance(description=label, steps=1):
            bar.update(task, advance=steps, description=description)

        yield advance


@contextmanager
def watched(label):
    """The same for work with a store: what the store has already says nothing about the time left."""
    with _bar() as bar:
        task = bar.add_task(label, total=None)

        def watch(job, done, total):
            if job is None:
                bar.reset(task, completed=done, total=total)
            else:
                bar.update(task, completed=done)

        yield watch


def _bar():
    """A bar with the time left, estimated from the speed since the start: steps may take minutes."""
    looking = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=looking,
        transient=True,
        disable=not looking.is_terminal,
        speed_estimate_period=float("inf"),
    )


@contextmanager
def resumable(path):
    """Say, when the user stops the work, that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"pauca: stopped; {path} has what was done, and the same command goes on", file=sys.stderr)
        raise


def _cell(value, show):
    return show(value) if is_number(value) else "–"


def _shown(value):
    if isinstance(value, str):
        return escape(value)
    return f"{value:.4g}" if is_number(value) else "–"
