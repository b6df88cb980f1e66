"""Why cells of published tables are not measured, and how long that would take."""

import csv
from functools import cache, partial
from pathlib import Path

_PATH = Path(__file__).with_name("costs.csv")
_HOUR, _MINUTE = 3600.0, 60.0


@cache
def _seconds():
    """CPU seconds of one repetition by table, dataset and method, and those of a choice of parameters."""
    with _PATH.open(encoding="utf-8", newline="") as file:
        return {
            (row["table"], row["dataset"], row["method"]): (float(row["split"]), float(row["choice"] or 0))
            for row in csv.DictReader(file)
        }


def reason(table, n_splits):
    """Function of dataset and method that says why a cell of a table has no value."""
    return partial(_reason, table, n_splits)


def _reason(table, n_splits, dataset, method):
    known = _seconds()
    for key in ((table, dataset, method), (table, dataset, ""), (table, "", method), (table, "", "")):
        if key in known:
            split, choice = known[key]
            few = f"20 splits would take about {_duration(20 * split + choice)}"
            return f"{few} on one core, {n_splits} splits {_duration(n_splits * split + choice)}"
    return "not run yet; its time is not known"


def _duration(seconds):
    if seconds >= _HOUR:
        return f"{seconds / _HOUR:.2g} h" if seconds < 100 * _HOUR else f"{seconds / _HOUR:.0f} h"
    return f"{seconds / _MINUTE:.2g} min" if seconds >= _MINUTE else f"{max(seconds, 1):.0f} s"
