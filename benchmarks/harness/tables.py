"""Tables with categories and missing cells as data frames, with splits."""

import os
from pathlib import Path

import numpy as np
import pandas as pd

from .problems import Problem, _rng, halves, load

# Target column of the tables that are stored as raw CSV.
RAW = {
    "credit-data": "Status",
    "horse-colic": "surgical_lesion",
    "penguins": "species",
    "eucalyptus": "Utility",
}
# Sets whose columns are all categories, coded as numbers or as indicators "name=level".
_CATEGORIES = ("splice", "votes", "tic-tac-toe", "dna")
# Whole numbers up to which a column of German credit is a category; its coded attributes have fewer.
_GERMAN_LEVELS = 5


def table_problem(name: str, split: int) -> Problem:
    """Half of a table to train on, as a data frame, and the rest to test; adult has its own split."""
    if name in RAW:
        return _raw_problem(name, split)
    data = load(name)
    frame = table_of(name, data)
    train, test = data.splits[0] if name == "adult" else halves(data, split)
    parts = (frame.iloc[rows].reset_index(drop=True) for rows in (train, test))
    X, X_test = parts
    return Problem(f"{name}/{split}", X, data.y[train], X_test, data.y[test])


def table_of(name, data) -> pd.DataFrame:
    """Columns of a stored set as they were: indicators as one category, masked cells as missing."""
    names = [str(each) for each in (data.feature_names if len(data.feature_names) else [])]
    names = names or [f"x{place}" for place in range(data.X.shape[1])]
    columns: dict[str, list[int]] = {}
    for place, each in enumerate(names):
        columns.setdefault(each.split("=")[0] if "=" in each else each, []).append(place)
    frame, masked = {}, data.extras.get("missing")
    for column, places in columns.items():
        if "=" in names[places[0]]:
            levels = np.array([names[place].split("=", 1)[1] for place in places], dtype=object)
            frame[column] = levels[data.X[:, places].argmax(axis=1)]
            continue
        values = data.X[:, places[0]]
        if masked is not None:
            values = np.where(masked[:, places[0]], np.nan, values)
        frame[column] = _as_levels(values) if _is_category(name, values) else values
    return pd.DataFrame(frame)


def _is_category(name, values):
    if name == "german":
        return len(np.unique(values)) <= _GERMAN_LEVELS
    return name in _CATEGORIES


def _as_levels(values):
    return np.array([f"{value:g}" for value in values], dtype=object)


def _raw_problem(name, split):
    """Half of a raw CSV, with its text and empty cells."""
    load("iris")
    folder = Path(os.environ.get("PAUCA_DATA", "")) / "raw"
    if not (folder / f"{name}.csv").is_file():
        raise OSError(f"{folder / name}.csv is not there")
    frame = pd.read_csv(folder / f"{name}.csv")
    y = frame.pop(RAW[name]).astype(str).to_numpy()
    with np.load(folder / f"{name}_splits.npz") as splits:
        known = len(splits["half_train_index"]) > split
        if known:
            train, test = splits["half_train_index"][split], splits["half_test_index"][split]
    if not known:
        train, test = np.array_split(_rng(name, split).permutation(len(y)), 2)
    X, X_test = (frame.iloc[rows].reset_index(drop=True) for rows in (train, test))
    return Problem(f"{name}/{split}", X, y[train], X_test, y[test])
