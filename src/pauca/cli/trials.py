"""Fit and score estimators on held-out rows."""

import warnings
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from pauca.evaluation.trials import fit_and_predict, score

from .errors import BadInput, one_line
from .report import progress
from .target import CLASSIFICATION


class Trial(NamedTuple):
    """Rows, targets, and the splits on which every estimator is tried."""

    task: str
    X: Any
    y: np.ndarray
    splits: list


def hold_out(task, y, test_size, seed):
    """One split, stratified for classification."""
    rows, stratify = np.arange(len(y)), y if task == CLASSIFICATION else None
    try:
        return [train_test_split(rows, test_size=test_size, random_state=seed, stratify=stratify)]
    except ValueError as error:
        raise BadInput(f"cannot hold out {test_size:.0%} of {len(y)} rows: {error}") from error


def folds(task, y, n_folds, seed):
    """The splits of cross-validation, stratified for classification."""
    if not 2 <= n_folds <= len(y):
        raise BadInput(f"--cv must be between 2 and the {len(y)} rows; got {n_folds}.")
    if task == CLASSIFICATION:
        smallest = np.unique(y, return_counts=True)[1].min()
        if smallest < n_folds:
            raise BadInput(f"--cv {n_folds} needs as many rows of every class; the smallest has {smallest}.")
    kind = StratifiedKFold if task == CLASSIFICATION else KFold
    return list(kind(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y))


def run_trials(estimators, trial, notes):
    """One row of scores for every estimator; a later one that cannot be fitted leaves a note instead."""
    rows: list[dict[str, Any]] = []
    with progress("fit", len(estimators) * len(trial.splits)) as advance:
        for title, estimator in estimators.items():
            try:
                with warnings_as_notes(title, notes):
                    rows.append(_run_trial(title, estimator, trial, advance))
            except ValueError as error:
                if not rows:
                    raise
                notes.append(f"{title} left out: {one_line(error)}")
    return rows


def _run_trial(title, estimator, trial, advance):
    """Scores over all held-out rows, sizes and seconds of one estimator."""
    records, predictions = [], []
    advance(title, 0)
    for train, test in trial.splits:
        record, prediction = fit_and_predict(estimator, trial.X, trial.y, train, test, trial.task)
        records.append(record)
        predictions.append(prediction)
        advance(title)
    y = np.concatenate([trial.y[test] for _, test in trial.splits])
    means = {name: _mean([record[name] for record in records]) for name in records[0]}
    return {"machine": title, **_scores(trial, y, predictions), **means}


@contextmanager
def warnings_as_notes(title, notes):
    """Collect warnings in ``notes``, one line each and each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        note = f"{title}: {one_line(warning.message)}"
        if note not in notes:
            notes.append(note)


def _scores(trial, y, predictions):
    """Scores over all held-out rows together."""
    if trial.task == CLASSIFICATION:
        return score(trial.task, y, np.concatenate(predictions), labels=np.unique(trial.y))
    means, stds = zip(*predictions, strict=True)
    return score(trial.task, y, (np.concatenate(means), None if stds[0] is None else np.concatenate(stds)))


def _mean(values):
    """Mean over splits; None where an estimator does not have the quantity."""
    return None if values[0] is None else float(np.mean(values))
