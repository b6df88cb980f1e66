"""Real tables that ship with scikit-learn, for ``pauca demo``, and what is won on them and what is not."""

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .contenders import make_machine, make_peers
from .held_out import HeldOutTask, hold_out, score_estimators
from .reports.terminal import Row
from .tables.target import CLASSIFICATION, REGRESSION

# Title, loader and task of each table; the first is the one of the summary.
_TABLES: dict[str, tuple[Any, str]] = {
    "breast cancer": (load_breast_cancer, CLASSIFICATION),
    "wine": (load_wine, CLASSIFICATION),
    "diabetes": (load_diabetes, REGRESSION),
}
# Score by which a machine is called best.
_CRITERIA = {CLASSIFICATION: ("log_loss", "log-loss"), REGRESSION: ("rmse", "RMSE")}
# Relative difference below which two scores count as equal; set by hand.
_EQUAL = 0.01


def score_tables(seed: int, notes: list[str]) -> dict[str, tuple[str, list[Row]]]:
    """Task and one row for every estimator on a held-out half of each table, ours first."""
    scored = {}
    for name, (load, task) in _TABLES.items():
        X, y = load(return_X_y=True)
        splits = hold_out(task, y, 0.5, seed)
        _, title, machine = make_machine(None, task, seed)
        estimators = {title: machine, **make_peers(task, np.asarray(y)[splits[0][0]], seed)}
        pipelines = {title: make_pipeline(StandardScaler(), one) for title, one in estimators.items()}
        scored[name] = task, score_estimators(pipelines, HeldOutTask(task, X, y, splits), notes)
    return scored


def verdicts(scored: dict[str, tuple[str, list[Row]]]) -> list[str]:
    """For each table a line that says whether the first machine is best, and which are better if not."""
    lines = []
    for name, (task, rows) in scored.items():
        criterion, words = _CRITERIA[task]
        ours, *others = rows
        limit = ours[criterion] * (1 - _EQUAL)
        better = [f"{row['machine']} ({row[criterion]:.4g})" for row in others if row[criterion] < limit]
        start = f"{name}: {ours['machine']} has {words} {ours[criterion]:.4g}"
        end = f"not won: better is {', '.join(better)}." if better else "the best or within 1 % of it."
        lines.append(f"{start}, {end}")
    return lines
