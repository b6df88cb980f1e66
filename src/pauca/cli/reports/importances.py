"""Which columns each machine uses: the loss of held-out score when the cells of a column are shuffled."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from pauca.evaluation import Benchmark
from pauca.evaluation.trials import CLASSIFICATION, predict_distribution, score

from .terminal import Row

# Columns and held-out rows of a table up to which effects are computed and on which, to keep the wait short.
MAX_COLUMNS, _MAX_ROWS = 30, 300
# Columns that are shown.
_TOP = 10
_SEED = 0


def importance_rows(benchmark: Benchmark) -> list[Row]:
    """A row for each of the columns that matter most, with the effect of shuffling it on every machine.

    Machines are fitted on the training rows of the first split; the score is log-loss or, of numbers, the
    root mean square error. Empty for tables with many columns.
    """
    X: Any = benchmark.X
    if X.shape[1] > MAX_COLUMNS:
        return []
    effects = {}
    for title, machine in benchmark.estimators.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                effects[title] = _effects(machine, benchmark)
        except ValueError:
            continue
    if not effects:
        return []
    order = np.argsort(-np.mean([values / max(values.max(), 1e-12) for values in effects.values()], axis=0))
    return [
        {
            "column": str(X.columns[place]),
            **{title: f"{values[place]:+.3g}" for title, values in effects.items()},
        }
        for place in order[:_TOP]
    ]


def _effects(machine: Any, benchmark: Benchmark) -> np.ndarray:
    """Rise of the loss of one machine when each column is shuffled."""
    X: Any = benchmark.X
    y, (train, test) = np.asarray(benchmark.y), benchmark.splits[0]
    model = clone(machine).fit(X.iloc[train], y[train])
    test = np.asarray(test)[:_MAX_ROWS]
    rows, rng = X.iloc[test], np.random.default_rng(_SEED)
    labels = np.unique(y) if benchmark.task == CLASSIFICATION else None
    name = "log_loss" if benchmark.task == CLASSIFICATION else "rmse"

    def loss(table: Any) -> float:
        return score(benchmark.task, y[test], predict_distribution(model, table, benchmark.task), labels)[
            name
        ]

    usual = loss(rows)
    shuffled = rng.permutation(len(rows))
    return np.array(
        [loss(rows.assign(**{column: rows[column].to_numpy()[shuffled]})) - usual for column in rows.columns]
    )
