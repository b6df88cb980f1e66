"""Arrays with few distinct entries, which files hold as these and the place of each."""

from typing import Any

import numpy as np


def few_entries(array: Any) -> Any:
    """Distinct entries and the place of each, if that is smaller; else the array as it is.

    Parameters
    ----------
    array : ndarray
        Numbers or objects; anything else, such as a sparse matrix, is returned as it is.

    Returns
    -------
    packed : tuple of two ndarrays, or as given
    """
    if not isinstance(array, np.ndarray):
        return array
    if array.dtype.kind == "O":
        seen: dict[tuple[type, str], int] = {}
        cells = list(array.flat)
        places = np.array([seen.setdefault((type(cell), repr(cell)), len(seen)) for cell in cells], dtype=int)
        first = np.unique(places, return_index=True)[1]
        entries = np.empty(len(first), dtype=object)
        entries[:] = [cells[place] for place in first]
    else:
        entries, places = np.unique(array, return_inverse=True)
    codes = places.reshape(array.shape).astype(np.min_scalar_type(max(len(entries) - 1, 0)))
    return (entries, codes) if entries.nbytes + codes.nbytes < array.nbytes else array


def all_entries(packed: Any) -> Any:
    """Array that `few_entries` packed.

    Parameters
    ----------
    packed : tuple of two ndarrays, or as given to `few_entries`
        Packed array.

    Returns
    -------
    array : ndarray, or as given to `few_entries`
    """
    if not isinstance(packed, tuple):
        return packed
    entries, codes = packed
    return entries[codes]
