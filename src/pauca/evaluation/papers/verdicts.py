"""Verdicts on measured values: agreement with published ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Any

from ..comparison.ranks import rank_table
from ..runs.store import RunStore
from ..tables import frame
from .published import Measure, PaperTable

if TYPE_CHECKING:
    from pandas import DataFrame

# Standard errors of the difference of two means within which they agree: about 95 %.
_STANDARD_ERRORS = 2
AGREES, BETTER, WORSE, DIFFERS = "agrees", "better", "worse", "differs"
ONE_SPLIT, NOT_MEASURED, NOT_PRINTED = "one split", "not measured", ""
_SOURCES = ("published", "measured")


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
        ``standard_error``, ``splits`` and ``verdict``, as `with_verdicts` gives them.
    """
    return with_verdicts(table, summaries(table, store, n_splits))


def summaries(
    table: PaperTable, store: RunStore, n_splits: int | None = None
) -> dict[tuple[str, str, str], Summary]:
    """Mean, standard deviation and number of splits of every cell that the store has.

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
    dict
        `Summary` by dataset, method and measure.
    """
    values: dict[tuple[str, str, str], list[float]] = {}
    for unit in table.units(n_splits):
        record = store.get(unit, {})
        for name in table.measures:
            if record.get(name) is not None and "failed" not in record:
                values.setdefault((unit.dataset, unit.method, name), []).append(record[name])
    return {key: Summary.of(found, table.measures[key[2]].median) for key, found in values.items()}


def with_verdicts(table: PaperTable, measured: Mapping[tuple[str, str, str], Summary]) -> DataFrame:
    """Verdict on every cell of a published table.

    Parameters
    ----------
    table : PaperTable
        Published table.
    measured : mapping
        `Summary` by dataset, method and measure.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset``, ``method``, ``measure``, ``published``, ``measured`` (mean over splits),
        ``standard_error``, ``splits`` and ``verdict``: "agrees" (within two standard errors of the
        difference), "better", "worse", "differs" (no direction), "one split" (no standard error, so that
        nothing can be said), "not measured", or empty where nothing was printed or comparing makes no sense.
    """
    rows = []
    for dataset in table.datasets:
        for method in table.methods:
            for name, rule in table.measures.items():
                published = table.published.get((dataset, method), {}).get(name)
                found = measured.get((dataset, method, name), Summary.of([]))
                if found.splits or published is not None:
                    spread = table.spread.get((dataset, method), {}).get(name)
                    place = {"dataset": dataset, "method": method, "measure": name}
                    n_published = table.n_published or table.n_splits
                    rows.append({**place, **_cell(found, published, spread, n_published, rule)})
    return frame(rows)


def _cell(
    found: Summary, published: float | None, spread: float | None, n_splits: int, rule: Measure
) -> dict[str, Any]:
    """Published mean (or None) beside the measured one, with its standard error and a verdict."""
    return {
        "published": math.nan if published is None else float(published),
        "measured": found.mean,
        "standard_error": found.standard_error,
        "splits": found.splits,
        "verdict": verdict(found, published, spread, n_splits, rule),
    }


@dataclass(frozen=True)
class Summary:
    """Mean of one cell over splits, and its spread.

    Attributes
    ----------
    mean : float
        Mean, or the median of measures whose medians are printed; nan without splits.
    std : float
        Standard deviation over splits; nan for fewer than two.
    splits : int
        Number of splits.
    """

    mean: float
    std: float
    splits: int

    @classmethod
    def of(cls, values: Sequence[float], of_median: bool = False) -> Summary:
        """Summarise the values of all splits.

        Parameters
        ----------
        values : sequence of float
            One value for each split.
        of_median : bool, default=False
            Whether the median stands for the mean.

        Returns
        -------
        Summary
        """
        mean = (median(values) if of_median else fmean(values)) if values else math.nan
        return cls(mean, stdev(values) if len(values) > 1 else math.nan, len(values))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean."""
        return self.std / math.sqrt(self.splits) if self.splits else math.nan


def verdict(
    found: Summary, published: float | None, spread: float | None, n_splits: int, rule: Measure
) -> str:
    """Verdict on a measured mean beside a published one.

    They agree within two standard errors of their difference, of which the paper's share is its printed
    ``spread`` (the measured one if it printed none) over the root of its ``n_splits`` repetitions.
    """
    if published is None:
        return NOT_PRINTED
    if not found.splits:
        return NOT_MEASURED
    if not rule.compared:
        return NOT_PRINTED
    if math.isnan(found.std):
        return ONE_SPLIT
    theirs = (found.std if spread is None else spread) / math.sqrt(n_splits)
    allowed = _STANDARD_ERRORS * math.hypot(found.standard_error, theirs) + rounding(published)
    if abs(found.mean - published) <= allowed:
        return AGREES
    if rule.better is None:
        return DIFFERS
    return BETTER if (found.mean < published) == (rule.better == "lower") else WORSE


def rounding(published: float) -> float:
    """Half a unit of the last digit of a printed number."""
    digits = Decimal(repr(published)).normalize().as_tuple()
    return 0.5 * 10.0 ** min(int(digits.exponent), 0)


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
