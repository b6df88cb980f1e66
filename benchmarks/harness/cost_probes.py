"""Measure how long the repetitions of published tables take: ``python -m benchmarks.harness.cost_probes``.

Writes ``costs.csv``. Repetitions that the store has count by their mean seconds. Those of tables that are
named, with nothing in the store, are estimated. Where parameters are chosen first, up to three values of each
are fitted on 400 and on 800 rows at most, and from there the seconds grow to all rows by the power of the
number of rows that the two show. Ensembles of ten thousand trees are estimated by a hundred.
"""

import argparse
import csv
import warnings
from math import log2, prod
from statistics import fmean
from time import process_time

import numpy as np
from sklearn.base import clone

from pauca.atomic_file import replacing
from pauca.cli.papers import published_tables
from pauca.evaluation import RunStore, measured_cells, read_records
from pauca.evaluation.papers.records import ENOUGH_SPLITS
from pauca.evaluation.papers.reproduction import CHOICE
from pauca.evaluation.runs.jobs import UNIT_SECONDS

from ..ensembles.problems import voting_problem
from ..papers import ensemble_size, epcvm_median
from .costs import COLUMNS, PATH, seconds
from .peers import with_probabilities
from .problems import half

# Rows of the two small fits.
_FEW, _MORE = 400, 800
# Trees of the small ensembles.
_TREES = 100
# Values of each parameter that are tried.
_N_VALUES = 3
_N_PARTITIONS = 5


def main(arguments=None):
    """Update the rows of the tables that are named."""
    parser = argparse.ArgumentParser(description="Seconds of the repetitions of published tables.")
    parser.add_argument("tables", nargs="*", help="epcvm-median, epcvm-engines, size-forest, size-bagging")
    parser.add_argument("--store", default="benchmarks/papers.sqlite")
    options = parser.parse_args(arguments)
    tables, _ = published_tables()
    found = dict(seconds())
    with RunStore(options.store) as store:
        for table in tables.values():
            found |= _stored(table, store)
            write(found)
    for name in options.tables:
        together = tables[name].together
        for dataset, method in _missing(tables[name]):
            key = (name, dataset, "" if together else method)
            if key not in found:
                found[key] = _trees(name, dataset) if together else _choices(name, dataset, method)
                write(found)


def write(found):
    """Write the rows in their order."""
    with replacing(PATH) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for key, each in sorted(found.items()):
            source = "yes" if each["estimated"] else "no"
            writer.writerow([*key, f"{each['split']:.3g}", f"{each['choice']:.3g}", source])


def _stored(table, store):
    """Mean seconds of the repetitions that a store has of a table."""
    taken, choices = {}, {}
    for row in store.rows(table.study):
        unit, spent = row["unit"], row["record"][UNIT_SECONDS]
        key = (table.name, unit.dataset, "" if table.together else unit.method)
        if unit.split == CHOICE:
            choices[key] = spent
        else:
            taken.setdefault(key, []).append(spent)
    return {
        key: {"split": fmean(values), "choice": choices.get(key, 0.0), "estimated": False}
        for key, values in taken.items()
    }


def _missing(table):
    """Datasets and methods with a printed value that have fewer than twenty splits."""
    records = read_records(PATH.parents[2] / "docs" / "results" / f"{table.name}.csv")
    known = measured_cells(table, records, ENOUGH_SPLITS)
    return [place for place in table.published if place not in known]


def _trees(table, dataset):
    """Seconds of one repetition of size-forest or size-bagging."""
    kind, problem = table.removeprefix("size-"), voting_problem(dataset, 0)
    start = process_time()
    sizes = ensemble_size._sizes(kind, problem, 0)
    chosen = process_time()
    ensemble_size._predict(ensemble_size._ensemble(kind, _TREES, [0]), problem)
    each = (process_time() - chosen) / _TREES
    n_trees = sum(min(size, ensemble_size._MANY) for size in (ensemble_size._MANY, *sizes.values()))
    return {"split": chosen - start + n_trees * each, "choice": 0.0, "estimated": True}


def _choices(table, dataset, method):
    """Seconds of one repetition, and of the choice of parameters, in epcvm-median or epcvm-engines."""
    machines = _machines(table, method)
    grid = machines[1]
    problem = half(dataset, 0, max_train=None)
    n_rows = len(problem.y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _seconds_at(*machines, problem, min(_FEW, n_rows) // 4)  # compiles
        few = _seconds_at(*machines, problem, min(_FEW, n_rows))
        if n_rows <= _FEW:
            fit, split = few
        else:
            more = _seconds_at(*machines, problem, min(_MORE, n_rows))
            fit, split = (_extrapolated(*pair, n_rows) for pair in zip(few, more, strict=True))
    n_fits = _N_PARTITIONS * prod(len(values) for values in grid.values()) if grid else 0
    return {"split": split, "choice": n_fits * fit, "estimated": True}


def _machines(table, method):
    """Machine whose parameters are chosen, their values, and the machine that is measured with them."""
    if table == "epcvm-engines":
        return *epcvm_median.METHODS[epcvm_median._CHOSEN_BY[method]], epcvm_median.ENGINES[method]
    machine, grid = epcvm_median.METHODS[method]
    return machine, grid, with_probabilities(machine)


def _seconds_at(machine, grid, measured, problem, n_rows):
    """Mean seconds to fit and predict over a few parameters, and those of the machine that is measured."""
    X, y, X_test = problem.X[:n_rows], problem.y[:n_rows], problem.X_test[:n_rows]
    spent = []
    for parameters in _few_parameters(grid):
        start = process_time()
        clone(machine).set_params(**parameters).fit(X, y).predict(X_test)
        spent.append(process_time() - start)
    start = process_time()
    _at_middle(measured, grid).fit(X, y).predict_proba(X_test)
    return fmean(spent), process_time() - start


def _few_parameters(grid):
    """Combinations that between them have low, middle and high values of every parameter."""
    places = np.linspace(0, 1, _N_VALUES)
    return [
        {name: values[round(place * (len(values) - 1))] for name, values in grid.items()} for place in places
    ] or [{}]


def _at_middle(machine, grid):
    """Machine, or the one that it calibrates, with the middle value of every parameter."""
    prefix = "estimator__" if hasattr(machine, "estimator") else ""
    return clone(machine).set_params(
        **{f"{prefix}{name}": values[len(values) // 2] for name, values in grid.items()}
    )


def _extrapolated(few, more, n_rows):
    """Seconds of ``n_rows`` rows by the power of the number of rows that two smaller numbers show."""
    power = min(max(log2(max(more, 1e-6) / max(few, 1e-6)) / log2(_MORE / _FEW), 0.0), 3.0)
    return more * (max(n_rows, _MORE) / _MORE) ** power


if __name__ == "__main__":
    main()
