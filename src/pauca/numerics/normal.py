"""Ratios of the standard normal density φ and distribution Ψ that stay exact far in the tails."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfcx, log_ndtr, logsumexp, ndtri_exp

__all__ = [
    "inverse_mills",
    "log_ndtr",
    "log_ndtr_by_mills",
    "mills_curvature",
    "mills_terms",
    "probit_quantile",
]

# Standard score below which 1 − r (z + r) cancels and its asymptotic series is used; numerical guard.
_FAR = -50.0
# Standard score above which log Ψ cancels if it is found by the inverse Mills ratio; numerical guard.
_HIGH = 4.0


def inverse_mills(z: ArrayLike) -> NDArray:
    """Inverse Mills ratio r(z) = φ(z) / Ψ(z), the derivative of log Ψ, elementwise."""
    z = np.asarray(z, dtype=float)
    return np.sqrt(2 / np.pi) / erfcx(-z / np.sqrt(2))


def mills_curvature(z: ArrayLike) -> tuple[NDArray, NDArray]:
    """Minus the second derivative of log Ψ, ρ(z) = r (z + r) in (0, 1), and δ(z) = 1 − ρ(z).

    Parameters
    ----------
    z : array_like
        Standard scores.

    Returns
    -------
    rho, delta : ndarray
        Both exact to rounding, also where one of them is tiny.
    """
    _, rho, delta = mills_terms(z)
    return rho, delta


def mills_terms(z: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    """Inverse Mills ratio r(z), ρ(z) = r (z + r) and δ(z) = 1 − ρ(z), elementwise.

    Parameters
    ----------
    z : array_like
        Standard scores.

    Returns
    -------
    r, rho, delta : ndarray
        First derivative of log Ψ, minus the second, and the variance of N(z, 1) truncated to positive values.
    """
    z = np.asarray(z, dtype=float)
    r = inverse_mills(z)
    rho = r * (z + r)
    if np.min(z, initial=0.0) >= _FAR:
        return r, rho, 1.0 - rho
    delta = np.where(z < _FAR, _far_delta(z), 1.0 - rho)
    return r, np.where(z < _FAR, 1.0 - delta, rho), delta


def _far_delta(z: NDArray) -> NDArray:
    """Asymptotic series of δ far in the lower tail."""
    u = 1.0 / np.square(np.minimum(z, _FAR))
    return u * (1 + u * (-6 + u * (50 - 518 * u)))


def log_ndtr_by_mills(z: ArrayLike, r: ArrayLike) -> NDArray:
    """log Ψ(z) = log φ(z) − log r(z), elementwise, relative error at most 1e-10.

    Parameters
    ----------
    z : array_like
        Standard scores.
    r : array_like
        Their inverse Mills ratios, which save a special function.
    """
    z = np.asarray(z, dtype=float)
    high = z > _HIGH
    result = np.array(-0.5 * np.square(z) - np.log(np.sqrt(2 * np.pi) * np.where(high, 1.0, r)))
    result[high] = log_ndtr(z[high])
    return result


def probit_quantile(f: NDArray) -> NDArray:
    """z with Ψ(z) equal to the mean of Ψ(f) over the last axis, exact in both tails."""
    log_p, log_q = (logsumexp(log_ndtr(sign * f), axis=-1) - np.log(f.shape[-1]) for sign in (1, -1))
    return np.where(log_p < log_q, ndtri_exp(np.minimum(log_p, 0.0)), -ndtri_exp(np.minimum(log_q, 0.0)))
