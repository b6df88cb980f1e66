"""Find a dataset by name: on disk, in the cache, in scikit-learn, or on OpenML."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from typing import Any

import numpy as np

from .dataset import Dataset, DatasetNotFound, from_arrays
from .openml.download import fetch
from .openml.registry import REGISTRY
from .storage import cache_directory, directories, read_arrays, write_arrays

#: Names of scikit-learn's loaders, by our names of the datasets.
BUNDLED = {
    "digits": "load_digits",
    "iris": "load_iris",
    "wdbc": "load_breast_cancer",
    "wine": "load_wine",
}


def load(
    name: str,
    *,
    data_home: str | os.PathLike | None = None,
    download: bool = True,
    verbose: bool = True,
    base_url: str | None = None,
) -> Dataset:
    """Load a dataset by name.

    These places are searched in order: the directory ``$PAUCA_DATA``, the cache, the datasets that come with
    scikit-learn, OpenML. A download is checked, encoded and kept in the cache.

    Parameters
    ----------
    name : str
        One of the names that :func:`available` lists.
    data_home : path-like, default=None
        Cache directory; by default ``$XDG_CACHE_HOME/pauca`` or ``~/.cache/pauca``.
    download : bool, default=True
        Whether to ask OpenML when the dataset is not on this machine.
    verbose : bool, default=True
        Whether to show the progress of a download on stderr.
    base_url : str, default=None
        Address of an OpenML server, by default the public one.

    Returns
    -------
    dataset : Dataset
        Two classes are labelled -1 and +1, more classes 0, ..., K - 1.

    Raises
    ------
    DatasetNotFound
        If the name is not known, or the dataset is not here and cannot be downloaded.
    DatasetCorrupted
        If a file or a transfer is damaged.

    Notes
    -----
    Files are npz archives with the arrays ``X`` and ``y`` and, where known, ``feature_names``,
    ``class_names`` and index tables of splits (``train_index`` and ``test_index``, one row for each
    split; prefix ``half_`` for halves, ``orig_`` for published ones). Labels are as in the file.

    A download brings the values as OpenML has them, not standardised and without splits. Rows with
    missing numbers are dropped. Nominal columns with numeric values, or with codes in the registry, become
    one column (marked in ``extras["categorical"]``); the others are one-hot encoded, a missing value being a
    value of its own.
    """
    _check_name(name, data_home)
    for directory in directories(data_home):
        path = directory / f"{name}.npz"
        if path.is_file():
            return from_arrays(name, read_arrays(path))
    if name in BUNDLED:
        return from_arrays(name, bundled_arrays(name))
    if name not in REGISTRY:
        raise _unknown(name, data_home)
    if not download:
        raise DatasetNotFound(
            f"Dataset {name!r} is not on this machine: set PAUCA_DATA to a directory that holds "
            f"{name}.npz, or allow the download with download=True."
        )
    arrays = fetch(name, REGISTRY[name], base_url=base_url, verbose=verbose)
    write_arrays(cache_directory(data_home) / f"{name}.npz", arrays)
    return from_arrays(name, arrays)


def available(data_home: str | os.PathLike | None = None) -> dict[str, str]:
    """Names that :func:`load` knows, and where each would come from.

    Parameters
    ----------
    data_home : path-like, default=None
        Cache directory, as in :func:`load`.

    Returns
    -------
    places : dict of str to str
        Sorted by name; the values are "local" (a file on this machine), "bundled" (with scikit-learn) and
        "download" (OpenML).
    """
    places = dict.fromkeys(REGISTRY, "download") | dict.fromkeys(BUNDLED, "bundled")
    for directory in directories(data_home):
        places |= dict.fromkeys((path.stem for path in directory.glob("[!.]*.npz")), "local")
    return dict(sorted(places.items()))


def bundled_arrays(name: str) -> dict[str, np.ndarray]:
    """Arrays of a dataset that comes with scikit-learn; two classes become -1 and +1, malignant as +1."""
    from sklearn import datasets

    bunch: Any = getattr(datasets, BUNDLED[name])()
    y, classes = bunch.target, bunch.target_names
    if len(classes) == 2:
        y, classes = 1 - 2 * y, classes[::-1]
    return {
        "X": bunch.data,
        "y": y.astype(np.int8 if len(classes) == 2 else np.int16),
        "feature_names": np.array(bunch.feature_names, dtype=str),
        "class_names": np.array(classes, dtype=str),
        "description": np.array(f"{name}, as it comes with scikit-learn; raw values"),
    }


def _check_name(name: str, data_home: str | os.PathLike | None) -> None:
    """Raise an error for values that cannot be the name of a dataset, such as a path."""
    if not isinstance(name, str):
        raise ValueError(f"name must be a string, got {name!r}.")
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise _unknown(name, data_home)


def _unknown(name: str, data_home: str | os.PathLike | None) -> DatasetNotFound:
    """Error of an unknown name, with the known names that look like it."""
    matches = get_close_matches(name.lower(), available(data_home), n=3)
    hint = (
        f"did you mean {' or '.join(map(repr, matches))}?"
        if matches
        else "available() lists the known names."
    )
    return DatasetNotFound(f"Dataset {name!r} is not known and PAUCA_DATA has no such file: {hint}")
