"""Gaussian sites exp(shift·u − ½ precision·u²) of one variable, in natural parameters.

An empty site is precision = shift = 0, so nothing is ever infinite. All functions are elementwise.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST_CAVITY", "cavity", "log_scale", "matched_sites"]

#: Smallest precision of a cavity, as a share of the marginal precision, at which its site is still updated;
#: numerical guard.
LEAST_CAVITY = 1e-10


def cavity(mean: NDArray, var: NDArray, precision: NDArray, shift: NDArray) -> tuple[NDArray, NDArray]:
    """Mean and variance of the cavity N(mean, var) / site.

    Parameters
    ----------
    mean, var : ndarray
        Moments of the marginal.
    precision, shift : ndarray
        Natural parameters of the site.

    Returns
    -------
    mean, var : ndarray
        There is no cavity where the variance is not positive.
    """
    share = 1 - precision * var
    return (mean - var * shift) / share, var / share


def matched_sites(mean: NDArray, var: NDArray, tilted_mean: NDArray, tilted_var: NDArray) -> NDArray:
    """Sites that turn the cavity into the tilted distribution, precisions below zero being raised to zero.

    Parameters
    ----------
    mean, var : ndarray
        Moments of the cavity.
    tilted_mean, tilted_var : ndarray
        Moments of the cavity times the exact factor.

    Returns
    -------
    sites : ndarray of shape (2, ...)
        Precisions and shifts.
    """
    sites = np.stack([1 / tilted_var - 1 / var, tilted_mean / tilted_var - mean / var])
    sites[0] = np.maximum(sites[0], 0.0)
    return sites


def log_scale(log_z: NDArray, precision: NDArray, shift: NDArray, mean: NDArray, var: NDArray) -> NDArray:
    """log C such that C exp(shift·u − ½ precision·u²) integrates to Z against the cavity N(mean, var).

    Parameters
    ----------
    log_z : ndarray
        Log of the integral Z of the exact factor against the cavity.
    precision, shift : ndarray
        Natural parameters of the site.
    mean, var : ndarray
        Moments of the cavity.

    Returns
    -------
    log_scale : ndarray
    """
    spread = 1 + precision * var
    exponent = (2 * shift * mean + np.square(shift) * var - precision * np.square(mean)) / spread
    return log_z + 0.5 * np.log(spread) - 0.5 * exponent
