"""Scores of estimators on held-out rows of one table."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, train_test_split

from pauca.evaluation import repeated_splits
from pauca.evaluation.trials import fit_and_predict, score

from .errors import BadInput, one_line
from .reports.progress import progress
from .tables.target import CLASSIFICATION

Splits = list[tuple[np.ndarray, np.ndarray]]


class HeldOutTask(NamedTuple):
    """Rows, targets, and the splits on which every estimator is scored."""

    task: str
    X: Any
    y: np.ndarray
    splits: Splits


def hold_out(
    task: str, y: np.ndarray, test_size: float, seed: int, groups: np.ndarray | None = None
) -> Splits:
    """One random split, stratified for classification, or between groups of rows where they are given."""
    if groups is not None:
        return _of_groups(y, test_size, seed, groups)
    rows, stratify = np.arange(len(y)), y if task == CLASSIFICATION else None
    try:
        train, test = train_test_split(rows, test_size=test_size, random_state=seed, stratify=stratify)
    except ValueError as error:
        raise BadInput(f"cannot hold out {test_size:.0%} of {len(y)} rows: {error}") from error
    return [(train, test)]


def _of_groups(y: np.ndarray, test_size: float, seed: int, groups: np.ndarray) -> Splits:
    try:
        return repeated_splits(y, 1, train_size=1 - test_size, seed=seed, groups=groups)
    except ValueError as error:
        n_groups = len(np.unique(groups))
        raise BadInput(f"cannot hold out {test_size:.0%} of {n_groups} groups: {error}") from error


def folds(task: str, y: np.ndarray, n_folds: int, seed: int, groups: np.ndarray | None = None) -> Splits:
    """The splits of cross-validation, stratified for classification; groups of rows stay together."""
    if groups is not None and n_folds > len(np.unique(groups)):
        raise BadInput(f"--cv must not exceed the {len(np.unique(groups))} groups; got {n_folds}.")
    if not 2 <= n_folds <= len(y):
        raise BadInput(f"--cv must be between 2 and the {len(y)} rows; got {n_folds}.")
    if task == CLASSIFICATION:
        smallest = np.unique(y, return_counts=True)[1].min()
        if smallest < n_folds:
            raise BadInput(f"--cv {n_folds} needs as many rows of every class; the smallest has {smallest}.")
    stratified = task == CLASSIFICATION
    kind: Any = StratifiedKFold if stratified else KFold
    if groups is not None:
        kind = StratifiedGroupKFold if stratified else GroupKFold
    return list(kind(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y, groups))


def score_estimators(
    estimators: dict[str, Any], held_out: HeldOutTask, notes: list[str]
) -> list[dict[str, Any]]:
    """One row of scores for every estimator, by title.

    An error of the first estimator is raised; a later estimator that cannot be fitted leaves a note instead.
    """
    rows: list[dict[str, Any]] = []
    with progress("fit", len(estimators) * len(held_out.splits)) as advance:
        for title, estimator in estimators.items():
            try:
                with warnings_as_notes(title, notes):
                    rows.append(_score_estimator(title, estimator, held_out, advance))
            except ValueError as error:
                if not rows:
                    raise
                notes.append(f"{title} left out: {one_line(error)}")
    return rows


@contextmanager
def warnings_as_notes(title: str, notes: list[str]) -> Iterator[None]:
    """Collect warnings in ``notes``, one line each and each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        note = f"{title}: {one_line(warning.message)}"
        if note not in notes:
            notes.append(note)


def _score_estimator(
    title: str, estimator: Any, held_out: HeldOutTask, advance: Callable[..., None]
) -> dict[str, Any]:
    """Scores of one estimator over all held-out rows, its size and its seconds."""
    records, predictions = [], []
    advance(f"{title} on {len(held_out.splits[0][0])} rows", 0)
    for train, test in held_out.splits:
        record, prediction = fit_and_predict(estimator, held_out.X, held_out.y, train, test, held_out.task)
        records.append(record)
        predictions.append(prediction)
        advance()
    y = np.concatenate([held_out.y[test] for _, test in held_out.splits])
    means = {name: _mean([record[name] for record in records]) for name in records[0]}
    return {"machine": title, **_scores(held_out, y, predictions), **means}


def _scores(held_out: HeldOutTask, y: np.ndarray, predictions: list[Any]) -> dict[str, Any]:
    """Scores over the held-out rows of all splits together."""
    if held_out.task == CLASSIFICATION:
        return score(held_out.task, y, np.concatenate(predictions), labels=np.unique(held_out.y))
    means, stds = zip(*predictions, strict=True)
    std = None if stds[0] is None else np.concatenate(stds)
    return score(held_out.task, y, (np.concatenate(means), std))


def _mean(values: list[Any]) -> float | None:
    """Mean over splits; None where an estimator does not have the quantity."""
    return None if values[0] is None else float(np.mean(values))
