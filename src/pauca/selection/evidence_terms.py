"""Contribution of one column to the log evidence, as a function of its precision α.

With the likelihood written as sites (b, e), the evidence depends on α through a sparsity factor s and a
quality factor q only: ℓ(α) = ½ [log α − log(α + s) + q² / (α + s)]. A ``half``-normal weight adds log Ψ(z),
z = q / √(α + s); the gain by its sign alone, log 2, is left out unless the ``sign`` counts.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..numerics import inverse_mills, log_ndtr

# Fixed-point steps to the best precision of a half-normal weight, and the least denominator; numerical
# guards.
_MAX_STEPS, _TINY = 20, 1e-12


def best_precision(s: NDArray, q: NDArray, half: bool = False, sign: bool = False) -> NDArray:
    """Maximiser of ℓ(α): s² / (q² − s), or infinity where no finite precision raises the evidence.

    Parameters
    ----------
    s, q : ndarray of shape (n_columns,)
        Sparsity and quality factors.
    half : bool, default=False
        Whether the weights are half-normal instead of normal.
    sign : bool, default=False
        Whether the sign of a half-normal weight counts: log 2 nats, so that any q > 0 has a finite best
        precision. Only with ``half``.

    Returns
    -------
    precision : ndarray of shape (n_columns,)
    """
    theta = np.square(q) - s
    keep = ((q > 0) if half and sign else (theta > 0)) & (s > 0)
    # A half-normal weight with θ ≤ 0 is iterated from the precision at which the data say no more.
    theta = np.where(theta > 0, theta, s)
    with np.errstate(divide="ignore", over="ignore"):
        best = np.where(keep, np.square(s) / np.where(keep, theta, 1.0), np.inf)
    return np.where(keep, _best_half_normal(best[keep], s[keep], q[keep], keep), np.inf) if half else best


def _best_half_normal(alpha: NDArray, s: NDArray, q: NDArray, keep: NDArray) -> NDArray:
    """Maximiser of ℓ(α) for half-normal weights: α = s / (z (z + r(z))), iterated from the Gaussian one."""
    for _ in range(_MAX_STEPS):
        z = q / np.sqrt(alpha + s)
        alpha = s / np.maximum(z * (z + inverse_mills(z)), _TINY)
    everywhere = np.ones(len(keep))
    everywhere[keep] = alpha
    return everywhere


def log_evidence_term(
    precision: ArrayLike, s: NDArray, q: NDArray, half: bool = False, sign: bool = False
) -> NDArray:
    """Contribution ℓ(α) of each column to the log evidence in nats, zero at infinite precision.

    Parameters
    ----------
    precision : array-like of shape (n_columns,)
        Prior precisions α.
    s, q : ndarray of shape (n_columns,)
        Sparsity and quality factors.
    half : bool, default=False
        Whether the weights are half-normal instead of normal.
    sign : bool, default=False
        Whether the sign of a half-normal weight counts: log 2 nats, so that any q > 0 has a finite best
        precision. Only with ``half``.

    Returns
    -------
    value : ndarray of shape (n_columns,)
    """
    finite = np.isfinite(precision)
    alpha = np.where(finite, precision, 1.0)
    value = 0.5 * (np.square(q) / (alpha + s) - np.log1p(s / alpha))
    if half:
        value = value + log_ndtr(q / np.sqrt(alpha + s)) + (np.log(2) if sign else 0.0)
    return np.where(finite, value, 0.0)


def evidence_gain(
    old: ArrayLike, new: ArrayLike, s: NDArray, q: NDArray, half: bool = False, sign: bool = False
) -> NDArray:
    """Change of the log evidence in nats, at fixed sites, when the precision of one column changes.

    Parameters
    ----------
    old, new : array-like of shape (n_columns,)
        Prior precisions before and after; infinite where the column is not in the model.
    s, q : ndarray of shape (n_columns,)
        Sparsity and quality factors.
    half : bool, default=False
        Whether the weights are half-normal instead of normal.
    sign : bool, default=False
        Whether the sign of a half-normal weight counts: log 2 nats, so that any q > 0 has a finite best
        precision. Only with ``half``.

    Returns
    -------
    gain : ndarray of shape (n_columns,)
    """
    return log_evidence_term(new, s, q, half, sign) - log_evidence_term(old, s, q, half, sign)
