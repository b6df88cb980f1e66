"""Measured cells of published tables as small CSV files, with where and when they were measured."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...atomic_file import replacing
from ..runs.provenance import in_history, machine_line
from ..runs.store import RunStore
from .published import PaperTable
from .verdicts import Summary, summaries

#: Least number of splits that every cell of the published tables should have. A mean of as many, measured by
#: today's protocol, takes the place of one of an earlier protocol, however many splits that has.
ENOUGH_SPLITS = 20
_COLUMNS = ("dataset", "method", "measure", "mean", "std", "splits", "protocol", "commit", "days", "machine")


def records_of(table: PaperTable, store: RunStore, n_splits: int | None = None) -> list[dict[str, Any]]:
    """Cells of a table that the store has, one record each.

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
    list of dict
        Columns of the CSV files: the summary of each cell over splits, the fingerprint of the protocol, the
        commit, the days and the machine of its results. Commits that the history does not have are unknown.
    """
    origins: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in store.rows(table.study):
        origins.setdefault((row["unit"].dataset, row["unit"].method), []).append(row)
    found = []
    for (dataset, method, measure), summary in summaries(table, store, n_splits).items():
        cell = {"dataset": dataset, "method": method, "measure": measure, "mean": summary.mean}
        cell |= {"std": summary.std, "splits": summary.splits, "protocol": table.study.split()[-1]}
        found.append({**cell, **_origin(origins[dataset, method])})
    return found


def _origin(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Commits, days and machines of some results."""
    days = sorted({row["written"][:10] for row in rows})
    names = (str(row["machine"].get("commit") or "") for row in rows)
    commits = dict.fromkeys(name if in_history(name) else "unknown" for name in names)
    machines = dict.fromkeys(machine_line(row["machine"]) for row in rows)
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return {"commit": " ".join(commits), "days": when, "machine": "; ".join(machines)}


def read_records(path: Path) -> list[dict[str, Any]]:
    """Read the records of a table.

    Parameters
    ----------
    path : Path
        CSV file; without it there are no records.

    Returns
    -------
    list of dict
        Records with numbers where they are numbers.
    """
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {**row, "mean": float(row["mean"]), "std": float(row["std"]), "splits": int(row["splits"])}
            for row in csv.DictReader(file)
        ]


def write_records(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write the records of a table; those in the file stay where the new ones are not better founded.

    A record takes the place of one of the same cell if it has at least as many splits, or if it has twenty
    and the other one is of another protocol.

    Parameters
    ----------
    path : Path
        CSV file, which is replaced in one step.
    records : iterable of mapping
        Records as `records_of` makes them.
    """
    cells: dict[tuple[str, str, str], dict[str, Any]] = {}
    for each in [*read_records(path), *records]:
        known = cells.get(_cell(each))
        if known is None or _takes_the_place(each, known):
            cells[_cell(each)] = dict(each)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(_rounded(cells[key]) for key in sorted(cells))


def summaries_of(records: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str, str], Summary]:
    """Summaries of the cells, by dataset, method and measure.

    Parameters
    ----------
    records : iterable of mapping
        Records as `read_records` gives them.

    Returns
    -------
    dict
        `Summary` by dataset, method and measure.
    """
    return {_cell(each): Summary(each["mean"], each["std"], each["splits"]) for each in records}


def measured_cells(
    table: PaperTable, records: Iterable[Mapping[str, Any]], n_splits: int | None = None
) -> set[tuple[str, str]]:
    """Datasets and methods that records have by the protocol of today.

    Parameters
    ----------
    table : PaperTable
        Published table.
    records : iterable of mapping
        Records as `read_records` gives them.
    n_splits : int, optional
        Number of splits that they must have at least; all repetitions of the paper by default.

    Returns
    -------
    set of tuple
        Pairs of dataset and method.
    """
    wanted = table.n_splits if n_splits is None else min(n_splits, table.n_splits)
    today = table.study.split()[-1]
    first = next(iter(table.measures))
    return {
        (each["dataset"], each["method"])
        for each in records
        if each["measure"] == first and each["protocol"] == today and each["splits"] >= wanted
    }


def _takes_the_place(new: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    """Whether a record is better founded than the one that is known."""
    if new["splits"] >= known["splits"]:
        return True
    return new["protocol"] != known["protocol"] and new["splits"] >= ENOUGH_SPLITS


def _cell(record: Mapping[str, Any]) -> tuple[str, str, str]:
    return record["dataset"], record["method"], record["measure"]


def _rounded(record: Mapping[str, Any]) -> dict[str, Any]:
    return {**record, "mean": f"{record['mean']:.6g}", "std": f"{record['std']:.4g}"}
