"""Averages whose last digits do not depend on the order of the rows."""

import numpy as np
from numpy.typing import NDArray

# Most rows whose products are sorted before they are summed; beyond, sorting takes longer than it is worth.
# Set by hand.
_MOST_SORTED = 20_000


def steady_average(values: NDArray, weights: NDArray) -> NDArray:
    """Weighted average over the rows, the same to the last digit for rows in any order.

    Parameters
    ----------
    values : ndarray of shape (n_rows,) or (n_rows, n_columns)
        Values.
    weights : ndarray of shape (n_rows,)
        Weights.

    Returns
    -------
    average : float or ndarray of shape (n_columns,)
        Sum of the sorted products over the sum of the sorted weights; up to 20,000 rows.
    """
    if len(values) > _MOST_SORTED:
        return np.average(values, axis=0, weights=weights)
    products = values * (weights if values.ndim == 1 else weights[:, None])
    return np.sort(products, axis=0).sum(axis=0) / np.sort(weights).sum()


def steady_units(targets: NDArray, weights: NDArray) -> tuple[float, float]:
    """Weighted mean and standard deviation of targets, the same for rows in any order; constants have one.

    Parameters
    ----------
    targets : ndarray of shape (n_rows,)
        Targets.
    weights : ndarray of shape (n_rows,)
        Weights.

    Returns
    -------
    centre, spread : float
    """
    centre = float(steady_average(targets, weights))
    return centre, float(np.sqrt(steady_average(np.square(targets - centre), weights))) or 1.0
