"""Regression forests with early exit, and a fifth of a forest with refitted leaves beside the whole.

Processor seconds on one thread. The tolerance is a share of the standard deviation of the training targets.
"""

from time import process_time

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from threadpoolctl import threadpool_limits

from pauca import InstancePrunedRegressor, PrunedEnsembleClassifier, PrunedEnsembleRegressor
from pauca.evaluation import Target, Unit, paired_t

from ..harness.report import Report, Table
from .problems import classification_problem, regression_problem
from .regression_engines import engines, times

_SETS = ("friedman1", "boston", "ozone", "servo")
_SIZES, _TOLERANCES = (100, 500, 2000), (0.01, 0.05, 0.1)
_CONFIDENCE = 0.95
# Trees of the forest whose engines are timed.
_ENGINE_SIZE = 500
# Level of the tests of errors on the same splits.
_LEVEL = 0.05
# Splits 0-2 chose the damping of refitted leaves; figures are from others.
_FIRST_SPLIT = 10
_FIFTHS = {
    "classification": (
        *("australian", "balance", "breast-wisconsin", "diabetis", "german", "glass", "heart", "ionosphere"),
        *("liver", "segment", "sonar", "tic-tac-toe", "vehicle", "votes", "vowel"),
    ),
    "regression": ("boston", "friedman1", "friedman2", "friedman3", "ozone", "peak", "servo"),
}


def run(options, store) -> Report:
    """Trees asked by size and tolerance, and errors of a fifth of a forest."""
    sets, sizes = (("friedman1",), (30,)) if options.quick else (_SETS, _SIZES)
    asked = [
        row
        for name in sets
        for size in sizes
        for row in _stored(store, name, f"T={size}", _FIRST_SPLIT, _asked, name, size)
    ]
    engine_size = sizes[0] if options.quick else _ENGINE_SIZE
    timed = _stored(store, "friedman1", f"T={engine_size}", _FIRST_SPLIT, _engine_rows, engine_size)
    fifths = {"regression": ("friedman1",)} if options.quick else _FIFTHS
    found = [
        _fifth_row(store, task, name, options.splits) for task, names in fifths.items() for name in names
    ]
    rows, worse = zip(*found, strict=True)
    tables = [
        Table(f"Trees asked until the mean of all is known with confidence {_CONFIDENCE}", asked),
        Table(f"friedman1, 2000 rows, {engine_size} trees: engines", timed["rows"]),
        Table("A fifth of 100 trees: error rate or root mean squared error", list(rows)),
    ]
    note = f"a fifth, refitted: significantly worse on {sum(worse)} of {len(worse)} sets (paired t test, 5 %)"
    notes = timed["notes"] + ([note] if options.splits > 1 else [])
    return Report(tables, _targets(asked, rows), notes)


def _stored(store, name, what, split, measure, *arguments):
    unit = Unit("regression-votes", f"{name} {what}", split, measure.__name__)
    if unit not in store:
        with threadpool_limits(1):
            measured = measure(*arguments)
            store.put(unit, measured if isinstance(measured, dict) else {"rows": measured})
    return store[unit] if "notes" in store[unit] else store[unit]["rows"]


def _asked(name, size):
    """Rows by tolerance: trees asked, share of the means within the tolerance, seconds."""
    problem = regression_problem(name, _FIRST_SPLIT)
    forest = RandomForestRegressor(size, max_features=1 / 3, random_state=0).fit(problem.X, problem.y)
    start = process_time()
    whole = forest.predict(problem.X_test)
    seconds, rows = process_time() - start, []
    values = np.stack([tree.predict(problem.X_test) for tree in forest.estimators_])
    for share in _TOLERANCES:
        tolerance = share * float(np.std(problem.y))
        start = process_time()
        fast = InstancePrunedRegressor(forest, tolerance, _CONFIDENCE, random_state=0)
        fast.predict(problem.X_test[:2])
        preparation = process_time() - start
        start = process_time()
        mean, queries = fast.predict(problem.X_test, return_queries=True)
        ours = process_time() - start
        rows.append(
            {
                "problem": name,
                "trees": size,
                "tolerance": share,
                "asked": float(queries.mean()),
                "times fewer": size / float(queries.mean()),
                "times fewer, all known": size / _fewest(values, tolerance),
                "tolerance for a fifth": float(fast.tolerance_for(problem.X_test)[0] / np.std(problem.y)),
                "within": float(np.mean(np.abs(mean - whole) <= tolerance)),
                "scikit-learn / pauca": seconds / ours,
                "preparation_s": preparation,
            }
        )
    return rows


def _engine_rows(size):
    """Times of all engines on one forest, and the largest distance from scikit-learn's numbers."""
    problem = regression_problem("friedman1", _FIRST_SPLIT)
    forest = RandomForestRegressor(size, max_features=1 / 3, random_state=0).fit(problem.X, problem.y)
    deviation = float(np.std(problem.y))
    found, notes = engines(forest, problem.X, problem.y)
    for share in _TOLERANCES:
        start = process_time()
        fast = InstancePrunedRegressor(forest, share * deviation, _CONFIDENCE, random_state=0)
        fast.predict(problem.X[:1])
        found[f"pauca, tolerance {share:g}"] = fast.predict, process_time() - start
    whole, rows = forest.predict(problem.X_test), []
    for name, (predict, preparation) in found.items():
        distance = np.abs(predict(problem.X_test) - whole) / deviation
        row = {"engine": name, **times(predict, problem.X_test), "preparation_s": preparation}
        rows.append({**row, "distance, 95 % of rows": float(np.quantile(distance, 0.95))})
    return {"rows": rows, "notes": notes}


def _fewest(values, tolerance):
    """Mean number of trees from which on the mean of those asked stays within the tolerance of that of all.

    Who knows the answers of all trees could stop there, and no rule for the same order can stop earlier.
    """
    n_trees = len(values)
    running = np.cumsum(values, axis=0) / np.arange(1, n_trees + 1)[:, None]
    outside = np.abs(running - values.mean(axis=0)) > tolerance
    last = np.where(outside.any(axis=0), n_trees - np.argmax(outside[::-1], axis=0), 0)
    return float(np.mean(last + 1))


def _fifth_row(store, task, name, n_splits):
    """Mean errors over splits of all trees, of a fifth and of a refitted one, and whether that is worse."""
    splits = range(_FIRST_SPLIT, _FIRST_SPLIT + n_splits)
    found = [_stored(store, name, task, split, _fifths, task, name, split)[0] for split in splits]
    errors = {key: [row[key] for row in found] for key in found[0]}
    row = {"problem": name, **{key: float(np.mean(values)) for key, values in errors.items()}}
    return row, row["refitted"] > row["all"] and _differ(errors["refitted"], errors["all"])


def _differ(first, second):
    """Whether errors on the same splits differ significantly; one split never shows it."""
    return len(first) > 1 and float(paired_t(first, second)["p_value"].iloc[0]) < _LEVEL


def _fifths(task, name, split):
    if task == "classification":
        problem = classification_problem(name, split)
        whole = RandomForestClassifier(100, random_state=split).fit(problem.X, problem.y)
        kind = PrunedEnsembleClassifier
    else:
        problem = regression_problem(name, split)
        whole = RandomForestRegressor(100, max_features=1 / 3, random_state=split).fit(problem.X, problem.y)
        kind = PrunedEnsembleRegressor

    def error(model):
        difference = model.predict(problem.X_test)
        if task == "classification":
            return float(np.mean(difference != problem.y_test))
        return float(np.sqrt(np.mean(np.square(difference - problem.y_test))))

    few = {
        key: kind(whole, refit=key == "refitted", random_state=0).fit(problem.X, problem.y)
        for key in ("a fifth", "refitted")
    }
    return [{"all": error(whole), **{key: error(model) for key, model in few.items()}}]


def _targets(asked, rows):
    fewer = [row["times fewer"] for row in asked if row["trees"] == 500 and row["tolerance"] == 0.01]
    no_worse = [row["refitted"] <= row["all"] + 1e-12 for row in rows]
    targets = [
        Target("a fifth, refitted: share of sets no worse than all", float(np.mean(no_worse)), 0.8, True)
    ]
    if fewer:
        targets.append(
            Target("500 trees, tolerance 1 %: times fewer, mean of sets", float(np.mean(fewer)), 5.0, True)
        )
    return targets
