"""Tables of results: data frames, which load pandas when the first one is made, and Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pandas import DataFrame


def pandas() -> ModuleType:
    """Import pandas, or raise an error that names the extra."""
    return _optional("pandas", "Tables of results")


def posthocs() -> ModuleType:
    """Import scikit-posthocs, or raise an error that names the extra."""
    return _optional("scikit_posthocs", "Tests of several methods")


def frame(rows: Any, **options: Any) -> DataFrame:
    """Make a data frame of rows or columns.

    Parameters
    ----------
    rows : list of dict or dict of columns
        Data as `pandas.DataFrame` takes them.
    **options
        Further arguments of `pandas.DataFrame`.

    Returns
    -------
    pandas.DataFrame
    """
    return pandas().DataFrame(rows, **options)


def markdown_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Format rows as a Markdown table: numbers with four digits, missing values as a dash.

    Parameters
    ----------
    rows : sequence of mapping
        Cells by column name; every row has the keys of the first one.

    Returns
    -------
    str
    """
    names = list(rows[0])
    cells = [names, *([row[name] for name in names] for row in rows)]
    lines = [[_cell(value) for value in line] for line in cells]
    lines.insert(1, ["---"] * len(names))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: Any) -> str:
    """Text of a cell, with the bars escaped that would end it."""
    if isinstance(value, str):
        return value.replace("|", r"\|")
    return f"{value:.4g}" if value is not None and np.isfinite(value) else "–"


def _optional(name: str, purpose: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f'{purpose} need {name}: pip install "pauca[evaluation]"') from error
