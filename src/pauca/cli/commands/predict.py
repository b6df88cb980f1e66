"""``pauca predict``: predictions of a saved model for a new table."""

import sys
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import entropy

from pauca.evaluation import interval
from pauca.evaluation.trials import predict_distribution

from ..held_out import warnings_as_notes
from ..reports.progress import progress
from ..reports.terminal import print_json, print_lines
from ..tables.columns import categories
from ..tables.csv_format import CsvFormat
from ..tables.encoding import features, unseen_categories
from ..tables.files import check_destination, open_model, read_table, write_table
from ..tables.target import CLASSIFICATION
from ..tables.training import infinity_notes


def predict_table(
    model_path: Path,
    table_path: Path,
    output: Path | None = None,
    form: CsvFormat | None = None,
    as_json: bool = False,
    escape_formulas: bool = False,
) -> None:
    """Write the table with its predictions, to a file or as CSV on stdout."""
    check_destination(output)
    model, metadata = open_model(model_path, "task", "columns", "target")
    kinds = metadata["columns"]
    notes: list[str] = []
    table = read_table(table_path, categories(kinds), form, notes)
    X = features(table, kinds)
    notes += infinity_notes(table[list(kinds)]) + unseen_categories(model, X, kinds)
    with warnings_as_notes("model", notes), progress("predict", 1) as advance:
        predictions = _predict(model, X, metadata["task"])
        advance()
    replaced = table.columns.intersection(predictions.columns)
    notes += [f"column {name!r} of the table was replaced" for name in replaced]
    if output is not None or not as_json:
        completed = pd.concat([table.drop(columns=replaced), predictions], axis=1)
        write_table(completed, sys.stdout if output is None else output, escape_formulas)
    _report(predictions, metadata, notes, output, as_json)


def _predict(model: Any, X: pd.DataFrame, task: str) -> pd.DataFrame:
    """Prediction, probabilities and uncertainty as columns."""
    distribution = predict_distribution(model, X, task)
    if task == CLASSIFICATION:
        columns = {"prediction": model.classes_[distribution.argmax(axis=1)]}
        columns |= {f"p_{label}": p for label, p in zip(model.classes_, distribution.T, strict=True)}
        return pd.DataFrame({**columns, "entropy": entropy(distribution, base=2, axis=1)})
    mean, std = distribution
    if std is None:
        return pd.DataFrame({"prediction": mean})
    lower, upper = interval(mean, std)
    return pd.DataFrame({"prediction": mean, "std": std, "lower_95": lower, "upper_95": upper})


def _report(
    predictions: pd.DataFrame,
    metadata: dict[str, Any],
    notes: list[str],
    output: Path | None,
    as_json: bool,
) -> None:
    """Say what was done: as JSON, or in a line if stdout does not hold the table."""
    if as_json:
        result: dict[str, Any] = {"output": str(output)}
        if output is None:
            result = {"predictions": predictions.to_dict(orient="records")}
        described = {"target": metadata["target"], "task": metadata["task"], "rows": len(predictions)}
        print_json({**described, "notes": notes, **result})
        return
    for note in notes:
        print(note, file=sys.stderr)
    if output is not None:
        print_lines([f"wrote {output}: {len(predictions)} rows with predictions of {metadata['target']!r}"])
