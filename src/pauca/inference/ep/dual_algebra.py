"""Gaussian posteriors of u from a prior covariance C and sites whose precisions may be negative."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.blas import dgemm
from scipy.linalg.lapack import dpstrf

from ...numerics import add_to_diagonal, half_log_det

__all__ = ["dual_kernel", "dual_moments", "span_moments", "span_of", "spread"]

# C is taken for what its span gives when that lacks no more than this share of its diagonal.
_NEGLIGIBLE = 1e-7
# Working in the span pays for matrices of at least so many rows, of a small rank or one of at most this share
# of the rows.
_LEAST_ROWS, _SMALL_RANK, _LARGEST_SHARE = 100, 150, 0.5


def span_of(C):
    """U with C = U U' and few columns, by Cholesky with pivots; None if it needs many."""
    if len(C) < _LEAST_ROWS:
        return None
    factor, order, rank, _ = dpstrf(C, tol=_NEGLIGIBLE * np.diag(C).max(), lower=1)
    if rank > max(_SMALL_RANK, _LARGEST_SHARE * len(C)):
        return None
    U = np.empty((len(C), rank))
    U[order - 1] = np.tril(factor)[:, :rank]
    return U


def span_moments(U, precision, shift):
    """As `dual_moments` for u = U w, w ~ N(0, I): mean and covariance of w, and the log determinant."""
    inner = add_to_diagonal((U.T * precision) @ U, 1.0)
    factor = cholesky(inner, lower=True, check_finite=False)
    half = solve_triangular(factor, np.eye(len(inner)), lower=True, check_finite=False)
    cov = half.T @ half
    return cov @ (U.T @ shift), cov, 2 * float(half_log_det(factor))


def spread(cov, mean, rows, precision, shift):
    """The posterior after the sites of some rows got more ``precision`` and ``shift``, in place.

    With D = diag(precision): cov − X D (I + X_rows D)⁻¹ X', X the columns of these rows.
    """
    if len(rows) == 0:
        return
    columns = cov[:, rows]
    both = np.column_stack([np.diag(precision), shift - precision * mean[rows]])
    solved = np.linalg.solve(np.eye(len(rows)) + precision[:, None] * columns[rows], both)
    mean += columns @ solved[:, -1]
    dgemm(-1.0, columns, solved[:, :-1] @ columns.T, beta=1.0, c=cov.T, overwrite_c=True)


def dual_moments(C, precision, shift):
    """Mean and covariance (C⁻¹ + diag(precision))⁻¹ of u, and log det(I + C diag(precision)).

    First the rows of positive precision, then the others. Raises LinAlgError if there is no proper posterior.
    """
    cov, log_det = _covariance(C, precision, precision > 0, 1.0)
    less = precision < 0
    if less.any():
        cov, log_det_less = _covariance(cov, precision, less, -1.0)
        log_det += log_det_less
    return cov @ shift, cov, log_det


def _covariance(C, precision, rows, sign):
    """C − C R (sign I + R C R)⁻¹ R C over ``rows``, R² = |precision|, and log |det(sign I + R C R)|."""
    root = np.sqrt(np.abs(precision[rows]))
    scaled = root[:, None] * C[rows]
    inner = np.eye(len(root)) + sign * scaled[:, rows] * root
    factor = cholesky(inner, lower=True, check_finite=False)
    half = solve_triangular(factor, scaled, lower=True, overwrite_b=True, check_finite=False)
    return C - sign * (half.T @ half), 2 * float(half_log_det(factor))


def dual_kernel(C, precision):
    """K with posterior covariance C − C K C: diag(t) (I + C diag(t))⁻¹ (thesis B.20)."""
    U = span_of(C)
    if U is not None:
        columns = precision[:, None] * U
        return np.diag(precision) - columns @ span_moments(U, precision, precision)[1] @ columns.T
    inner = np.eye(len(C)) + precision[:, None] * C
    kernel = np.linalg.solve(inner, np.diag(precision))
    return (kernel + kernel.T) / 2
