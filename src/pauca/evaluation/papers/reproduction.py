"""Compute the results of a published table that a store does not have yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from itertools import product
from typing import Any

from ..runs.execution import Watch, run
from ..runs.jobs import UNIT_SECONDS, Job, Record
from ..runs.store import RunStore, Unit
from ..runs.workers import Workers
from .published import PaperTable

#: Number of the split under which the parameters that `PaperTable.choose` returns are stored.
CHOICE = -1

Chosen = Mapping[tuple[str, str], Record]


def reproduce(
    table: PaperTable,
    store: RunStore,
    *,
    n_splits: int | None = None,
    workers: Workers | None = None,
    watch: Watch | None = None,
    known: Collection[tuple[str, str]] = frozenset(),
) -> None:
    """Compute the results of a published table that the store does not have yet.

    Parameters
    ----------
    table : PaperTable
        Table to repeat.
    store : RunStore
        Store that is asked for earlier results and receives the new ones.
    n_splits : int, optional
        Number of repetitions, counted from the first; all repetitions of the paper by default.
    workers : Workers, optional
        Processes or cluster that compute; this process by default.
    watch : callable, optional
        ``watch(job, done, total)`` is called at the start, with None for the job and the number of jobs that
        the store has, and whenever a job is done.
    known : collection of tuple, default=frozenset()
        Datasets and methods whose results are known from elsewhere and are not computed, as
        `pauca.evaluation.measured_cells` finds them.
    """
    chosen = _choose(table, store, workers, watch, known)
    work = partial(_together if table.together else _one_by_one, table.measure, chosen)
    run(table.study, table.jobs(n_splits, known), work, store, workers, watch)


def _choose(
    table: PaperTable,
    store: RunStore,
    workers: Workers | None,
    watch: Watch | None,
    known: Collection[tuple[str, str]],
) -> Chosen:
    """Parameters by dataset and method, chosen once and stored like results; empty without ``choose``."""
    if table.choose is None:
        return {}
    pairs = [pair for pair in product(table.datasets, table.methods) if pair not in known]
    jobs = [Job(dataset, CHOICE, (method,)) for dataset, method in pairs]
    run(table.study, jobs, partial(_one_choice, table.choose), store, workers, watch)
    return {pair: _untimed(store[Unit(table.study, pair[0], CHOICE, pair[1])]) for pair in pairs}


def _untimed(record: Record) -> dict[str, Any]:
    """Record without the seconds of its job."""
    return {name: value for name, value in record.items() if name != UNIT_SECONDS}


def _one_choice(choose: Callable, job: Job) -> dict[str, Record]:
    """Parameters of the one method of a job."""
    (method,) = job.methods
    return {method: choose(job.dataset, method)}


def _one_by_one(measure: Callable, chosen: Chosen, job: Job) -> dict[str, Record]:
    """Record of each method of a job, measured separately."""
    return {
        method: measure(job.dataset, job.split, method, *_parameters(chosen, job.dataset, method))
        for method in job.methods
    }


def _parameters(chosen: Chosen, dataset: str, method: str) -> list[Record]:
    """Last arguments of ``measure``: the chosen parameters, if the table chooses any."""
    if not chosen:
        return []
    parameters = chosen[dataset, method]
    if "failed" in parameters:
        raise RuntimeError(f"no parameters: {parameters['failed']}")
    return [parameters]


def _together(measure: Callable, _: Chosen, job: Job) -> Mapping[str, Record]:
    """Record of each method of a job, measured together."""
    return measure(job.dataset, job.split)
