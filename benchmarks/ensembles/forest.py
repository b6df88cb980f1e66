"""Prediction times of forests: instance-based pruning beside engines that evaluate every tree.

Processor seconds on one thread. Preparation is what comes between the fitted forest and the second row,
without the C compiler of tl2cgen.
"""

import warnings
from statistics import median
from time import process_time

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from pauca.datasets import make_twonorm
from pauca.evaluation import Target, Unit

from ..harness.problems import Problem, load
from ..harness.report import Report, Table, ratio
from .forest_engines import ENGINES, PAUCA, SKLEARN, ready

_SIZES = (101, 501, 1001, 2001)
# Timings of each engine; set by hand.
_ROUNDS = 9
# Seconds of single rows in each round; set by hand.
_MAX_SECONDS = 0.3
# Problem and size for which trees are compiled to C, which takes minutes.
_COMPILED_TO_C = ("twonorm", 501)
_MODES = {"batch": "batch_ms", "one row": "one_row_us"}


def run(options, store) -> Report:
    """Prediction times of every engine on twonorm and spam, in batch and row by row."""
    problems = [_twonorm(60, 100)] if options.quick else [_twonorm(300, 2000), _spam()]
    tables, targets, notes = [], [], []
    for problem in problems:
        for size in (21,) if options.quick else _SIZES:
            unit = Unit("forest", f"{problem.name} T={size}", 0, "all in turns")
            if unit not in store:
                if options.stored:
                    notes.append(f"{problem.name}, {size} trees: not measured")
                    continue
                store.put(unit, measure(problem, size, 1 if options.quick else _ROUNDS))
            rows = store[unit]["rows"]
            tables.append(Table(f"{problem.name}, {len(problem.X_test)} rows, {size} trees", rows))
            notes += store[unit]["notes"]
            if size == 501:
                targets += targets_of(problem.name, rows)
    return Report(tables, targets, notes)


def measure(problem, size, rounds):
    """Rows of median times, and agreement with scikit-learn, of every engine; notes on those that fail."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        forest = RandomForestClassifier(size, n_jobs=1, random_state=0).fit(problem.X, problem.y)
        names = {engine.name for engine in ENGINES if engine.name != "tl2cgen"}
        if (problem.name, size) == _COMPILED_TO_C:
            names.add("tl2cgen")
        engines, preparation, notes = ready(forest, problem.X, problem.y, names)
        batch, single = _times(engines, problem.X_test, rounds)
        answers = {name: predict(problem.X_test) for name, predict in engines.items()}
    rows = [
        {
            "engine": name,
            "batch_ms": 1e3 * median(batch[name]),
            "one_row_us": 1e6 * median(single[name]),
            "agreement_%": 100 * float(np.mean(answers[name] == answers[SKLEARN])),
            "preparation_s": preparation[name],
        }
        for name in engines
    ]
    return {"rows": [_with_ratios(row, rows[0]) for row in rows], "notes": notes}


def _with_ratios(row, reference):
    """Row of an engine, and how many times faster than scikit-learn it is."""
    faster = {f"{name}, times faster": ratio(reference[key], row[key]) for name, key in _MODES.items()}
    return {**row, **faster}


def _times(engines, X, rounds):
    """Seconds for all rows and seconds for one row, by engine and round; every other round backwards."""
    batch, single = {name: [] for name in engines}, {name: [] for name in engines}
    rows = [X[place : place + 1].copy() for place in range(len(X))]
    for turn in range(rounds):
        for name in list(engines)[:: 1 if turn % 2 == 0 else -1]:
            start = process_time()
            engines[name](X)
            batch[name].append(process_time() - start)
            single[name].append(seconds_of_one_row(engines[name], rows))
    return batch, single


def seconds_of_one_row(predict, rows):
    """Mean seconds for a single row, over as many rows as fit into the time limit."""
    start, done = process_time(), 0
    for row in rows:
        predict(row)
        done += 1
        if process_time() - start > _MAX_SECONDS:
            break
    return (process_time() - start) / done


def targets_of(name, rows):
    """The project's targets on a problem at 501 trees."""
    by_name = {row["engine"]: row for row in rows}
    ours, targets = by_name[PAUCA], []
    for mode, key, least in (("batch", "batch_ms", 5), ("one row", "one_row_us", 50)):
        theirs = [
            by_name[engine.name][key] for engine in ENGINES if engine.all_trees and engine.name in by_name
        ]
        targets += [
            Target(f"{name}, {mode}: scikit-learn / pauca", by_name[SKLEARN][key] / ours[key], least, True),
            Target(
                f"{name}, {mode}: fastest that evaluates all trees / pauca", min(theirs) / ours[key], 1, True
            ),
        ]
    return [*targets, Target(f"{name}: agreement in percent", ours["agreement_%"], 99, True)]


def _twonorm(n_train, n_test):
    X, y = make_twonorm(n_train, random_state=0)
    return Problem("twonorm", X, y, *make_twonorm(n_test, random_state=1))


def _spam():
    """Spam, two thirds for training and one third for testing."""
    data = load("spam")
    train, test = np.split(np.random.default_rng(0).permutation(len(data.y)), [2 * len(data.y) // 3])
    return Problem("spam", data.X[train], data.y[train], data.X[test], data.y[test])
