"""Output on stdout: tables and notes, or one JSON document."""

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..tables.target import CLASSIFICATION, REGRESSION

# Columns of text where stdout is not a terminal; wide enough for every table of scores.
_WIDTH_WITHOUT_TERMINAL = 100

Row = dict[str, Any]


class Score(NamedTuple):
    """A score or size in the tables: its key in a row, its header, and how it is written."""

    name: str
    header: str
    write: Callable[[Any], str]


_PERCENT, _DECIMAL, _DIGITS, _SHORT = "{:.1%}".format, "{:.3f}".format, "{:.4g}".format, "{:.2g}".format
_SIZES = [
    Score("vectors", "vectors", _DIGITS),
    Score("log_evidence", "log\nevid.", "{:.1f}".format),
    Score("fit_seconds", "fit\nsec.", _SHORT),
    Score("predict_seconds", "predict\nsec.", _SHORT),
]
SCORES = {
    CLASSIFICATION: [
        Score("error", "error", _PERCENT),
        Score("log_loss", "log-\nloss", _DECIMAL),
        Score("auc", "AUC", _DECIMAL),
        Score("calibration_error", "calib.\nerror", _DECIMAL),
        *_SIZES,
    ],
    REGRESSION: [
        Score("rmse", "RMSE", _DIGITS),
        Score("r2", "R²", _DECIMAL),
        Score("nlpd", "neg. log\ndens.", _DECIMAL),
        Score("coverage", "95 %\ncoverage", _PERCENT),
        *_SIZES,
    ],
}


def print_scores(title: str, rows: list[Row], task: str) -> None:
    """Print one line for every machine, the first in bold; columns that no machine fills are left out."""
    table = _new_table(title)
    table.add_column("machine", no_wrap=True)
    columns = [score for score in SCORES[task] if any(is_number(row.get(score.name)) for row in rows)]
    for score in columns:
        table.add_column(score.header, justify="right")
    for number, row in enumerate(rows):
        cells = [written(score, row.get(score.name)) for score in columns]
        table.add_row(row["machine"], *cells, style="bold" if number == 0 else None)
    _console().print(table, "")


def print_rows(title: str | None, rows: list[Row]) -> None:
    """Print any rows with the same keys, numbers right-aligned with four digits."""
    if not rows:
        return
    table = _new_table(title)
    for name, value in rows[0].items():
        table.add_column(name, justify="left" if isinstance(value, str) else "right")
    for row in rows:
        table.add_row(*map(_cell, row.values()))
    _console().print(table, "")


def print_lines(lines: Iterable[str], style: str | None = None) -> None:
    """Print plain lines, wrapped at words, never read as markup."""
    output = _console()
    for line in lines:
        output.print(line, style=style, markup=False, highlight=False, soft_wrap=not output.is_terminal)


def print_json(document: Any) -> None:
    """Print one JSON document; what is not a finite number is null."""
    print(json.dumps(plain(document), ensure_ascii=False, indent=2, allow_nan=False))


def plain(value: Any) -> Any:
    """A value made of types that JSON has."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    return None if isinstance(value, float) and not np.isfinite(value) else value


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return value is not None and bool(np.isfinite(value))


def written(score: Score, value: Any) -> str:
    """A score as text, or a dash where there is none."""
    return score.write(value) if is_number(value) else "–"


def _console() -> Console:
    """Standard output, wide enough for the tables where there is no terminal."""
    output = Console()
    return output if output.is_terminal else Console(width=_WIDTH_WITHOUT_TERMINAL)


def _new_table(title: str | None) -> Table:
    shown = None if title is None else escape(title)
    table = Table(title=shown, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.show_edge, table.padding = False, (0, 1, 0, 0)
    return table


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return escape(value)
    return f"{value:.4g}" if is_number(value) else "–"
