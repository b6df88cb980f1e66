"""Measured beside published: one row for each cell of a table, with a verdict."""

import math
from statistics import fmean, stdev

from .frames import frame
from .ranks import rank_table
from .targets import Target

AGREES, UNCLEAR, BETTER, WORSE, DIFFERS = "agrees", "unclear", "better", "worse", "differs"
NOT_MEASURED, NOT_PRINTED = "not measured", ""
_SOURCES = ("published", "measured")


def judge(table, store, n_splits=None):
    """Every cell of a published table beside what the store has of it.

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
                    rows.append({**place, **compared(found, published, rule)})
    return frame(rows)


def compared(found, published, rule):
    """A published value (or None) beside the values of the splits."""
    mean = fmean(found) if found else math.nan
    error = stdev(found) / math.sqrt(len(found)) if len(found) > 1 else math.nan
    return {
        "published": math.nan if published is None else float(published),
        "measured": mean,
        "standard_error": error,
        "splits": len(found),
        "verdict": verdict(mean, error, published, rule),
    }


def verdict(mean, standard_error, published, rule):
    """What a measured mean says about a published value; see `Measure`."""
    if published is None:
        return NOT_PRINTED
    if math.isnan(mean):
        return NOT_MEASURED
    beyond = abs(mean - published) - (rule.absolute + rule.relative * abs(published))
    if beyond <= 0:
        return AGREES
    if beyond <= 2 * standard_error:
        return UNCLEAR
    if rule.better is None:
        return DIFFERS
    return BETTER if (mean < published) == (rule.better == "lower") else WORSE


def targets(table, cells):
    """The project's own targets on a table, from the cells that `judge` gives."""
    measured = {
        (row.dataset, row.method, row.measure): row.measured for row in cells.itertuples() if row.splits > 0
    }
    return [_target(measured, bound) for bound in table.bounds]


def _target(measured, promise):
    """One bound beside what was measured; a method that it names must have been measured, too."""
    dataset, method, measure, bound, at_least = promise
    name, value = f"{method}, {dataset}: {measure}", measured.get((dataset, method, measure))
    if not isinstance(bound, str):
        return Target(name, value, bound, at_least)
    rival = measured.get((dataset, bound, measure), math.nan)
    return Target(f"{name}, beside {bound}", None if math.isnan(rival) else value, rival, at_least)


def compared_ranks(table, cells):
    """Mean ranks by the first measure, published and measured, over the datasets where all methods have both.

    Returns
    -------
    pandas.DataFrame
        Columns ``method``, ``published``, ``measured``, ``datasets``; empty for fewer than two such datasets
        or methods.
    """
    measure, rule = next(iter(table.measures.items()))
    mine = cells[cells["measure"] == measure]
    grids = {name: mine.pivot(index="dataset", columns="method", values=name) for name in _SOURCES}
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


def failures(table, store, n_splits=None):
    """One line for each reason why units of a table have no result."""
    records = {unit: store.get(unit, {}) for unit in table.units(n_splits)}
    return list(
        dict.fromkeys(
            f"{unit.method} on {unit.dataset}: {record['failed']}"
            for unit, record in records.items()
            if "failed" in record
        )
    )


def _values(table, store, n_splits):
    """The measured values of each cell, by split."""
    values: dict[tuple[str, str, str], list[float]] = {}
    for unit in table.units(n_splits):
        record = store.get(unit, {})
        for name in table.measures:
            if record.get(name) is not None and "failed" not in record:
                values.setdefault((unit.dataset, unit.method, name), []).append(record[name])
    return values
