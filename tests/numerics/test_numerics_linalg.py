"""Factorisations: exact where the matrix is definite, close and finite where it is not."""

import os
import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from pauca.numerics import (
    half_log_det,
    inverse_diagonal,
    inverse_of_factor,
    robust_cholesky,
    solve_lower,
    solve_with_factor,
    squared_lengths_within,
    threads_for,
)


def definite(n, seed):
    """A well-conditioned symmetric positive definite matrix."""
    root = np.random.default_rng(seed).normal(size=(n, n + 3))
    return root @ root.T + np.eye(n)


@pytest.mark.parametrize(("n", "seed"), [(1, 0), (2, 1), (7, 2), (40, 3)])
def test_definite_matrix_is_factored_exactly(n, seed):
    A = definite(n, seed)
    L = robust_cholesky(A)
    np.testing.assert_array_equal(L, np.tril(L))
    np.testing.assert_allclose(L @ L.T, A, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("decades", [3, 20, 100])
def test_rows_of_very_different_size_do_no_harm(decades):
    A = definite(6, 4)
    scale = 10.0 ** np.linspace(-decades, decades, 6)
    L = robust_cholesky(scale[:, None] * A * scale)
    np.testing.assert_allclose((L / scale[:, None]) @ (L / scale[:, None]).T, A, rtol=1e-11)


@pytest.mark.parametrize("rank", [1, 3, 8])
@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_singular_matrix_gets_the_least_jitter(rank, size):
    root = np.random.default_rng(rank).normal(size=(9, rank))
    A = size * root @ root.T
    L = robust_cholesky(A)
    assert np.isfinite(L).all()
    assert (np.diag(L) > 0).all()
    np.testing.assert_allclose(L @ L.T, A, atol=2e-8 * size * np.diag(A / size).max())


def test_equal_columns():
    x = np.random.default_rng(0).normal(size=50)
    Phi = np.column_stack([x, x, -x, 3 * x])
    A = Phi.T @ Phi
    L = robust_cholesky(A)
    np.testing.assert_allclose(L @ L.T, A, rtol=1e-7)
    assert np.isfinite(solve_with_factor(L, Phi.T @ x)).all()


@pytest.mark.parametrize(
    "A",
    [
        np.array([[1.0, 2.0], [2.0, 1.0]]),
        np.array([[0.0, 5.0], [5.0, 0.0]]),
        np.array([[-10.0, 0.0], [0.0, 1.0]]),
        np.diag([1e200, -1e-200, 0.0]),
        -np.eye(3),
    ],
)
def test_indefinite_matrix_gives_a_finite_factor(A):
    L = robust_cholesky(A)
    assert np.isfinite(L).all()
    np.testing.assert_array_equal(L, np.tril(L))
    assert (np.diag(L) > 0).all()


def test_indefinite_matrix_keeps_its_positive_part():
    vectors = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]
    A = (vectors * [4.0, 2.0, 1.0, -0.5]) @ vectors.T
    scale = np.sqrt(np.abs(np.diag(A)))
    unit = A / scale[:, None] / scale
    values, directions = np.linalg.eigh(unit)
    clipped = (directions * np.maximum(values, 1e-8 * values[-1])) @ directions.T
    L = robust_cholesky(A) / scale[:, None]
    np.testing.assert_allclose(L @ L.T, clipped, atol=1e-12)


def test_zero_matrix_and_zero_row():
    assert np.isfinite(robust_cholesky(np.zeros((3, 3)))).all()
    assert robust_cholesky(np.empty((0, 0))).shape == (0, 0)
    A = definite(4, 5)
    A[2] = A[:, 2] = 0
    L = robust_cholesky(A)
    np.testing.assert_allclose(L @ L.T, A, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_solves_against_dense_inverse(seed):
    A = definite(8, seed)
    B = np.random.default_rng(seed).normal(size=(8, 5))
    L = np.linalg.cholesky(A)
    np.testing.assert_allclose(solve_lower(L, B), np.linalg.inv(L) @ B, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(solve_with_factor(L, B), np.linalg.inv(A) @ B, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        solve_with_factor(L, B[:, 0]), np.linalg.inv(A) @ B[:, 0], rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(inverse_diagonal(L), np.diag(np.linalg.inv(A)), rtol=1e-10)


def test_squared_lengths_within_factors(monkeypatch):
    rng = np.random.default_rng(0)
    Phi, halves = rng.normal(size=(7, 3)), rng.normal(size=(2, 3, 3))
    precisions = [np.eye(3) + half @ half.T for half in halves]
    monkeypatch.setattr("pauca.numerics.linalg._BLOCK_ROWS", 3)
    found = squared_lengths_within([np.linalg.cholesky(A) for A in precisions], Phi)
    expected = [[row @ np.linalg.solve(A, row) for A in precisions] for row in Phi]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_half_log_determinant():
    A = np.cov(np.random.default_rng(3).normal(size=(4, 30)))
    np.testing.assert_allclose(half_log_det(robust_cholesky(A)), 0.5 * np.linalg.slogdet(A)[1])


def blas_threads():
    return [info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"]


def test_overlapping_limits_of_threads_leave_none_behind():
    with threadpool_limits(2, user_api="blas"):
        before, first, second = blas_threads(), threads_for(10), threads_for(10)
        first.__enter__()
        second.__enter__()
        assert set(blas_threads()) == {1}
        first.__exit__(None, None, None)
        assert set(blas_threads()) == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before


CONCURRENT = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from pauca.numerics import threads_for

def blas_threads():
    return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}

# The thread that entered first leaves first, and is still alive when the last one leaves.
first_inside, all_inside, next_leaves = Event(), Barrier(4), [Barrier(2) for _ in range(3)]

def compute(k):
    if k > 0:
        first_inside.wait(60)
    with threads_for(10):
        first_inside.set()
        all_inside.wait(60)
        if k > 0:
            next_leaves[k - 1].wait(60)
        np.linalg.inv(np.eye(20))
    if k < 3:
        next_leaves[k].wait(60)

before = blas_threads()
with ThreadPoolExecutor(4) as pool:
    list(pool.map(compute, range(4)))
    print(before, blas_threads())
with threadpool_limits(1):
    print(blas_threads())
print(blas_threads())
"""


def test_concurrent_computations_leave_the_number_of_threads_as_it_was():
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    command = [sys.executable, "-c", CONCURRENT]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    before, *after = found.split()
    assert after == [before, "{1}", before]


def test_many_entries_are_not_limited():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        assert max(before) == 2
        with threads_for(1e12):
            assert blas_threads() == before


@pytest.mark.parametrize("n", [0, 1, 30])
def test_inverse_of_a_factored_matrix(n):
    A = definite(n, 4) if n else np.empty((0, 0))
    inverse = inverse_of_factor(robust_cholesky(A))
    np.testing.assert_allclose(inverse @ A, np.eye(n), atol=1e-9)
    np.testing.assert_array_equal(inverse, inverse.T)


def test_a_singular_factor_has_no_inverse():
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        inverse_of_factor(np.diag([1.0, 0.0]))
