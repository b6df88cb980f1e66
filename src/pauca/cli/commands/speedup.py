"""``pauca speedup``: what early exit saves on a saved ensemble, with the agreement of its answers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.pipeline import Pipeline

from pauca import (
    InstancePrunedBoostingClassifier,
    InstancePrunedBoostingRegressor,
    InstancePrunedClassifier,
    InstancePrunedRegressor,
    InstancePrunedWeightedClassifier,
)
from pauca.ensembles.early_voting.voters import KINDS

from ..errors import BadInput
from ..reports.terminal import print_json, print_lines
from ..tables.columns import categories, require_columns
from ..tables.csv_format import CsvFormat
from ..tables.encoding import features
from ..tables.files import open_model, read_table

# Rows timed one by one, and rounds of each timing, of which the fastest counts. Set by hand.
_SINGLE_ROWS, _ROUNDS = 100, 3


@dataclass(frozen=True)
class SpeedupOptions:
    """Options of ``pauca speedup``."""

    confidence: float | None = None
    tolerance: float | None = None
    seed: int = 0
    form: CsvFormat = field(default_factory=CsvFormat)


def measure_speedup(model_path: Path, table_path: Path, options: SpeedupOptions, as_json: bool) -> None:
    """Time the saved ensemble with and without early exit on the rows of the table, and print both."""
    model, metadata = open_model(model_path)
    steps, ensemble = (model.steps[:-1], model.steps[-1][1]) if isinstance(model, Pipeline) else ([], model)
    notes: list[str] = []
    X = _rows(metadata, table_path, options, notes, model)
    try:
        X = Pipeline(steps).transform(X) if steps else X
        X = X if hasattr(ensemble, "feature_names_in_") else np.ascontiguousarray(X)
        fast, X = _early_exit(ensemble, X, options, notes)
        result = _measured(ensemble, fast, X)
    except ValueError as error:
        raise BadInput(str(error)) from error
    if as_json:
        print_json({"model": str(model_path), "table": str(table_path), **result, "notes": notes})
    else:
        print_lines(_lines(result))
        print_lines(notes, style="dim")


def _rows(
    metadata: dict[str, Any], path: Path, options: SpeedupOptions, notes: list[str], model: Any
) -> pd.DataFrame:
    """The rows of the table as the model takes them."""
    kinds = metadata.get("columns")
    table = read_table(path, [*categories(kinds or {})], options.form, notes)
    if kinds:
        require_columns(table, list(kinds))
        return features(table, kinds)
    names = list(getattr(model, "feature_names_in_", table.columns))
    require_columns(table, names)
    return table[names]


def _early_exit(ensemble: Any, X: Any, options: SpeedupOptions, notes: list[str]) -> tuple[Any, Any]:
    """Estimator with early exit around the ensemble, and the rows to measure it on."""
    confidence, seed = options.confidence, options.seed
    is_boosted = isinstance(ensemble, GradientBoostingRegressor | HistGradientBoostingRegressor)
    if not is_classifier(ensemble) and not is_boosted:
        level = 0.95 if confidence is None else confidence
        return InstancePrunedRegressor(ensemble, options.tolerance, level, random_state=seed), X
    if isinstance(ensemble, KINDS):
        level = 0.99 if confidence is None else confidence
        return InstancePrunedClassifier(ensemble, level, random_state=seed), X
    level = 1.0 if confidence is None else confidence
    if isinstance(ensemble, VotingClassifier | StackingClassifier) or (
        isinstance(ensemble, AdaBoostClassifier) and not hasattr(ensemble.estimators_[0], "tree_")
    ):
        return InstancePrunedWeightedClassifier(ensemble, level, random_state=seed), X
    fast: Any = InstancePrunedBoostingRegressor(ensemble, options.tolerance, level)
    if is_classifier(ensemble):
        fast = InstancePrunedBoostingClassifier(ensemble, level)
    return (fast, X) if level == 1 else _calibrated(fast, X, seed, notes)


def _calibrated(fast: Any, X: Any, seed: int, notes: list[str]) -> tuple[Any, Any]:
    """Estimator that has learned when to stop on half of the rows, and the other half."""
    rows = np.random.default_rng(seed).permutation(len(X))
    half = len(rows) // 2
    take = X.iloc if hasattr(X, "iloc") else X
    fast.calibrate(take[rows[:half]])
    is_class = hasattr(fast, "disagreement_bound_")
    bound, what = (
        (fast.disagreement_bound_, "differ") if is_class else (fast.exceedance_bound_, "are further off")
    )
    notes.append(
        f"stopping was learned on {half} rows; at most {bound:.2%} of new rows {what} (bound at 95 %)."
        if bound
        else f"{half} rows are too few to learn when to stop; trees are left out by certificate only."
    )
    return fast, take[rows[half:]]


def _measured(ensemble: Any, fast: Any, X: Any) -> dict[str, Any]:
    """Seconds with and without early exit, members evaluated, and how the answers agree."""
    start = process_time()
    answers, queries = fast.predict(X, return_queries=True)
    preparation = process_time() - start
    whole = np.ravel(ensemble.predict(X))
    take = X.iloc if hasattr(X, "iloc") else X
    rows = [take[place : place + 1] for place in range(min(_SINGLE_ROWS, len(X)))]
    result = {
        "rows": len(X),
        "members": int(fast.n_members_),
        "members_asked": float(np.mean(queries)),
        "preparation_s": preparation,
        "batch_before_ms": 1e3 * _seconds(ensemble.predict, [X]),
        "batch_after_ms": 1e3 * _seconds(fast.predict, [X]),
        "one_row_before_us": 1e6 * _seconds(ensemble.predict, rows) / len(rows),
        "one_row_after_us": 1e6 * _seconds(fast.predict, rows) / len(rows),
    }
    if is_classifier(ensemble):
        return {**result, "agreement": float(np.mean(answers == whole))}
    distance = np.abs(answers - whole)
    tolerance = float(np.ravel(fast.tolerance_)[0])
    within = float(np.mean(distance <= tolerance * (1 + 1e-9)))
    return {**result, "tolerance": tolerance, "within_tolerance": within}


def _seconds(predict: Callable, parts: list) -> float:
    """Least processor seconds to predict all parts, over a few rounds."""
    found = []
    for _ in range(_ROUNDS):
        start = process_time()
        for part in parts:
            predict(part)
        found.append(process_time() - start)
    return min(found)


def _lines(result: dict[str, Any]) -> list[str]:
    """The result in four lines."""
    batch = result["batch_before_ms"] / max(result["batch_after_ms"], 1e-9)
    single = result["one_row_before_us"] / max(result["one_row_after_us"], 1e-9)
    agreement = (
        f"same class on {result['agreement']:.2%} of the rows"
        if "agreement" in result
        else f"within {result['tolerance']:.4g} on {result['within_tolerance']:.2%} of the rows"
    )
    return [
        f"{result['members_asked']:.1f} of {result['members']} members asked on average, {agreement}",
        f"{result['rows']} rows: {result['batch_before_ms']:.1f} ms before, "
        f"{result['batch_after_ms']:.1f} ms now ({batch:.1f} times as fast)",
        f"one row: {result['one_row_before_us']:.0f} us before, {result['one_row_after_us']:.1f} us now "
        f"({single:.1f} times as fast)",
        f"preparation: {result['preparation_s']:.2f} s, once",
    ]
