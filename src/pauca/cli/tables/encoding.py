"""Columns of a table as numbers: conversion of the cells, and the preprocessing before every machine."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pauca.machines.on_tables import TableInput
from pauca.tables import CATEGORY, TableReader

from ..errors import BadInput
from .columns import MAX_CATEGORIES, categories, first_few


def features(table: pd.DataFrame, kinds: dict[str, str]) -> pd.DataFrame:
    """The chosen columns of a table as they are, once it is known that they can be read."""
    missing = [name for name in kinds if name not in table.columns]
    if missing:
        raise BadInput(f"the table lacks the columns {first_few(missing)}, which the model needs.")
    try:
        TableReader(kinds).transform(table)
    except ValueError as error:
        raise BadInput(str(error)) from error
    return table[list(kinds)]


def model_of(estimator: Any, kinds: dict[str, str]) -> Pipeline:
    """Pipeline from the table to a machine: machines that take tables see them, all others see numbers.

    The saved pipeline takes frames as they are read from a file.
    """
    if isinstance(estimator, TableInput):
        return make_pipeline(TableReader(kinds), estimator)
    return make_pipeline(TableReader(kinds), preprocessing(kinds), estimator)


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
    if not isinstance(model, Pipeline) or not isinstance(model[0], TableReader):
        return []
    X, encoding = model[0].transform(X), model[1]
    if isinstance(encoding, TableInput):
        return [] if encoding._columns is None else encoding._columns.unfamiliar_levels(X)
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


def _refuse_lost(column: pd.Series, converted: pd.Series, what: str) -> None:
    """Refuse cells that the conversion made missing."""
    lost = column[column.notna() & converted.isna()]
    if len(lost):
        raise BadInput(f"column {column.name!r} holds {lost.iloc[0]!r}, which is not {what}.")
