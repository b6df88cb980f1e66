"""``pauca fit``: learn from a table, score on held-out rows, save the model."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sklearn.base import clone

from pauca.evaluation import innermost, n_vectors

from ..contenders import left_out_peers, make_machine, make_peers
from ..errors import BadInput
from ..held_out import HeldOutTask, Splits, folds, hold_out, score_estimators, warnings_as_notes
from ..reports.progress import progress
from ..reports.terminal import print_json, print_lines, print_scores
from ..tables.csv_format import CsvFormat
from ..tables.encoding import model_of
from ..tables.files import check_model_destination
from ..tables.training import TrainingTable, read_training_table

# Fraction of the rows held out unless given; scikit-learn's own default.
DEFAULT_TEST_SIZE = 0.25


@dataclass(frozen=True)
class FitOptions:
    """Options of ``pauca fit``; without a machine, the default one of the task is trained."""

    target: str
    machine: str | None = None
    task: str = "auto"
    test_size: float | None = None
    cv: int | None = None
    seed: int = 0
    drop: tuple[str, ...] = ()
    compare: bool = True
    output: Path | None = None
    form: CsvFormat = field(default_factory=CsvFormat)
    groups: str | None = None


def fit_table(path: Path, options: FitOptions, as_json: bool = False) -> None:
    """Score the machine beside its peers on held-out rows, then refit on all rows and save."""
    check_model_destination(options.output)
    training = read_training_table(
        path, options.target, options.task, options.drop, options.form, options.groups
    )
    name, title, machine = make_machine(options.machine, training.task, options.seed)
    protocol, splits = _splits(training, options)
    held_out = HeldOutTask(training.task, training.X, training.y, splits)
    rows = _compare(title, machine, held_out, training, options)
    saved = None
    if options.output is not None:
        saved = _refit(name, title, machine, training, options.target, options.output)
    if as_json:
        print_json(_document(path, options, training, protocol, rows, saved))
    else:
        print_scores(f"{path}: {options.target}, {protocol}", rows, training.task)
        print_lines(training.notes, style="dim")
        print_lines([saved["statement"]] if saved else [])


def _splits(training: TrainingTable, options: FitOptions) -> tuple[str, Splits]:
    """A description of the protocol, and its splits."""
    if options.cv is not None and options.test_size is not None:
        raise BadInput("--cv and --test-size exclude each other.")
    if options.cv is not None:
        protocol = f"{options.cv}-fold cross-validation on {len(training.y)} rows"
        return protocol, folds(training.task, training.y, options.cv, options.seed, training.groups)
    test_size = DEFAULT_TEST_SIZE if options.test_size is None else options.test_size
    splits = hold_out(training.task, training.y, test_size, options.seed, training.groups)
    train, test = splits[0]
    return f"trained on {len(train)} rows, scored on {len(test)} held-out rows", splits


def _compare(
    title: str, machine: Any, held_out: HeldOutTask, training: TrainingTable, options: FitOptions
) -> list[dict[str, Any]]:
    """One row of scores for every estimator; a peer that fails leaves a note instead."""
    estimators = {title: machine}
    if options.compare:
        y = held_out.y[held_out.splits[0][0]]
        estimators |= make_peers(held_out.task, y, options.seed)
        training.notes.extend(left_out_peers(len(y)))
    pipelines = {name: model_of(estimator, training.kinds) for name, estimator in estimators.items()}
    return score_estimators(pipelines, held_out, training.notes)


def _refit(
    name: str, title: str, machine: Any, training: TrainingTable, target: str, output: Path
) -> dict[str, Any]:
    """Train on all rows and save; a description of the saved model."""
    from pauca.persistence import save

    pipeline = model_of(clone(machine), training.kinds)
    with (
        warnings_as_notes(title, training.notes),
        progress(f"{title} on all {len(training.y)} rows, to save it", 1) as advance,
    ):
        pipeline.fit(training.X, training.y)
        advance()
    metadata = {
        "task": training.task,
        "target": target,
        "columns": training.kinds,
        "machine": name,
    }
    save(pipeline, output, metadata=metadata)
    vectors, n_rows = n_vectors(pipeline), len(training.y)
    kept = f", {vectors} vectors" if vectors is not None else ""
    return {
        "path": str(output),
        "rows": n_rows,
        "vectors": vectors,
        "log_evidence": getattr(innermost(pipeline), "log_evidence_", None),
        "statement": f"saved {output}: {title} trained on all {n_rows} rows{kept}",
    }


def _document(
    path: Path,
    options: FitOptions,
    training: TrainingTable,
    protocol: str,
    rows: list[dict[str, Any]],
    saved: dict[str, Any] | None,
) -> dict[str, Any]:
    """Everything that the table and the notes say, for ``--json``."""
    return {
        **training.description(path, options.target),
        "columns": training.kinds,
        "protocol": protocol,
        "machines": rows,
        "notes": training.notes,
        "model": saved,
    }
