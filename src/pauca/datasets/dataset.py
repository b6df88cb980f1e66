"""Record that `load` returns, and the errors of loading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

Splits = tuple[tuple[np.ndarray, np.ndarray], ...]

# Arrays of a file that become fields of `Dataset`.
_FIELDS = {"X", "y", "feature_names", "class_names", "description"}
# Prefixes of the index tables in a file, by field of `Dataset`.
_SPLITS = {"splits": "", "half_splits": "half_", "original_splits": "orig_"}
_INDEX_KEYS = {f"{prefix}{part}_index" for prefix in _SPLITS.values() for part in ("train", "test")}


class DatasetNotFound(FileNotFoundError):
    """Error of a dataset that is neither on this machine nor downloadable; the message says what to do."""


class DatasetCorrupted(OSError):
    """Error of a damaged file or transfer; the message says what to do."""


@dataclass(frozen=True, repr=False, eq=False)
class Dataset:
    """Dataset with its customary splits.

    Attributes
    ----------
    name : str
        Name by which it was loaded.
    X : ndarray of shape (n_samples, n_features)
        Features, without missing values.
    y : ndarray of shape (n_samples,)
        Target: -1 and +1 if `task` is "binary", 0, ..., K - 1 if "multiclass", floats if "regression".
    task : {"binary", "multiclass", "regression"}
        Kind of target.
    feature_names : tuple of str
        Names of the columns; empty if not known.
    class_names : tuple of str
        Names of the classes in the order of their labels, so -1 before +1; empty if not known.
    splits : sequence of (train_index, test_index)
        Splits of the customary sizes; empty if there are none.
    half_splits : sequence of (train_index, test_index)
        Splits into halves; empty if there are none.
    original_splits : sequence of (train_index, test_index)
        Splits published with the data; empty if there are none.
    description : str
        Source and preparation of the data, where known.
    extras : mapping of str to ndarray
        Other arrays of the file, for example ``X_raw``, ``categorical``, ``unique_index``.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    task: str
    feature_names: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()
    splits: Splits = ()
    half_splits: Splits = ()
    original_splits: Splits = ()
    description: str = ""
    extras: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __repr__(self) -> str:
        n_samples, n_features = self.X.shape
        return f"Dataset({self.name!r}, {self.task}, {n_samples} x {n_features}, {len(self.splits)} splits)"


def from_arrays(name: str, arrays: Mapping[str, np.ndarray]) -> Dataset:
    """Build a `Dataset` from the arrays of its file."""
    return Dataset(
        name=name,
        X=arrays["X"],
        y=arrays["y"],
        task=_task(arrays["y"]),
        feature_names=tuple(map(str, arrays.get("feature_names", ()))),
        class_names=tuple(map(str, arrays.get("class_names", ()))),
        description=str(arrays.get("description", "")),
        extras={key: value for key, value in arrays.items() if key not in _FIELDS | _INDEX_KEYS},
        **{attribute: _pairs(arrays, prefix) for attribute, prefix in _SPLITS.items()},
    )


def _task(y: np.ndarray) -> str:
    """Kind of target: floats, the labels -1 and +1, or other integers."""
    if y.dtype.kind == "f":
        return "regression"
    return "binary" if np.isin(y, (-1, 1)).all() else "multiclass"


def _pairs(arrays: Mapping[str, np.ndarray], prefix: str) -> Splits:
    """Pairs of training and test indices, one for each row of the index tables."""
    if f"{prefix}train_index" not in arrays:
        return ()
    train, test = (arrays[f"{prefix}{part}_index"].astype(np.intp) for part in ("train", "test"))
    return tuple(zip(train, test, strict=True))
