"""Columns of a table as numbers: conversion of the cells, and the preprocessing before every machine."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ..errors import BadInput
from .columns import (
    CATEGORY,
    DATE,
    MAX_CATEGORIES,
    NUMBER,
    categories,
    first_few,
    numeric_by_dtype,
    parse_dates,
)


def features(table: pd.DataFrame, kinds: dict[str, str]) -> pd.DataFrame:
    """The chosen columns as floats and text, converted alike for training and for prediction."""
    missing = [name for name in kinds if name not in table.columns]
    if missing:
        raise BadInput(f"the table lacks the columns {first_few(missing)}, which the model needs.")
    plain = numeric_by_dtype(table, [name for name, kind in kinds.items() if kind == NUMBER])
    values = table[plain].to_numpy(dtype=float)
    parts = [pd.DataFrame(np.where(np.isfinite(values), values, np.nan), table.index, plain)]
    others = [name for name in kinds if name not in parts[0]]
    parts += [_CONVERT[kinds[name]](table[name]) for name in others]
    return pd.concat(parts, axis=1)[list(kinds)] if others else parts[0]


def preprocessing(kinds: dict[str, str]) -> ColumnTransformer:
    """Impute and scale numbers and dates; impute and one-hot encode categories."""
    numeric = [name for name, kind in kinds.items() if kind != CATEGORY]
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MAX_CATEGORIES, sparse_output=False
    )
    parts = [
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numeric),
        ("categories", make_pipeline(SimpleImputer(strategy="most_frequent"), encoder), categories(kinds)),
    ]
    return ColumnTransformer([part for part in parts if part[2]])


def unseen_categories(model: Any, X: pd.DataFrame, kinds: dict[str, str]) -> list[str]:
    """A note on every column with categories that the training table did not have."""
    encoding = model[0] if isinstance(model, Pipeline) else None
    if not isinstance(encoding, ColumnTransformer) or "categories" not in encoding.named_transformers_:
        return []
    known = encoding.named_transformers_["categories"][-1].categories_
    unseen = {
        name: sorted(set(X[name].dropna()) - set(values))
        for name, values in zip(categories(kinds), known, strict=True)
    }
    return [
        f"column {name!r} has categories that the training table did not have: {first_few(values, 3)}"
        for name, values in unseen.items()
        if values
    ]


def numbers(column: pd.Series) -> pd.Series:
    """A column as floats; infinities count as missing, text is refused."""
    values = pd.to_numeric(column, errors="coerce")
    _refuse_lost(column, values, "a number")
    return values.astype(float).replace([np.inf, -np.inf], np.nan)


def as_text(cell: object) -> str:
    """A cell as text, whatever type the other cells of its column gave it: 1.0 is "1", TRUE is "True"."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    text = str(cell)
    return text.capitalize() if text.lower() in ("true", "false") else text


def _days(column: pd.Series) -> pd.Series:
    """Dates as days since 1970-01-01."""
    dates = parse_dates(column)
    _refuse_lost(column, dates, "a date")
    return (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)


def _texts(column: pd.Series) -> pd.Series:
    """Cells as text; missing ones as NaN."""
    return column.astype(object).map(as_text, na_action="ignore").astype(object).where(column.notna(), np.nan)


def _refuse_lost(column: pd.Series, converted: pd.Series, what: str) -> None:
    """Refuse cells that the conversion made missing."""
    lost = column[column.notna() & converted.isna()]
    if len(lost):
        raise BadInput(f"column {column.name!r} holds {lost.iloc[0]!r}, which is not {what}.")


_CONVERT = {NUMBER: numbers, DATE: _days, CATEGORY: _texts}
