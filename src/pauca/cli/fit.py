"""``pauca fit``: learn from a table, say how well, keep the model."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from pauca.evaluation import innermost, n_vectors

from .columns import choose_columns, features, preprocessing, require_columns
from .errors import BadInput
from .machines import make_machine, make_peers
from .report import print_json, print_lines, print_scores, progress
from .tables import check_destination, read_table
from .target import drop_missing_target, read_target
from .trials import Trial, folds, hold_out, run_trials, warnings_as_notes

DEFAULT_TEST_SIZE = 0.25


@dataclass(frozen=True)
class FitOptions:
    """What the command line asks for."""

    target: str
    machine: str = "rvm"
    task: str = "auto"
    test_size: float | None = None
    cv: int | None = None
    seed: int = 0
    drop: tuple[str, ...] = ()
    compare: bool = True
    output: Path | None = None


@dataclass(frozen=True)
class Problem:
    """A table ready to learn from: the kinds of its columns, features, target, and what was noticed."""

    task: str
    kinds: dict[str, str]
    X: Any
    y: np.ndarray
    notes: list[str]


def fit_table(path, options, as_json=False):
    """Score the machine beside its peers on held-out rows, then refit on all rows and save."""
    check_destination(options.output)
    problem = read_problem(path, options)
    title, machine = make_machine(options.machine, problem.task, options.seed)
    protocol, splits = _splits(problem, options)
    trial = Trial(problem.task, problem.X, problem.y, splits)
    rows = _compare(title, machine, trial, problem, options)
    saved = _refit(title, machine, problem, options) if options.output else None
    if as_json:
        print_json(_document(path, options, problem, protocol, rows, saved))
    else:
        print_scores(f"{path}: {options.target}, {protocol}", rows, problem.task)
        print_lines(problem.notes, style="dim")
        print_lines([saved["statement"]] if saved else [])


def read_problem(path, options):
    """Read the table and decide what is learned from what."""
    table = read_table(path)
    require_columns(table, [options.target, *options.drop])
    table, missing_notes = drop_missing_target(table, options.target)
    task, y, task_notes = read_target(table[options.target], options.task)
    kinds, column_notes = choose_columns(table, options.target, options.drop)
    notes = [*task_notes, *missing_notes, *column_notes]
    return Problem(task, kinds, features(table, kinds), y, notes)


def _splits(problem, options):
    """A description of the protocol, and its splits."""
    if options.cv is not None and options.test_size is not None:
        raise BadInput("--cv and --test-size exclude each other.")
    if options.cv is not None:
        protocol = f"{options.cv}-fold cross-validation on {len(problem.y)} rows"
        return protocol, folds(problem.task, problem.y, options.cv, options.seed)
    test_size = DEFAULT_TEST_SIZE if options.test_size is None else options.test_size
    splits = hold_out(problem.task, problem.y, test_size, options.seed)
    train, test = splits[0]
    return f"trained on {len(train)} rows, scored on {len(test)} others", splits


def _compare(title, machine, trial, problem, options):
    """One row of scores for every estimator; a peer that fails leaves a note instead."""
    estimators = {title: machine}
    if options.compare:
        estimators |= make_peers(trial.task, trial.y[trial.splits[0][0]])
    pipelines = {
        name: make_pipeline(preprocessing(problem.kinds), estimator) for name, estimator in estimators.items()
    }
    return run_trials(pipelines, trial, problem.notes)


def _refit(title, machine, problem, options):
    """Train on all rows and save; what was saved."""
    from pauca.persistence import save

    pipeline = make_pipeline(preprocessing(problem.kinds), clone(machine))
    with warnings_as_notes(title, problem.notes), progress(f"{title} on all rows", 1) as advance:
        pipeline.fit(problem.X, problem.y)
        advance()
    metadata = {
        "task": problem.task,
        "target": options.target,
        "columns": problem.kinds,
        "machine": options.machine,
    }
    save(pipeline, options.output, metadata=metadata)
    vectors, n_rows = n_vectors(pipeline), len(problem.y)
    kept = f", {vectors} vectors" if vectors is not None else ""
    return {
        "path": str(options.output),
        "rows": n_rows,
        "vectors": vectors,
        "log_evidence": getattr(innermost(pipeline), "log_evidence_", None),
        "statement": f"saved {options.output}: {title} trained on all {n_rows} rows{kept}",
    }


def _document(path, options, problem, protocol, rows, saved):
    """Everything the table and the notes say, for machines."""
    return {
        "table": str(path),
        "target": options.target,
        "task": problem.task,
        "rows": len(problem.y),
        "columns": problem.kinds,
        "protocol": protocol,
        "machines": rows,
        "notes": problem.notes,
        "model": saved,
    }
