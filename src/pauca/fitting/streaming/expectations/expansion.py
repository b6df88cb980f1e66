"""The fastest way to the expectations of each likelihood."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....likelihoods import BinaryLikelihood, Gaussian
from .quadrature import expansion_by_quadrature
from .table import ExpansionTable


def expected_expansion(
    likelihood: Any, y: NDArray, mean: NDArray, var: NDArray
) -> tuple[NDArray, NDArray, NDArray]:
    """E[log p(y | f)], E[∂ log p / ∂f] and E[−∂² log p / ∂f²] for f ~ N(mean, var), elementwise.

    Gaussian noise has closed forms, likelihoods of two labels a table, all others quadrature.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood of the observations.
    y : ndarray of shape (n_rows,)
        Observations.
    mean, var : ndarray of shape (n_rows,)
        Moments of the latent values.

    Returns
    -------
    value, gradient, curvature : ndarray of shape (n_rows,)
        Expectations; the curvature is positive.
    """
    if isinstance(likelihood, Gaussian):
        return likelihood.expected_log_prob(y, mean, var), *likelihood.derivatives(y, mean)
    if isinstance(likelihood, BinaryLikelihood):
        return _of_labels(likelihood, y, mean, np.maximum(var, 0.0))
    return expansion_by_quadrature(likelihood, y, mean, var)


@cache
def _table(likelihood: BinaryLikelihood) -> ExpansionTable:
    return ExpansionTable(likelihood)


def _of_labels(likelihood, y, mean, var):
    """Expectations by the table of a likelihood of two labels; by quadrature for rows beyond it."""
    table, z = _table(likelihood), y * mean
    beyond = np.flatnonzero(table.is_beyond(z, var))
    if len(beyond) == 0:
        value, gradient, curvature = table(z, var)
        return value, y * gradient, curvature
    results, within = np.empty((3, len(z))), np.setdiff1d(np.arange(len(z)), beyond)
    results[:, beyond] = expansion_by_quadrature(likelihood, np.ones(len(beyond)), z[beyond], var[beyond])
    if len(within):
        results[:, within] = table(z[within], var[within])
    return results[0], y * results[1], results[2]
