"""Bias, variance and covariance of averaged members."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import check_outputs


@dataclass(frozen=True)
class Decomposition:
    """Mean squared error of the first u members, u = 1, ..., M, and its parts (thesis, eq. 3.18).

    ``mse = variance / size + (1 - 1 / size) covariance + squared_bias``, exactly.

    Attributes
    ----------
    size : ndarray of int of shape (n_members,)
        Number u of members averaged.
    mse : ndarray of shape (n_members,)
        Mean squared error of the average.
    squared_bias : ndarray of shape (n_members,)
        Squared bias of the average.
    variance : ndarray of shape (n_members,)
        Mean variance of the members.
    covariance : ndarray of shape (n_members,)
        Mean covariance of pairs of members; NaN for a single member.
    """

    size: NDArray
    mse: NDArray
    squared_bias: NDArray
    variance: NDArray
    covariance: NDArray


def bias_variance_covariance(
    outputs: ArrayLike, y: ArrayLike, *, orders: ArrayLike | None = None
) -> Decomposition:
    """Decompose the error of averaged members over repeated training sets (Ueda & Nakano 1996).

    Parameters
    ----------
    outputs : array-like of shape (n_repeats, n_members, n_samples)
        Predictions, for the same test rows, of the members trained in each repetition.
    y : array-like of shape (n_samples,)
        Targets of the test rows; noise in them counts as bias.
    orders : array-like of int of shape (n_repeats, n_kept), default=None
        Order in which the members of each repetition are averaged, for instance by `ordered_aggregation`; by
        default the order of ``outputs``.

    Returns
    -------
    Decomposition
        Curves over the number of members averaged.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.ensembles import bias_variance_covariance
    >>> outputs = np.random.default_rng(0).normal(size=(50, 10, 5))
    >>> parts = bias_variance_covariance(outputs, np.zeros(5))
    >>> parts.size[-1], parts.mse.shape
    (np.int64(10), (10,))
    """
    values = _checked(outputs, y)
    if orders is not None:
        values = np.take_along_axis(values, _checked_orders(orders, values)[:, :, None], axis=1)
    size = np.arange(1, values.shape[1] + 1)
    averages = np.cumsum(values, axis=1) / size[:, None]
    squared_bias = np.square(averages.mean(axis=0) - np.asarray(y)).mean(axis=-1)
    spread = averages.var(axis=0).mean(axis=-1)
    variance = np.cumsum(values.var(axis=0).mean(axis=-1)) / size
    with np.errstate(invalid="ignore"):
        covariance = (spread - variance / size) / np.where(size > 1, 1 - 1 / size, np.nan)
    return Decomposition(size, squared_bias + spread, squared_bias, variance, covariance)


def _checked(outputs, y):
    outputs = np.asarray(outputs)
    if outputs.ndim != 3 or outputs.size == 0:
        raise ValueError(
            f"outputs must have shape (n_repeats, n_members, n_samples); got shape {outputs.shape}."
        )
    flat = outputs.reshape(-1, outputs.shape[-1])
    return check_outputs(flat, y).outputs.reshape(outputs.shape)


def _checked_orders(orders, outputs):
    orders = np.asarray(orders)
    n_repeats, n_members, _ = outputs.shape
    fits = orders.ndim == 2 and len(orders) == n_repeats and np.issubdtype(orders.dtype, np.integer)
    if not fits or orders.size == 0 or orders.min() < 0 or orders.max() >= n_members:
        raise ValueError(
            f"orders must hold, for each of the {n_repeats} repetitions, indices below {n_members}; "
            f"got shape {orders.shape}."
        )
    return orders
