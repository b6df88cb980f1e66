"""``pauca predict``: a saved model on a new table."""

import sys

import pandas as pd
from scipy.stats import entropy

from pauca.evaluation import interval
from pauca.evaluation.trials import predict_distribution
from pauca.persistence import load, read_metadata

from .columns import categories, features, unseen
from .errors import BadInput
from .report import print_json, print_lines, progress
from .tables import check_destination, read_table, write_table
from .target import CLASSIFICATION
from .trials import warnings_as_notes


def predict_table(model_path, table_path, output=None, as_json=False):
    """Write the table with its predictions, to a file or as CSV on stdout."""
    check_destination(output)
    model, metadata = open_model(model_path, "task", "columns", "target")
    kinds = metadata["columns"]
    table = read_table(table_path, text=categories(kinds))
    X = features(table, kinds)
    notes = unseen(model, X, kinds)
    with warnings_as_notes("model", notes), progress("predict", 1) as advance:
        predictions = _predict(model, X, metadata["task"])
        advance()
    replaced = table.columns.intersection(predictions.columns)
    notes += [f"column {name!r} of the table was replaced" for name in replaced]
    if output is not None:
        write_table(pd.concat([table.drop(columns=replaced), predictions], axis=1), output)
    elif not as_json:
        write_table(pd.concat([table.drop(columns=replaced), predictions], axis=1), sys.stdout)
    _report(predictions, metadata, notes, output, as_json)


def open_model(path, *needed):
    """The model and its metadata, which must have what is ``needed``."""
    try:
        metadata = read_metadata(path)
        if not set(needed) <= metadata.keys():
            raise BadInput(f"{path} was not saved by `pauca fit`: it does not say which columns it needs.")
        return load(path), metadata
    except (OSError, ValueError) as error:
        raise BadInput(_reason(path, error)) from error


def _reason(path, error):
    if isinstance(error, FileNotFoundError):
        return f"{path} does not exist."
    return f"{path} cannot be read: {error.strerror}." if isinstance(error, OSError) else str(error)


def _predict(model, X, task):
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


def _report(predictions, metadata, notes, output, as_json):
    """Say what was done: as JSON, or in a line if stdout does not hold the table."""
    if as_json:
        result = {"output": str(output)} if output else {"predictions": predictions.to_dict(orient="records")}
        described = {"target": metadata["target"], "task": metadata["task"], "rows": len(predictions)}
        print_json({**described, "notes": notes, **result})
        return
    for note in notes:
        print(note, file=sys.stderr)
    if output is not None:
        print_lines([f"wrote {output}: {len(predictions)} rows with predictions of {metadata['target']!r}"])
