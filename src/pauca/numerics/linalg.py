"""Linear algebra of symmetric positive semi-definite matrices, and the number of BLAS threads for it.

LAPACK is called without scipy's checks of its arguments, which take longer than small matrices do.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import qr
from scipy.linalg.lapack import dpotrf, dpotri, dtrtrs
from threadpoolctl import ThreadpoolController

__all__ = [
    "add_to_diagonal",
    "half_log_det",
    "inverse_diagonal",
    "inverse_of_factor",
    "robust_cholesky",
    "solve_lower",
    "solve_upper",
    "solve_with_factor",
    "squared_lengths_within",
    "threads_for",
    "weighted_normal_equations",
]

# Values added to a unit diagonal, tried in this order until the matrix is definite; numerical guard.
_JITTERS = (0.0, 1e-12, 1e-10, 1e-8)
# Smallest eigenvalue as a share of the largest where jitter is not enough; numerical guard.
_EIGENVALUE_FLOOR = 1e-8
# Matrix entries below which one BLAS thread is faster than several; set by hand.
_SMALL = 100_000_000
# Rows of a block of products, which stays in the processor's cache.
_BLOCK_ROWS = 1000


def robust_cholesky(A: NDArray) -> NDArray:
    """Lower factor L with L Lᵀ = A, up to the least jitter that makes A numerically definite.

    Parameters
    ----------
    A : ndarray of shape (n, n)
        Symmetric matrix. It is scaled to unit diagonal first, so rows may differ in size by any factor. Where
        jitter does not help (a strongly indefinite matrix), eigenvalues are clipped instead.

    Returns
    -------
    L : ndarray of shape (n, n)
        Lower triangular factor; its diagonal is positive.
    """
    if len(A) == 0:
        return np.empty((0, 0))
    size = np.abs(np.diag(A))
    size = np.where(size > 0, size, np.abs(A).max(axis=1))
    scale = np.sqrt(np.maximum(size, np.finfo(float).tiny))
    unit = A / scale[:, None] / scale
    for jitter in _JITTERS:
        factor, failed = dpotrf(add_to_diagonal(unit, jitter), lower=1)
        if not failed and np.isfinite(factor).all():
            return scale[:, None] * factor
    return scale[:, None] * _clipped_factor(unit)


def _clipped_factor(A: NDArray) -> NDArray:
    """Lower factor of A with its eigenvalues clipped from below."""
    values, vectors = np.linalg.eigh((A + A.T) / 2)
    values = np.maximum(values, _EIGENVALUE_FLOOR * max(values[-1], 1.0))
    upper = qr((vectors * np.sqrt(values)).T, mode="r", check_finite=False)[0][: len(A)]
    return (upper * np.where(np.diag(upper) < 0, -1.0, 1.0)[:, None]).T


def add_to_diagonal(A: NDArray, values: ArrayLike) -> NDArray:
    """A with ``values`` added to its diagonal, in place."""
    A.flat[:: len(A) + 1] += values
    return A


def weighted_normal_equations(
    Phi: NDArray, weights: NDArray, diagonal: ArrayLike, right_side: NDArray
) -> tuple[NDArray, NDArray]:
    """Cholesky factor of Φᵀ W Φ + D, and the solution of (Φᵀ W Φ + D) x = b.

    Parameters
    ----------
    Phi : ndarray of shape (n_rows, n_columns)
        Design matrix Φ.
    weights : ndarray of shape (n_rows,)
        Diagonal of W.
    diagonal : array-like of shape (n_columns,) or float
        Diagonal of D.
    right_side : ndarray of shape (n_columns,)
        Right-hand side b.

    Returns
    -------
    factor : ndarray of shape (n_columns, n_columns)
        Lower triangular factor.
    solution : ndarray of shape (n_columns,)
        Solution x.
    """
    factor = robust_cholesky(add_to_diagonal((Phi.T * weights) @ Phi, diagonal))
    return factor, solve_with_factor(factor, right_side)


def solve_lower(L: NDArray, B: NDArray) -> NDArray:
    """Solve L X = B for a lower triangular L."""
    return _solve_triangular(L, B, transposed=0)


def solve_upper(L: NDArray, B: NDArray) -> NDArray:
    """Solve Lᵀ X = B for a lower triangular L."""
    return _solve_triangular(L, B, transposed=1)


def solve_with_factor(L: NDArray, B: NDArray) -> NDArray:
    """Solve (L Lᵀ) X = B for a lower triangular L."""
    return solve_upper(L, solve_lower(L, B))


def _solve_triangular(L: NDArray, B: NDArray, transposed: int) -> NDArray:
    if len(L) == 0:
        return np.empty(B.shape)
    solution, failed = dtrtrs(L, B, lower=1, trans=transposed)
    if failed:
        raise np.linalg.LinAlgError("A triangular matrix is singular.")
    return solution


def inverse_diagonal(L: NDArray) -> NDArray:
    """Diagonal of (L Lᵀ)⁻¹ for a lower triangular L."""
    return np.square(solve_lower(L, np.eye(len(L)))).sum(axis=0)


def squared_lengths_within(factors: Sequence[NDArray], Phi: NDArray) -> NDArray:
    """|L⁻¹ φ|² of each row φ for lower triangular factors L of equal size, shape (n_rows, n_factors).

    One product for a block of rows and each inverse; for factors of precisions of at least one, whose
    inverses are small.
    """
    found = np.empty((len(Phi), len(factors)))
    inverses = [solve_lower(L, np.eye(len(L))).T for L in factors]
    for first in range(0, len(Phi), _BLOCK_ROWS):
        part = slice(first, first + _BLOCK_ROWS)
        for k, inverse in enumerate(inverses):
            half = Phi[part] @ inverse
            found[part, k] = np.einsum("ij,ij->i", half, half)
    return found


def inverse_of_factor(L: NDArray) -> NDArray:
    """(L Lᵀ)⁻¹ for a lower triangular L."""
    if len(L) == 0:
        return np.empty((0, 0))
    lower, failed = dpotri(L, lower=1)
    if failed:
        raise np.linalg.LinAlgError("A triangular matrix is singular.")
    lower = np.tril(lower)
    return lower + np.tril(lower, -1).T


def half_log_det(L: NDArray) -> float:
    """½ log det(L Lᵀ) = Σ log L_jj for a lower triangular L with a positive diagonal."""
    return np.log(np.diag(L)).sum()


class _SingleThread:
    """Limit of BLAS to one thread while at least one thread of the program computes with small matrices.

    The number of BLAS threads belongs to the whole process: contexts that overlap share one limit, set by the
    first that enters and lifted by the last that leaves, which may be another thread. threadpoolctl 3.8 lets
    one thread alone set the number of threads of OpenBLAS: a limit that another one holds is left alone, and
    after a limit of ours any thread may set the next.
    """

    def __init__(self) -> None:
        self._lock, self._n_inside, self._limit = Lock(), 0, None

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                limit = _controller().limit(limits=1, user_api="blas")
                self._limit = limit if all(each.get_num_threads() == 1 for each in _blas()) else None
            self._n_inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0 and self._limit is not None:
                _release_control()
                self._limit.restore_original_limits()
                _release_control()


_SINGLE_THREAD = _SingleThread()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _blas() -> list[Any]:
    return [each for each in _controller().lib_controllers if each.user_api == "blas"]


def _release_control() -> None:
    """Let any thread set the number of BLAS threads, which threadpoolctl may leave to the first that did."""
    for each in _blas():
        if hasattr(each, "clear_controlling_thread"):
            each.clear_controlling_thread(force=True)


def threads_for(n_entries: float) -> AbstractContextManager:
    """Context in which BLAS uses one thread if the matrices have few entries, else all of its threads.

    Parameters
    ----------
    n_entries : float
        Number of entries of the largest matrix in the computation.

    Returns
    -------
    context : context manager
        To be used in a ``with`` statement.
    """
    return _SINGLE_THREAD if n_entries < _SMALL else nullcontext()
