"""How long cells of published tables would take that are not measured, or with few splits.

``costs.csv`` has measured seconds, which `benchmarks.harness.cost_probes` writes.
"""

import csv
from functools import cache, partial
from pathlib import Path
from statistics import fmean

from pauca.evaluation.papers.records import ENOUGH_SPLITS

PATH = Path(__file__).with_name("costs.csv")
COLUMNS = "table", "dataset", "method", "split", "choice", "estimated"
_HOUR, _MINUTE = 3600.0, 60.0


@cache
def seconds():
    """Rows of ``costs.csv`` by table, dataset and method: seconds of a repetition and of a choice.

    The method is empty where all methods of a table are measured together.
    """
    with PATH.open(encoding="utf-8", newline="") as file:
        return {
            (row["table"], row["dataset"], row["method"]): {
                "split": float(row["split"]),
                "choice": float(row["choice"]),
                "estimated": row["estimated"] == "yes",
            }
            for row in csv.DictReader(file)
        }


def reason(table, n_splits):
    """Function of dataset and method that says how long a cell of a table would take."""
    return partial(_reason, table, n_splits)


def _reason(table, n_splits, dataset, method):
    known = seconds().get((table, dataset, method)) or seconds().get((table, dataset, ""))
    source = "estimated from smaller fits" if known and known["estimated"] else "measured beside other work"
    if known is None:
        known, source = _of_other_sets(table, method), "the mean of other sets"
    if known is None:
        return "not run yet; its time is not known"
    counts = dict.fromkeys((min(ENOUGH_SPLITS, n_splits), n_splits))
    durations = [f"{n} splits {_duration(n * known['split'] + known['choice'])}" for n in counts]
    return f"{' or '.join(durations)} on one core ({source})"


def _of_other_sets(table, method):
    """Mean seconds of a method over the datasets of a table that have been measured."""
    found = [each for key, each in seconds().items() if key[0] == table and key[2] in (method, "")]
    return {name: fmean(each[name] for each in found) for name in ("split", "choice")} if found else None


def _duration(seconds):
    if seconds >= _HOUR:
        return f"{seconds / _HOUR:.2g} h" if seconds < 100 * _HOUR else f"{seconds / _HOUR:.0f} h"
    return f"{seconds / _MINUTE:.2g} min" if seconds >= _MINUTE else f"{max(seconds, 1):.0f} s"
