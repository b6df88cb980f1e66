"""Pipelines that end in a machine: their scalers, imputers and encoders become part of its portable form."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.utils.validation import check_is_fitted

from ..tables import TableReader
from .errors import CannotExport
from .forest import PortableEnsemble
from .form import Portable
from .inputs import ANY_OTHER, Inputs


@dataclass(frozen=True)
class Column:
    """A column on its way to the machine: (value - centre) · factor, or an indicator of one value.

    ``fill`` replaces missing values: a number, or a category until an encoder makes codes of it.
    """

    source: int
    fill: Any = np.nan
    equals: float = np.nan
    centre: float = 0.0
    factor: float = 1.0
    levels: tuple | None = None

    def scaled(self, centre: float, factor: float) -> "Column":
        """Column ((value - own centre) · own factor - centre) · factor."""
        return replace(self, centre=self.centre + centre / self.factor, factor=self.factor * factor)


def portable_of(model: Any) -> Portable | PortableEnsemble:
    """Portable form of a fitted machine, of a pruned ensemble, or of a pipeline that ends in a machine.

    Parameters
    ----------
    model : estimator
        Fitted model. Scalers, imputers and one-hot encoders of a pipeline become part of the form.

    Returns
    -------
    form : Portable or PortableEnsemble
        Arrays that say all about the predictions; ``Predictor(form)`` evaluates them.

    Raises
    ------
    CannotExport
        If the model, or a step before it, has none.
    """
    if isinstance(model, Pipeline):
        return _pipeline(model)
    if not hasattr(model, "_portable"):
        raise CannotExport(
            f"model must be a machine or a pruned ensemble of pauca, or a pipeline that ends in one; got "
            f"{type(model).__name__}. Make a small machine of it with pauca.distil."
        )
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
    return model._portable()


def _pipeline(model):
    check_is_fitted(model)
    form = portable_of(model.steps[-1][1])
    steps = [step for _, step in model.steps[:-1] if step not in (None, "passthrough")]
    if not steps:
        return form
    if not isinstance(form, Portable) or not form.inputs.are_plain:
        raise CannotExport(
            "Preprocessing before an ensemble, or before a machine that encodes, cannot be exported."
        )
    names = tuple(map(str, getattr(model, "feature_names_in_", ())))
    columns = [Column(place) for place in range(model.n_features_in_)]
    for step in steps:
        columns = transformed(step, columns)
    return _folded(form, columns, names, model.n_features_in_)


def _folded(form: Portable, columns: Sequence[Column], names: tuple[str, ...], n_given: int) -> Portable:
    """Form whose inputs and placing include the preprocessing."""
    if any(isinstance(column.fill, str) for column in columns):
        raise CannotExport("A column of text must be encoded before the machine; add a OneHotEncoder.")
    fields = ((column.source, column.fill, column.equals) for column in columns)
    source, fill, equals = (np.array(part) for part in zip(*fields, strict=True))
    levels = {column.source: column.levels for column in columns if column.levels is not None}
    inputs = Inputs(names, n_given, source, fill.astype(float), equals.astype(float), levels)
    inner = np.array([column.factor for column in columns])
    centre = np.array([column.centre for column in columns])
    return replace(form, inputs=inputs, centre=centre + form.centre / inner, factor=inner * form.factor)


def transformed(step: Any, columns: list[Column]) -> list[Column]:
    """Columns after a fitted transformer."""
    for kind, transform in _TRANSFORMS.items():
        if isinstance(step, kind):
            return transform(step, columns)
    known = ", ".join(kind.__name__ for kind in _TRANSFORMS)
    raise CannotExport(
        f"The step {type(step).__name__} cannot be exported: use {known}, or transform rows before."
    )


def _read(step: TableReader, columns: list[Column]) -> list[Column]:
    """Dates go into the exported form as days since 1970."""
    return columns


def _unchanged(step: FunctionTransformer, columns: list[Column]) -> list[Column]:
    if step.func is not None:
        raise CannotExport("FunctionTransformer cannot be exported; transform rows before the pipeline.")
    return columns


def _affine(centres, factors, columns):
    return [
        column.scaled(centre, factor)
        for column, centre, factor in zip(columns, centres, factors, strict=True)
    ]


def _standard(step, columns):
    n = len(columns)
    centres = step.mean_ if step.mean_ is not None and step.with_mean else np.zeros(n)
    return _affine(centres, 1 / step.scale_ if step.scale_ is not None else np.ones(n), columns)


def _robust(step, columns):
    n = len(columns)
    centres = step.center_ if step.with_centering else np.zeros(n)
    return _affine(centres, 1 / step.scale_ if step.with_scaling else np.ones(n), columns)


def _min_max(step, columns):
    if step.clip:
        raise CannotExport("MinMaxScaler(clip=True) cannot be exported; use clip=False.")
    return _affine(-step.min_ / step.scale_, step.scale_, columns)


def _max_abs(step, columns):
    return _affine(np.zeros(len(columns)), 1 / step.scale_, columns)


def _imputed(step, columns):
    values = step.statistics_
    numbers = np.array([isinstance(value, str) or value == value for value in values])
    is_nan = isinstance(step.missing_values, float) and np.isnan(step.missing_values)
    if step.add_indicator or not is_nan or not numbers.all():
        raise CannotExport(
            "SimpleImputer is exported for nan, without indicators, where every column has values."
        )
    return [_filled(column, value) for column, value in zip(columns, values, strict=True)]


def _filled(column, value):
    """Column whose missing values become ``value`` after the steps so far."""
    if isinstance(value, str):
        return replace(column, fill=value)
    if isinstance(column.fill, str) or column.fill == column.fill or column.equals == column.equals:
        return column
    return replace(column, fill=float(value) / column.factor + column.centre)


def _one_hot(step: OneHotEncoder, columns: list[Column]) -> list[Column]:
    """Indicators of the values of each column; categories of text get codes, 0, 1, ..."""
    if step.drop is not None:
        raise CannotExport("OneHotEncoder(drop=...) cannot be exported; use drop=None.")
    rare = step.infrequent_categories_ if step._infrequent_enabled else [None] * len(columns)
    parts = zip(columns, step.categories_, rare, strict=True)
    return [each for column, values, few in parts for each in _indicators(column, list(values), few)]


def _indicators(column: Column, values: list, rare: Any) -> list[Column]:
    if column.centre != 0 or column.factor != 1:
        raise CannotExport("OneHotEncoder after a scaler cannot be exported; encode the column as it is.")
    frequent = [value for value in values if rare is None or value not in set(rare)]
    if not any(isinstance(value, str) for value in values):
        if rare is not None:
            raise CannotExport(
                "Rare numbers in one column of OneHotEncoder cannot be exported; make them text."
            )
        return [replace(column, equals=float(value)) for value in frequent]
    n = len(frequent) + (rare is not None)
    fill = column.fill
    if isinstance(fill, str):
        fill = float(frequent.index(fill)) if fill in frequent else float(len(frequent))
    levels = (*map(str, frequent), *([ANY_OTHER] if rare is not None else []))
    return [replace(column, fill=fill, equals=float(code), levels=levels) for code in range(n)]


def _split(step: ColumnTransformer, columns: list[Column]) -> list[Column]:
    """Columns after each part of a column transformer, one part after the other."""
    result: list[Column] = []
    for name, part, _ in step.transformers_:
        chosen = [columns[place] for place in _places(step, name)]
        if not chosen or part == "drop":
            continue
        result += chosen if part == "passthrough" else transformed(part, chosen)
    return result


def _places(step, name) -> NDArray:
    """Places of the columns of a part."""
    places = step._transformer_to_input_indices.get(name, [])
    return np.arange(step.n_features_in_)[places] if isinstance(places, slice) else np.asarray(places, int)


def _chain(step: Pipeline, columns: list[Column]) -> list[Column]:
    for _, each in step.steps:
        columns = columns if each in (None, "passthrough") else transformed(each, columns)
    return columns


_TRANSFORMS: dict[type, Any] = {
    StandardScaler: _standard,
    RobustScaler: _robust,
    MinMaxScaler: _min_max,
    MaxAbsScaler: _max_abs,
    SimpleImputer: _imputed,
    OneHotEncoder: _one_hot,
    ColumnTransformer: _split,
    Pipeline: _chain,
    FunctionTransformer: _unchanged,
    TableReader: _read,
}
