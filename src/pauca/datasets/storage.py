"""Datasets as npz files: directories, reading with a checksum, and atomic writing."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic_file import replacing
from .dataset import DatasetCorrupted

# Name of the array that holds the checksum of the others.
_DIGEST = "sha256"


def directories(data_home: str | os.PathLike | None = None) -> list[Path]:
    """Directories to search, in order: ``$PAUCA_DATA`` if set, then the cache."""
    local = os.environ.get("PAUCA_DATA")
    return [*([Path(local).expanduser()] if local else []), cache_directory(data_home)]


def cache_directory(data_home: str | os.PathLike | None = None) -> Path:
    """Cache directory: `data_home` if given, else ``$XDG_CACHE_HOME/pauca``, else ``~/.cache/pauca``."""
    if data_home is not None:
        return Path(data_home).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pauca"


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Read all arrays of a file; a file that is damaged raises `DatasetCorrupted`."""
    with path.open("rb") as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                arrays = dict(archive)
            stored = str(arrays.pop(_DIGEST, digest(arrays)))
            intact = stored == digest(arrays) and {"X", "y"} <= arrays.keys()
        # A damaged archive can fail anywhere in zip, zlib and numpy's header parser.
        except Exception as error:
            raise _corrupted(path) from error
    if not intact:
        raise _corrupted(path)
    return arrays


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the arrays and their digest to a temporary file, then rename it in one step.

    Raises
    ------
    ValueError
        If an array holds Python objects.
    """
    if any(array.dtype.hasobject for array in arrays.values()):
        raise ValueError("Arrays of Python objects cannot be stored; encode them as numbers or text first.")
    contents: dict[str, Any] = {**arrays, _DIGEST: np.array(digest(arrays))}
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **contents)


def digest(arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of names, types, shapes and values, independent of compression."""
    state = hashlib.sha256()
    for key in sorted(arrays):
        array = np.ascontiguousarray(arrays[key])
        state.update(f"{key} {array.dtype.str} {array.shape} ".encode())
        state.update(array.tobytes())
    return state.hexdigest()


def _corrupted(path: Path) -> DatasetCorrupted:
    return DatasetCorrupted(f"The file {path} is damaged: delete it and load the dataset again.")
