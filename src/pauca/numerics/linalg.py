"""Factorisations that never fail on a symmetric positive semi-definite matrix.

LAPACK is called without scipy's checks of its arguments, which take longer than small matrices do.
"""

import numpy as np
from scipy.linalg import qr
from scipy.linalg.lapack import dpotrf, dtrtrs

__all__ = [
    "add_to_diagonal",
    "inverse_diagonal",
    "robust_cholesky",
    "solve_lower",
    "solve_upper",
    "solve_with_factor",
]

_JITTERS = (0.0, 1e-12, 1e-10, 1e-8)


def robust_cholesky(A):
    """Lower factor L with L Lᵀ = A, up to the least jitter that makes A numerically definite.

    The matrix is scaled to unit diagonal first, so rows of very different size do no harm. When jitter
    does not help (a strongly indefinite input), eigenvalues are clipped instead.
    """
    size = np.abs(np.diag(A))
    size = np.where(size > 0, size, np.abs(A).max(axis=1))
    scale = np.sqrt(np.maximum(size, np.finfo(float).tiny))
    unit = A / scale[:, None] / scale
    for jitter in _JITTERS:
        factor, failed = dpotrf(add_to_diagonal(unit, jitter), lower=1)
        if not failed and np.isfinite(factor).all():
            return scale[:, None] * factor
    return scale[:, None] * _clipped_factor(unit)


def _clipped_factor(A):
    """Lower factor of the nearest matrix whose eigenvalues are at least 1e-8 of the largest."""
    values, vectors = np.linalg.eigh((A + A.T) / 2)
    values = np.maximum(values, 1e-8 * max(values[-1], 1.0))
    upper = qr((vectors * np.sqrt(values)).T, mode="r", check_finite=False)[0][: len(A)]
    return (upper * np.where(np.diag(upper) < 0, -1.0, 1.0)[:, None]).T


def add_to_diagonal(A, values):
    """A with ``values`` added to its diagonal, in place."""
    A.flat[:: len(A) + 1] += values
    return A


def solve_lower(L, B):
    """Solve L X = B."""
    return _solve_triangular(L, B, transposed=0)


def solve_upper(L, B):
    """Solve Lᵀ X = B."""
    return _solve_triangular(L, B, transposed=1)


def solve_with_factor(L, B):
    """Solve (L Lᵀ) X = B."""
    return solve_upper(L, solve_lower(L, B))


def _solve_triangular(L, B, transposed):
    solution, failed = dtrtrs(L, B, lower=1, trans=transposed)
    if failed:
        raise np.linalg.LinAlgError("A triangular matrix is singular.")
    return solution


def inverse_diagonal(L):
    """Diagonal of (L Lᵀ)⁻¹."""
    return np.square(solve_lower(L, np.eye(len(L)))).sum(axis=0)
