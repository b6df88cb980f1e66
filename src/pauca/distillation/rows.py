"""Training rows of a student: soft labels as weights, and extra rows among the given ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import _safe_indexing

# Near rows between which extra rows lie, and rows whose neighbours are looked up at most; set by hand.
_N_NEIGHBOURS, _MOST_ROWS = 5, 5000
# Probability below which a class of a row is left out of the training rows of the student.
_LEAST = 1e-6


def soft_labelled(X: Any, p: NDArray, weights: NDArray | None = None) -> tuple[Any, NDArray, NDArray]:
    """Every row once for each class, with the code of the class and its probability as the weight.

    A fit on them is the fit on soft labels: the log likelihood is Σ_k p_k log p(y = k).
    """
    rows, codes = np.nonzero(p > _LEAST)
    counts = p[rows, codes] if weights is None else p[rows, codes] * weights[rows]
    return _safe_indexing(X, rows), codes, counts


def extra_rows(X: Any, n_rows: int, rng: np.random.Generator) -> Any:
    """Rows between near rows: numbers at random places between two neighbours, other columns of either.

    A frame stays a frame. Neighbours are near by standardised numbers, missing values counting as the mean.
    """
    n = X.shape[0]
    chosen = rng.permutation(n)[:_MOST_ROWS]
    pool = _safe_indexing(X, chosen)
    numbers = _standardised(pool)
    size = min(_N_NEIGHBOURS + 1, len(chosen))
    near = NearestNeighbors(n_neighbors=size).fit(numbers).kneighbors(numbers, return_distance=False)
    first = rng.integers(len(chosen), size=n_rows)
    second = near[first, rng.integers(size, size=n_rows)]
    share = rng.random(n_rows)
    if not hasattr(X, "columns"):
        left, right = (np.asarray(pool, dtype=float)[place] for place in (first, second))
        return left + share[:, None] * (right - left)
    return _mixed(pool, first, second, share, rng)


def _mixed(pool, first, second, share, rng):
    """Rows of a frame between two of its rows."""
    import pandas as pd

    columns = {}
    for name in pool.columns:
        left, right = (pool[name].iloc[place].reset_index(drop=True) for place in (first, second))
        if pd.api.types.is_float_dtype(pool[name]):
            columns[name] = left + share * (right - left)
        else:
            columns[name] = left.where(rng.random(len(first)) < 0.5, right)
    return pd.DataFrame(columns)


def _standardised(pool):
    """Numbers of the rows, standardised; missing values are zero."""
    if hasattr(pool, "columns"):
        numeric = pool.select_dtypes("number")
        pool = (
            numeric.to_numpy(dtype=float, na_value=np.nan) if numeric.shape[1] else np.zeros((len(pool), 1))
        )
    values = np.asarray(pool, dtype=float)
    values = values[:, np.isfinite(values).any(axis=0)]
    spread = np.nanstd(values, axis=0)
    return np.nan_to_num((values - np.nanmean(values, axis=0)) / np.where(spread > 0, spread, 1.0))
