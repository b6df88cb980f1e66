"""Verdicts on measured values: agreement with published values, and bounds that the project sets itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from ..comparison.ranks import rank_table
from ..runs.store import RunStore
from ..tables import frame
from .published import Bound, Measure, PaperTable

if TYPE_CHECKING:
    from pandas import DataFrame

# Standard errors of the mean beyond the tolerance within which a verdict is "unclear"; set by hand.
_UNCLEAR_STANDARD_ERRORS = 2
AGREES, UNCLEAR, BETTER, WORSE, DIFFERS = "agrees", "unclear", "better", "worse", "differs"
NOT_MEASURED, NOT_PRINTED = "not measured", ""
_SOURCES = ("published", "measured")


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


def compare_with_published(table: PaperTable, store: RunStore, n_splits: int | None = None) -> DataFrame:
    """Compare every cell of a published table with the stored results.

    Parameters
    ----------
    table : PaperTable
        Published table.
    store : RunStore
        Store with measured results.
    n_splits : int, optional
        Number of repetitions, counted from the first; all repetitions of the paper by default.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset``, ``method``, ``measure``, ``published``, ``measured`` (mean over splits),
        ``standard_error``, ``splits`` and ``verdict``: "agrees" (within the tolerance), "unclear" (beyond
        it by no more than two standard errors of the mean), "better", "worse", "differs" (no direction),
        "not measured", or empty where nothing was printed.
    """
    values = _values(table, store, n_splits)
    rows = []
    for dataset in table.datasets:
        for method in table.methods:
            for name, rule in table.measures.items():
                published = table.published.get((dataset, method), {}).get(name)
                found = values.get((dataset, method, name), [])
                if found or published is not None:
                    place = {"dataset": dataset, "method": method, "measure": name}
                    rows.append({**place, **_cell(found, published, rule)})
    return frame(rows)


def _cell(found: Sequence[float], published: float | None, rule: Measure) -> dict[str, Any]:
    """Published value (or None) beside the mean over splits, with its standard error and a verdict."""
    mean = fmean(found) if found else math.nan
    error = stdev(found) / math.sqrt(len(found)) if len(found) > 1 else math.nan
    return {
        "published": math.nan if published is None else float(published),
        "measured": mean,
        "standard_error": error,
        "splits": len(found),
        "verdict": verdict(mean, error, published, rule),
    }


def verdict(mean: float, standard_error: float, published: float | None, rule: Measure) -> str:
    """Verdict on a measured mean beside a published value, by the rule that `Measure` describes."""
    if published is None:
        return NOT_PRINTED
    if math.isnan(mean):
        return NOT_MEASURED
    beyond = abs(mean - published) - (rule.absolute + rule.relative * abs(published))
    if beyond <= 0:
        return AGREES
    if beyond <= _UNCLEAR_STANDARD_ERRORS * standard_error:
        return UNCLEAR
    if rule.better is None:
        return DIFFERS
    return BETTER if (mean < published) == (rule.better == "lower") else WORSE


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


def compared_ranks(table: PaperTable, cells: DataFrame) -> DataFrame:
    """Mean ranks by the first measure, published and measured, over the datasets where all methods have both.

    Parameters
    ----------
    table : PaperTable
        Published table.
    cells : pandas.DataFrame
        Cells that `compare_with_published` returned for the table.

    Returns
    -------
    pandas.DataFrame
        Columns ``method``, ``published``, ``measured``, ``datasets``; empty for fewer than two such datasets
        or methods.
    """
    measure, rule = next(iter(table.measures.items()))
    ranked = cells[cells["measure"] == measure]
    grids = {name: ranked.pivot(index="dataset", columns="method", values=name) for name in _SOURCES}
    complete = set.intersection(*(set(grid.dropna().index) for grid in grids.values()))
    if len(complete) < 2 or len(table.methods) < 2 or rule.better is None:
        return frame([])
    rows = [dataset for dataset in table.datasets if dataset in complete]
    higher = rule.better == "higher"
    means = {
        name: rank_table(grid.loc[rows, list(table.methods)], higher_is_better=higher).mean()
        for name, grid in grids.items()
    }
    return frame(means).rename_axis("method").reset_index().assign(datasets=len(rows))


def failures(table: PaperTable, store: RunStore, n_splits: int | None = None) -> list[str]:
    """List the failures among the results of a table, each reason once.

    Parameters
    ----------
    table : PaperTable
        Published table.
    store : RunStore
        Store of the run.
    n_splits : int, optional
        Number of repetitions, counted from the first; all repetitions of the paper by default.

    Returns
    -------
    list of str
        Method, dataset and reason.
    """
    records = {unit: store.get(unit, {}) for unit in table.units(n_splits)}
    return list(
        dict.fromkeys(
            f"{unit.method} on {unit.dataset}: {record['failed']}"
            for unit, record in records.items()
            if "failed" in record
        )
    )


def _values(
    table: PaperTable, store: RunStore, n_splits: int | None
) -> dict[tuple[str, str, str], list[float]]:
    """Measured values of each cell, one for each split."""
    values: dict[tuple[str, str, str], list[float]] = {}
    for unit in table.units(n_splits):
        record = store.get(unit, {})
        for name in table.measures:
            if record.get(name) is not None and "failed" not in record:
                values.setdefault((unit.dataset, unit.method, name), []).append(record[name])
    return values
