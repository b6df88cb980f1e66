"""Measured beside published: one row for each cell of a table, with a verdict."""

import math
from statistics import fmean, stdev

from .frames import frame
from .targets import Target

AGREES, BETTER, WORSE, DIFFERS = "agrees", "better", "worse", "differs"
NOT_MEASURED, NOT_PRINTED = "not measured", ""


def judge(table, store, n_splits=None):
    """Every cell of a published table beside what the store has of it.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset``, ``method``, ``measure``, ``published``, ``measured`` (mean over splits),
        ``standard_error``, ``splits`` and ``verdict``: "agrees", "better", "worse", "differs" (no direction),
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
    noise = 0.0 if math.isnan(standard_error) else 2 * standard_error
    if abs(mean - published) <= rule.absolute + rule.relative * abs(published) + noise:
        return AGREES
    if rule.better is None:
        return DIFFERS
    return BETTER if (mean < published) == (rule.better == "lower") else WORSE


def targets(table, cells):
    """The project's own targets on a table, from the cells that `judge` gives."""
    measured = {
        (row.dataset, row.method, row.measure): row.measured for row in cells.itertuples() if row.splits > 0
    }
    return [
        Target(f"{method}, {dataset}: {measure}", measured.get((dataset, method, measure)), bound, at_least)
        for dataset, method, measure, bound, at_least in table.bounds
    ]


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
