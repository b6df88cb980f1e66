"""Encoding of OpenML's tables as arrays of numbers.

* Numbers stay numbers. Rows in which a number is missing are dropped.
* Nominal columns that have codes in the registry, or whose values all read as numbers, become one column
  each; ``categorical`` marks them.
* Other nominal columns are one-hot encoded over the values that occur, among them "?" for a missing one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .arff import as_numbers, read_arff
from .registry import Source

Columns = Iterator[tuple[str, np.ndarray, bool]]


def encode_table(text: str, source: Source, description: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Parse an ARFF table and encode it as the registry says."""
    table = read_arff(text)
    target = table.pop(description["default_target_attribute"])
    unused = {
        *_names(description, "ignore_attribute"),
        *_names(description, "row_id_attribute"),
        *source.dropped,
    }
    used = {name: values for name, values in table.items() if name not in unused}
    encoded = [column for item in used.items() for column in _encode_column(*item, source.codes)]
    names, columns, categorical = zip(*encoded, strict=True)
    X = np.column_stack(columns)
    complete = ~np.isnan(X).any(axis=1)
    arrays = {"X": X[complete], "feature_names": np.array(names), "categorical": np.array(categorical)}
    return arrays | _encode_target(target[complete], source)


def _names(description: Mapping[str, Any], key: str) -> list[str]:
    """Column names in a field of OpenML's description, which is a list, text with commas, or missing."""
    value = description.get(key) or []
    return value.split(",") if isinstance(value, str) else list(value)


def _encode_column(name: str, values: np.ndarray, codes: Mapping[str, float]) -> Columns:
    """Encode one column: unchanged, by codes, or one-hot."""
    if values.dtype.kind == "f":
        yield name, values, False
    elif codes.keys() >= set(values.tolist()):
        yield name, np.array([codes[value] for value in values.tolist()]), True
    elif _reads_as_numbers(values):
        yield name, as_numbers(values), True
    else:
        for value in np.unique(values):
            yield f"{name}={value}", (values == value).astype(float), False


def _reads_as_numbers(values: np.ndarray) -> bool:
    """Whether every value but the missing ones is a number."""
    try:
        as_numbers(values)
    except ValueError:
        return False
    return True


def _encode_target(target: np.ndarray, source: Source) -> dict[str, np.ndarray]:
    """Encode the target for the task, with the names of the classes."""
    if source.task == "regression":
        return {"y": target.astype(float)}
    if source.at_most is not None:
        y = np.where(target.astype(float) <= source.at_most, 1, -1).astype(np.int8)
        return {"y": y, "class_names": np.array([f"> {source.at_most:g}", f"<= {source.at_most:g}"])}
    target = np.char.mod("%g", target) if target.dtype.kind == "f" else target
    classes = _ordered_classes(target)
    if source.task == "binary":
        return _encode_binary(target, classes, source.positive)
    y = np.argmax(target[:, None] == classes, axis=1).astype(np.int16)
    return {"y": y, "class_names": classes}


def _ordered_classes(target: np.ndarray) -> np.ndarray:
    """Classes in numeric order if all are numbers, else in alphabetic order."""
    classes = np.unique(target)
    return classes[np.argsort(as_numbers(classes))] if _reads_as_numbers(classes) else classes


def _encode_binary(target: np.ndarray, classes: np.ndarray, positive: str | None) -> dict[str, np.ndarray]:
    """Encode two classes as -1 and +1."""
    if len(classes) != 2 or (positive is not None and positive not in classes):
        raise ValueError(f"expected two classes with {positive or 'any'} as +1, found {classes.tolist()}")
    positive = classes[1] if positive is None else positive
    negative = classes[classes != positive][0]
    y = np.where(target == positive, 1, -1).astype(np.int8)
    return {"y": y, "class_names": np.array([negative, positive])}
