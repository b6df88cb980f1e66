"""Standard deviations over repetitions that the papers print beside their means.

``printed_spread.csv`` has a row for each cell. Where a paper prints quartiles, the standard deviation is that
of a normal distribution with their distance.
"""

import csv
from functools import cache
from pathlib import Path

_PATH = Path(__file__).with_name("printed_spread.csv")


@cache
def _rows():
    with _PATH.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def printed_spread(table):
    """Standard deviations of a table as ``spread[dataset, method][measure]``."""
    spread = {}
    for row in _rows():
        if row["table"] == table:
            spread.setdefault((row["dataset"], row["method"]), {})[row["measure"]] = float(row["std"])
    return spread
