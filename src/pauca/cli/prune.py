"""``pauca prune``: a saved ensemble cut down to the members that are best together on a table."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from pauca import PrunedEnsembleClassifier, PrunedEnsembleRegressor

from .columns import categories, features, kind_of, require_columns
from .errors import BadInput
from .predict import open_model
from .report import print_json, print_lines, progress
from .tables import check_destination, read_table
from .target import CLASSIFICATION, REGRESSION, drop_missing_target, read_target
from .trials import warnings_as_notes


@dataclass(frozen=True)
class PruneOptions:
    """What the command line asks for."""

    target: str | None = None
    method: str = "ordered"
    size: str = "0.2"
    out_of_bag: bool = False
    seed: int = 0
    output: Path | None = None


@dataclass(frozen=True)
class Judges:
    """The rows by which members are chosen."""

    task: str
    target: str
    kinds: dict[str, str]
    X: Any
    y: np.ndarray


def prune_model(model_path, table_path, options, as_json=False):
    """Choose members of the saved model by the rows of the table, say what that costs, and save them."""
    check_destination(options.output)
    model, metadata = open_model(model_path)
    judges, notes = _read_judges(model, metadata, table_path, options)
    with warnings_as_notes("model", notes), progress("prune", 1) as advance:
        small = _pruned(model, judges, options)
        advance()
    result = _result(model, small, judges)
    if options.output is not None:
        result |= _saved(small, judges, metadata, model_path, options.output)
    if as_json:
        described = {"model": str(model_path), "table": str(table_path), "target": judges.target}
        print_json({**described, "task": judges.task, "method": options.method, **result, "notes": notes})
    else:
        print_lines(_lines(result, judges, options))
        print_lines(notes, style="dim")


def _read_judges(model, metadata, path, options):
    """The rows of the table as the model takes them, and what was noticed."""
    target = options.target or metadata.get("target")
    if target is None:
        raise BadInput("the model does not say what it predicts; name the column with --target.")
    labels = [target] if is_classifier(model) and model.classes_.dtype.kind in "OU" else []
    table = read_table(path, text=[*categories(metadata.get("columns", {})), *labels])
    require_columns(table, [target])
    table, notes = drop_missing_target(table, target)
    task = metadata.get("task") or (CLASSIFICATION if is_classifier(model) else REGRESSION)
    _, y, _ = read_target(table[target], task)
    kinds = metadata.get("columns") or _kinds(model, table.drop(columns=target))
    return Judges(task, target, kinds, features(table, kinds), y), notes


def _kinds(model, table):
    """The kinds of the columns that a model saved without metadata was trained on."""
    names = list(getattr(model, "feature_names_in_", table.columns))
    require_columns(table, names)
    return {name: kind_of(table[name]) for name in names}


def _pruned(model, judges, options):
    """The model with its ensemble pruned; the steps before it stay as they are."""
    steps, ensemble = (model.steps[:-1], model.steps[-1][1]) if isinstance(model, Pipeline) else ([], model)
    kind = PrunedEnsembleClassifier if judges.task == CLASSIFICATION else PrunedEnsembleRegressor
    selection = "oob" if options.out_of_bag else "train"
    size = _size(options.size)
    pruned = kind(ensemble, options.method, size=size, selection=selection, random_state=options.seed)
    try:
        X = Pipeline(steps).transform(judges.X) if steps else judges.X
        pruned.fit(X, judges.y)
    except ValueError as error:
        raise BadInput(str(error)) from error
    return Pipeline([*steps, ("pruned", pruned)])


def _size(text):
    """A number of members, a share of them, or "auto"."""
    if text == "auto":
        return text
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError as error:
        raise BadInput(f"--size must be a number, a share or auto; got {text!r}.") from error


def _result(model, small, judges):
    """Members before and after, and the error of both on the table."""
    pruned = small[-1]
    return {
        "members": len(pruned.order_),
        "kept": len(pruned.selected_),
        "selected": pruned.selected_.tolist(),
        "error_all": _error(model, judges),
        "error_kept": _error(small, judges),
    }


def _error(model, judges):
    """Error rate, or root mean square error."""
    predicted = model.predict(judges.X)
    if judges.task == CLASSIFICATION:
        return float(np.mean(predicted != judges.y))
    return float(np.sqrt(np.mean(np.square(predicted - judges.y))))


def _saved(small, judges, metadata, model_path, output):
    """Save the pruned model with all that `pauca predict` needs; the sizes of both files."""
    from pauca.persistence import save

    described = {"task": judges.task, "target": judges.target, "columns": judges.kinds}
    before = Path(model_path).stat().st_size
    save(small, output, metadata={**metadata, **described})
    return {"output": str(output), "bytes_before": before, "bytes_after": Path(output).stat().st_size}


def _lines(result, judges, options):
    """The result in two or three lines."""
    classify = judges.task == CLASSIFICATION
    name, show = ("error", "{:.1%}") if classify else ("root mean square error", "{:.4g}")
    errors = [show.format(result[key]) for key in ("error_all", "error_kept")]
    lines = [
        f"kept {result['kept']} of {result['members']} members ({options.method})",
        f"{name} on the {len(judges.y)} rows: {errors[0]} with all of them, {errors[1]} with those kept",
    ]
    if "output" in result:
        before, after = (result[key] / 1000 for key in ("bytes_before", "bytes_after"))
        lines.append(f"saved {result['output']}: {after:.0f} kB instead of {before:.0f} kB")
    return lines
