"""``pauca prune``: a saved ensemble reduced to the members that are best together on a table."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from pauca import PrunedEnsembleClassifier, PrunedEnsembleRegressor
from pauca.ensembles.assessment import Assessment, assess

from ..errors import BadInput
from ..held_out import warnings_as_notes
from ..reports.progress import progress
from ..reports.terminal import print_json, print_lines
from ..tables.columns import categories, first_few, kind_of, require_columns
from ..tables.csv_format import CsvFormat
from ..tables.encoding import features
from ..tables.files import check_model_destination, open_model, read_table
from ..tables.target import CLASSIFICATION, REGRESSION, drop_missing_target, read_target


@dataclass(frozen=True)
class PruneOptions:
    """Options of ``pauca prune``; without a target, the one that the model was saved with."""

    target: str | None = None
    method: str = "ordered"
    size: str = "0.2"
    out_of_bag: bool = False
    seed: int = 0
    output: Path | None = None
    form: CsvFormat = field(default_factory=CsvFormat)


@dataclass(frozen=True)
class SelectionRows:
    """Rows of the table by which members are chosen, as the model takes them."""

    task: str
    target: str
    kinds: dict[str, Any]
    X: Any
    y: np.ndarray


def prune_model(model_path: Path, table_path: Path, options: PruneOptions, as_json: bool = False) -> None:
    """Choose members of the saved model by the rows of the table, print errors and sizes, and save."""
    check_model_destination(options.output)
    model, metadata = open_model(model_path)
    selection, notes = _read_rows(model, metadata, table_path, options)
    with warnings_as_notes("model", notes), progress("prune", 1) as advance:
        small, assessment = _pruned(model, selection, options)
        advance()
    result = _result(small, assessment)
    if assessment.source == "held-out":
        notes.append("both errors are too low if the ensemble was trained on rows of this table.")
    if options.output is not None:
        result |= _save(small, selection, metadata, model_path, options.output)
    if as_json:
        described = {"model": str(model_path), "table": str(table_path), "target": selection.target}
        print_json({**described, "task": selection.task, "method": options.method, **result, "notes": notes})
    else:
        print_lines(_lines(result, selection, options))
        print_lines(notes, style="dim")


def _read_rows(
    model: Any, metadata: dict[str, Any], path: Path, options: PruneOptions
) -> tuple[SelectionRows, list[str]]:
    """The rows of the table as the model takes them, and notes for the user."""
    target = options.target or metadata.get("target")
    if target is None:
        raise BadInput("the model does not say what it predicts; name the column with --target.")
    labels = [target] if is_classifier(model) and model.classes_.dtype.kind in "OU" else []
    file_notes: list[str] = []
    text = [*categories(metadata.get("columns", {})), *labels]
    table = read_table(path, text, options.form, file_notes)
    require_columns(table, [target])
    table, notes = drop_missing_target(table, target)
    notes = file_notes + notes
    task = metadata.get("task") or (CLASSIFICATION if is_classifier(model) else REGRESSION)
    _, y, _ = read_target(table[target], task)
    kinds = metadata.get("columns") or _kinds(model, table.drop(columns=target))
    return SelectionRows(task, target, kinds, features(table, kinds), y), notes


def _kinds(model: Any, table: pd.DataFrame) -> dict[str, Any]:
    """The kinds of the columns that a model saved without metadata was trained on."""
    names = list(getattr(model, "feature_names_in_", table.columns))
    require_columns(table, names)
    kinds = {name: kind_of(table[name]) for name in names}
    unusable = [name for name, kind in kinds.items() if kind is None]
    if unusable:
        raise BadInput(f"the cells of {first_few(unusable)} are neither numbers, dates nor categories.")
    return kinds


def _pruned(model: Any, selection: SelectionRows, options: PruneOptions) -> tuple[Pipeline, Assessment]:
    """The model with its ensemble pruned, the steps before it as they are, and errors before and after."""
    steps, ensemble = (model.steps[:-1], model.steps[-1][1]) if isinstance(model, Pipeline) else ([], model)
    kind = PrunedEnsembleClassifier if selection.task == CLASSIFICATION else PrunedEnsembleRegressor
    rows = "oob" if options.out_of_bag else "auto"
    size = _size(options.size)
    pruned = kind(ensemble, options.method, size=size, selection=rows, random_state=options.seed)
    try:
        X = Pipeline(steps).transform(selection.X) if steps else selection.X
        pruned.fit(X, selection.y)
        assessment = assess(clone(pruned).set_params(ensemble=FrozenEstimator(ensemble)), X, selection.y)
    except ValueError as error:
        raise BadInput(str(error)) from error
    return Pipeline([*steps, ("pruned", pruned)]), assessment


def _size(text: str) -> int | float | str:
    """A number of members, a fraction of them, or "auto"."""
    if text == "auto":
        return text
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError as error:
        raise BadInput(f"--size must be a number, a fraction or auto; got {text!r}.") from error


def _result(small: Pipeline, assessment: Assessment) -> dict[str, Any]:
    """Members before and after, and the error of both on rows that neither trained nor chose them."""
    pruned = small[-1]
    return {
        "members": len(pruned.order_),
        "kept": len(pruned.selected_),
        "selected": pruned.selected_.tolist(),
        "errors_from": assessment.source,
        "error_all": assessment.error_all,
        "error_kept": assessment.error_kept,
    }


def _save(
    small: Pipeline, selection: SelectionRows, metadata: dict[str, Any], model_path: Path, output: Path
) -> dict[str, Any]:
    """Save the pruned model with all that `pauca predict` needs; the sizes of both files."""
    from pauca.persistence import save

    described = {"task": selection.task, "target": selection.target, "columns": selection.kinds}
    before = Path(model_path).stat().st_size
    save(small, output, metadata={**metadata, **described})
    return {"output": str(output), "bytes_before": before, "bytes_after": Path(output).stat().st_size}


def _lines(result: dict[str, Any], selection: SelectionRows, options: PruneOptions) -> list[str]:
    """The result in two or three lines."""
    classify = selection.task == CLASSIFICATION
    name, show = ("error", "{:.1%}") if classify else ("root mean square error", "{:.4g}")
    errors = [show.format(result[key]) for key in ("error_all", "error_kept")]
    lines = [
        f"kept {result['kept']} of {result['members']} members ({options.method})",
        f"{result['errors_from']} {name} on the {len(selection.y)} rows: {errors[0]} with all members, "
        f"{errors[1]} with those kept",
    ]
    if "output" in result:
        before, after = (result[key] / 1000 for key in ("bytes_before", "bytes_after"))
        lines.append(f"saved {result['output']}: {after:.0f} kB instead of {before:.0f} kB")
    return lines
