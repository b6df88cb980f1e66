"""Gaussian posteriors of u from a prior covariance C and sites whose precisions may be negative."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.blas import dgemm
from scipy.linalg.lapack import dpstrf

from ....numerics import add_to_diagonal, half_log_det

__all__ = ["dual_kernel", "dual_moments", "span_moments", "span_of", "spread"]

# Largest residual of the diagonal of C, as a share of its largest entry, at which a pivoted Cholesky
# decomposition ends; numerical guard.
_NEGLIGIBLE = 1e-7
# Number of rows from which a low-rank factor of C is used, and the rank up to which it is: the larger of a
# number and a share of the rows. Set by hand.
_MIN_ROWS, _SMALL_RANK, _MAX_RANK_SHARE = 100, 150, 0.5


def span_of(C: NDArray) -> NDArray | None:
    """Low-rank factor U with C = U Uᵀ by pivoted Cholesky decomposition; None where the rank is too large."""
    if len(C) < _MIN_ROWS:
        return None
    factor, order, rank, _ = dpstrf(C, tol=_NEGLIGIBLE * np.diag(C).max(), lower=1)
    if rank > max(_SMALL_RANK, _MAX_RANK_SHARE * len(C)):
        return None
    U = np.empty((len(C), rank))
    U[order - 1] = np.tril(factor)[:, :rank]
    return U


def span_moments(U: NDArray, precision: NDArray, shift: NDArray) -> tuple[NDArray, NDArray, float]:
    """Mean and covariance of w for u = U w, w ~ N(0, I), and log det(I + C diag(precision)), C = U Uᵀ."""
    inner = add_to_diagonal((U.T * precision) @ U, 1.0)
    factor = cholesky(inner, lower=True, check_finite=False)
    half = solve_triangular(factor, np.eye(len(inner)), lower=True, check_finite=False)
    cov = half.T @ half
    return cov @ (U.T @ shift), cov, 2 * float(half_log_det(factor))


def spread(cov: NDArray, mean: NDArray, rows: NDArray, precision: NDArray, shift: NDArray) -> None:
    """Add ``precision`` and ``shift`` to the sites of some rows, and update the posterior in place.

    With D = diag(precision) the covariance becomes cov − X D (I + X_rows D)⁻¹ Xᵀ, X being the columns of
    these rows.
    """
    if len(rows) == 0:
        return
    columns = cov[:, rows]
    both = np.column_stack([np.diag(precision), shift - precision * mean[rows]])
    solved = np.linalg.solve(np.eye(len(rows)) + precision[:, None] * columns[rows], both)
    mean += columns @ solved[:, -1]
    dgemm(-1.0, columns, solved[:, :-1] @ columns.T, beta=1.0, c=cov.T, overwrite_c=True)


def dual_moments(C: NDArray, precision: NDArray, shift: NDArray) -> tuple[NDArray, NDArray, float]:
    """Mean and covariance (C⁻¹ + diag(precision))⁻¹ of u, and log det(I + C diag(precision)).

    Rows of positive precision are added before the others. Raises LinAlgError where there is no proper
    posterior.
    """
    cov, log_det = _covariance(C, precision, precision > 0, 1.0)
    less = precision < 0
    if less.any():
        cov, log_det_less = _covariance(cov, precision, less, -1.0)
        log_det += log_det_less
    return cov @ shift, cov, log_det


def _covariance(C: NDArray, precision: NDArray, rows: NDArray, sign: float) -> tuple[NDArray, float]:
    """C − C R (sign I + R C R)⁻¹ R C over ``rows``, R² = |precision|, and log |det(sign I + R C R)|."""
    root = np.sqrt(np.abs(precision[rows]))
    scaled = root[:, None] * C[rows]
    inner = np.eye(len(root)) + sign * scaled[:, rows] * root
    factor = cholesky(inner, lower=True, check_finite=False)
    half = solve_triangular(factor, scaled, lower=True, overwrite_b=True, check_finite=False)
    return C - sign * (half.T @ half), 2 * float(half_log_det(factor))


def dual_kernel(C: NDArray, precision: NDArray) -> NDArray:
    """Matrix K = diag(t) (I + C diag(t))⁻¹ of the posterior covariance C − C K C (thesis B.20)."""
    U = span_of(C)
    if U is not None:
        columns = precision[:, None] * U
        return np.diag(precision) - columns @ span_moments(U, precision, precision)[1] @ columns.T
    inner = np.eye(len(C)) + precision[:, None] * C
    kernel = np.linalg.solve(inner, np.diag(precision))
    return (kernel + kernel.T) / 2
