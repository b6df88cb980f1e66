"""From the columns of a table to numbers: what kind each one is, and the pipeline that encodes them."""

import re

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from .errors import BadInput

# The kinds of column, by what pandas finds in its cells.
NUMBER, DATE, CATEGORY = "number", "date", "category"
_KIND = {
    **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal"), NUMBER),
    **dict.fromkeys(("datetime64", "datetime", "date"), DATE),
    **dict.fromkeys(("boolean", "categorical", "string", "mixed-integer"), CATEGORY),
}
_IDENTIFIER_NAME = re.compile(r"(unnamed: 0|index|row_?(id|number)?|.*[ _]id|id|uuid|guid)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_MAX_CATEGORIES = 20


def require_columns(table, names):
    """Refuse names that are not in the table."""
    unknown = [name for name in names if name not in table.columns]
    if unknown:
        raise BadInput(f"no column is called {_some(unknown)}; there are {_some(table.columns)}.")


def choose_columns(table, target, drop=()):
    """The kind of every column worth learning from, and a note on every other."""
    kinds, notes = {}, []
    names = table.columns.difference([target, *drop], sort=False)
    varying = set(_varying_numbers(table, names))
    for name in names:
        if name in varying:
            kinds[name] = NUMBER
            continue
        reason = _useless(table[name])
        if reason:
            notes.append(f"column {name!r} left out: {reason}")
        else:
            kinds[name] = kind_of(table[name])
    if not kinds:
        raise BadInput("no column is left to learn from" + (f" ({'; '.join(notes)})." if notes else "."))
    return kinds, notes


def features(table, kinds):
    """The chosen columns as numbers and text, the same way for training and for prediction."""
    missing = [name for name in kinds if name not in table.columns]
    if missing:
        raise BadInput(f"the table lacks the columns {_some(missing)}, which the model needs.")
    plain = _plain(table, [name for name, kind in kinds.items() if kind == NUMBER])
    values = table[plain].to_numpy(dtype=float)
    parts = [pd.DataFrame(np.where(np.isfinite(values), values, np.nan), table.index, plain)]
    others = [name for name in kinds if name not in parts[0]]
    parts += [_CONVERT[kinds[name]](table[name]) for name in others]
    return pd.concat(parts, axis=1)[list(kinds)] if others else parts[0]


def categories(kinds):
    """Names of the columns that are categories."""
    return [name for name, kind in kinds.items() if kind == CATEGORY]


def unseen(model, X, kinds):
    """A note on every category column with values that the training table did not have."""
    encoding = model[0] if isinstance(model, Pipeline) else None
    if not isinstance(encoding, ColumnTransformer) or "categories" not in encoding.named_transformers_:
        return []
    known = encoding.named_transformers_["categories"][-1].categories_
    strangers = {
        name: sorted(set(X[name].dropna()) - set(values))
        for name, values in zip(categories(kinds), known, strict=True)
    }
    return [
        f"column {name!r} holds {_some(values, 3)}, which no row had that the model was trained on"
        for name, values in strangers.items()
        if values
    ]


def preprocessing(kinds):
    """Impute and scale numbers and dates; impute and one-hot encode categories."""
    numeric = [name for name, kind in kinds.items() if kind != CATEGORY]
    categorical = categories(kinds)
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=_MAX_CATEGORIES, sparse_output=False
    )
    parts = [
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numeric),
        ("categories", make_pipeline(SimpleImputer(strategy="most_frequent"), encoder), categorical),
    ]
    return ColumnTransformer([part for part in parts if part[2]])


def cells(column):
    """What pandas finds in the cells of a column, in its own words."""
    return pd.api.types.infer_dtype(column, skipna=True)


def numbers(column):
    """A column as floats; infinities count as missing, text is refused."""
    values = pd.to_numeric(column, errors="coerce")
    _refuse_lost(column, values, "a number")
    return values.astype(float).replace([np.inf, -np.inf], np.nan)


def kind_of(column):
    """Number, date or category; None for what cannot be learned from."""
    kind = _KIND.get(cells(column))
    return DATE if kind == CATEGORY and _reads_as_dates(column) else kind


def _plain(table, names):
    """Those of the columns whose cells are numbers by their type, so that nobody need look at each."""
    dtypes = dict(table.dtypes)
    return [name for name in names if isinstance(dtypes[name], np.dtype) and dtypes[name].kind in "iuf"]


def _varying_numbers(table, names):
    """Columns of numbers, not all the same, that do not look like identifiers: worth learning from."""
    plain = [name for name in _plain(table, names) if not _IDENTIFIER_NAME.fullmatch(str(name))]
    values = table[plain].to_numpy(dtype=float)
    varies = np.fmin.reduce(values, axis=0) < np.fmax.reduce(values, axis=0)
    return [name for name, different in zip(plain, varies, strict=True) if different]


def _useless(column):
    """Why a column cannot teach anything, or None."""
    present = column.dropna()
    if len(present) == 0:
        return "it is empty"
    if kind_of(column) is None:
        return f"cells of type {cells(column)} are not understood"
    n_distinct = present.nunique()
    if n_distinct == 1:
        return "it is constant"
    if n_distinct == len(present) and _IDENTIFIER_NAME.fullmatch(str(column.name)):
        return "it looks like a row identifier"
    if cells(column) == "string" and present.str.fullmatch(_DECIMAL_COMMA).all():
        return "its numbers have decimal commas; write points"
    if kind_of(column) == CATEGORY and n_distinct > max(_MAX_CATEGORIES, len(present) // 2):
        return f"it looks like free text or an identifier ({n_distinct} distinct values)"
    return None


def _reads_as_dates(column):
    """Whether every cell is a date as in 2024-05-31, with or without a time."""
    present = column.dropna()
    if cells(column) != "string" or not present.str.match(r"\d{4}-\d{2}-\d{2}").all():
        return False
    return bool(_parse_dates(present).notna().all())


def _parse_dates(column):
    return pd.to_datetime(column, format="ISO8601", errors="coerce", utc=True)


def _days(column):
    """Days since 1970 as floats."""
    dates = _parse_dates(column)
    _refuse_lost(column, dates, "a date")
    return (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)


def as_text(cell):
    """A cell as text, whatever type the other cells of its column gave it: 1.0 is "1", TRUE is "True"."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    text = str(cell)
    return text.capitalize() if text.lower() in ("true", "false") else text


def _texts(column):
    """Cells as text; missing ones as NaN."""
    return column.astype(object).map(as_text, na_action="ignore").astype(object).where(column.notna(), np.nan)


def _refuse_lost(column, converted, what):
    """Refuse cells that were not missing before the conversion and are after it."""
    lost = column[column.notna() & converted.isna()]
    if len(lost):
        raise BadInput(f"column {column.name!r} holds {lost.iloc[0]!r}, which is not {what}.")


def _some(names, limit=8):
    """The first few names of a list."""
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")


_CONVERT = {NUMBER: numbers, DATE: _days, CATEGORY: _texts}
