"""Bounds that the project sets itself for measured values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .published import Bound, PaperTable
from .verdicts import NOT_MEASURED

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Target:
    """Measured value and the bound that it must keep.

    Attributes
    ----------
    name : str
        Description of the measured quantity.
    value : float or None
        Measured value; None if it was not measured.
    bound : float
        Bound on the value.
    at_least : bool
        Whether the bound is a lower bound instead of an upper bound.
    """

    name: str
    value: float | None
    bound: float
    at_least: bool

    @property
    def verdict(self) -> str:
        """Verdict on the value: "PASS", "MISS" or "not measured"."""
        if self.value is None:
            return NOT_MEASURED
        kept = self.value >= self.bound if self.at_least else self.value <= self.bound
        return "PASS" if kept else "MISS"

    def row(self) -> dict[str, Any]:
        """Return the target as a row of a table.

        Returns
        -------
        dict
            ``target``, ``measured``, ``wanted``, ``verdict``.
        """
        sign = "≥" if self.at_least else "≤"
        return {
            "target": self.name,
            "measured": self.value,
            "wanted": f"{sign} {self.bound:g}",
            "verdict": self.verdict,
        }


def targets(table: PaperTable, cells: DataFrame) -> list[Target]:
    """Compare the measured means of a table with the bounds that the project sets itself.

    Parameters
    ----------
    table : PaperTable
        Table with ``bounds``.
    cells : pandas.DataFrame
        Cells that `compare_with_published` returned for the table.

    Returns
    -------
    list of Target
    """
    measured = {
        (row.dataset, row.method, row.measure): row.measured for row in cells.itertuples() if row.splits > 0
    }
    return [_target(measured, bound) for bound in table.bounds]


def _target(measured: Mapping[tuple[str, str, str], float], rule: Bound) -> Target:
    """Measured mean and its bound; if the bound is another method, that must have been measured, too."""
    dataset, method, measure, bound, at_least = rule
    name, value = f"{method}, {dataset}: {measure}", measured.get((dataset, method, measure))
    if not isinstance(bound, str):
        return Target(name, value, bound, at_least)
    rival = measured.get((dataset, bound, measure), math.nan)
    return Target(f"{name}, beside {bound}", None if math.isnan(rival) else value, rival, at_least)
