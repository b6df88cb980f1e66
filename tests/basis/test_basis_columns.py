"""Columns of the design matrix: standardised, signed, restricted, streamed."""

import numpy as np
import pytest

from pauca.basis import (
    RBF,
    CandidatePool,
    KernelBasis,
    Laplacian,
    Matern32,
    Polynomial,
    PrecomputedBasis,
    with_bias,
)
from pauca.basis import basis as basis_module

EVERYTHING = np.arange(12)


def rows(seed=0, n=12, d=3):
    return np.random.default_rng(seed).normal(size=(n, d))


def kernel_basis(seed=0, gamma=0.4, **kwargs):
    return KernelBasis(rows(seed), RBF(gamma=gamma), **kwargs)


def precomputed_basis(seed=0, **kwargs):
    X = rows(seed)
    return PrecomputedBasis(RBF(gamma=0.4)(X, X), **kwargs)


BASES = pytest.mark.parametrize("make", [kernel_basis, precomputed_basis])


@BASES
@pytest.mark.parametrize("seed", range(2))
def test_columns_have_mean_zero_and_variance_one(make, seed):
    basis = make(seed)
    columns, shift, scale = basis.columns(EVERYTHING)
    np.testing.assert_allclose(columns.mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(columns.std(axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose(columns * scale + shift, basis.plain(EVERYTHING), rtol=1e-12)


@BASES
def test_candidates_come_in_the_order_asked_for(make):
    basis, asked = make(), np.array([7, 0, 7, 3])
    np.testing.assert_allclose(basis.columns(asked)[0], basis.columns(EVERYTHING)[0][:, asked], rtol=1e-12)


@BASES
def test_no_candidates_no_columns(make):
    columns, shift, scale = make().columns(np.empty(0, dtype=int))
    assert columns.shape == (12, 0)
    assert shift.shape == scale.shape == (0,)


def test_given_matrix_is_not_changed():
    K = np.random.default_rng(0).normal(size=(6, 6))
    kept = K.copy()
    basis = PrecomputedBasis(K)
    basis.columns(np.arange(6))
    list(basis.blocks(np.arange(6)))
    np.testing.assert_array_equal(K, kept)


@pytest.mark.parametrize("value", [0.0, 1.0, -3e-200, 7e200])
@pytest.mark.parametrize("wobble", [0.0, 1e-15])
def test_constant_columns_become_zero(value, wobble):
    noise = 1 + wobble * np.random.default_rng(0).uniform(-1, 1, size=(20, 3))
    columns, _, scale = PrecomputedBasis(value * noise).columns(np.arange(3))
    np.testing.assert_array_equal(columns, 0)
    assert np.isinf(scale).all()


@pytest.mark.parametrize("size", [1e-200, 1e-8, 1e8, 1e150])
def test_units_of_a_column_do_not_matter(size):
    K = rows(1, n=10, d=4)
    expected = PrecomputedBasis(K).columns(np.arange(4))[0]
    np.testing.assert_allclose(
        PrecomputedBasis(size * K).columns(np.arange(4))[0], expected, rtol=1e-10, atol=1e-14
    )


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_values_that_are_not_finite_are_named(value):
    K = np.ones((4, 4))
    K[2, 1] = value
    with pytest.raises(ValueError, match="kernel has values that are not finite"):
        PrecomputedBasis(K).columns(np.arange(4))


def test_signs_multiply_columns():
    signs = np.where(np.arange(12) % 3, 1.0, -1.0)
    plain, signed = kernel_basis(), kernel_basis(signs=signs)
    np.testing.assert_allclose(signed.plain(EVERYTHING), plain.plain(EVERYTHING) * signs)
    asked = np.array([4, 0, 9])
    np.testing.assert_allclose(signed.columns(asked)[0], plain.columns(asked)[0] * signs[asked])


@BASES
def test_restricted_basis(make):
    basis, some_rows, some = make(), np.array([1, 2, 5, 8, 11]), np.array([8, 0, 5])
    part = basis.restricted(some_rows, some)
    assert part.n_rows == 5
    assert part.n_candidates == 3
    np.testing.assert_allclose(part.plain(np.arange(3)), basis.plain(some)[some_rows])
    # Candidate 0 is centred on row 0, which is not among the rows.
    np.testing.assert_array_equal(part.centre_rows, [3, -1, 2])
    again = part.restricted(np.array([2, 3]), np.array([0, 1, 2]))
    np.testing.assert_array_equal(again.centre_rows, [1, -1, 0])
    np.testing.assert_allclose(again.plain(np.arange(3)), basis.plain(some)[[5, 8]])


def test_restricted_basis_keeps_signs():
    signs = np.where(np.arange(12) % 2, 1.0, -1.0)
    part = kernel_basis(signs=signs).restricted(np.arange(4), np.array([3, 10]))
    np.testing.assert_array_equal(part.signs, signs[[3, 10]])


def test_centres_may_be_some_of_the_rows():
    basis = kernel_basis(centre_rows=np.array([2, 9]))
    assert basis.n_candidates == 2
    np.testing.assert_allclose(basis.plain(np.arange(2)), kernel_basis().plain(np.array([2, 9])))


def test_bias_comes_first():
    np.testing.assert_array_equal(with_bias(np.zeros((3, 2))), [[1, 0, 0]] * 3)
    assert with_bias(np.empty((4, 0))).shape == (4, 1)


@BASES
@pytest.mark.parametrize("block_bytes", [1, 8 * 12, 8 * 12 * 5, 2**20])
@pytest.mark.parametrize("cache_bytes", [0, 2**20])
def test_streamed_blocks_equal_the_cached_pool(make, block_bytes, cache_bytes, monkeypatch):
    monkeypatch.setattr(basis_module, "_BLOCK_BYTES", block_bytes)
    basis, asked = make(), np.array([3, 1, 8, 11, 0, 5, 6])
    pool = CandidatePool(basis, asked, cache_bytes)
    expected = basis.columns(asked)[0]
    for _ in range(2):
        np.testing.assert_allclose(np.hstack(list(pool)), expected, rtol=1e-12)
    width = max(1, block_bytes // (8 * 12))
    assert all(block.shape[1] <= width for block in pool)


def test_streaming_keeps_nothing():
    calls = []

    class Counting(PrecomputedBasis):
        def raw(self, candidates):
            calls.append(len(candidates))
            return super().raw(candidates)

    def count(cache_bytes):
        calls.clear()
        pool = CandidatePool(Counting(rows(0, 8, 8)), np.arange(8), cache_bytes)
        return [len(calls), len(list(pool)) and len(calls), len(list(pool)) and len(calls)]

    assert count(cache_bytes=2**20) == [1, 1, 1]
    assert count(cache_bytes=0) == [0, 1, 2]


@pytest.mark.parametrize("cache_bytes", [0, 2**20])
def test_empty_pool(cache_bytes):
    pool = CandidatePool(kernel_basis(), np.empty(0, dtype=int), cache_bytes)
    assert [block.shape for block in pool] == [(12, 0)]


@BASES
@pytest.mark.parametrize("cache_bytes", [0, 2**20])
@pytest.mark.parametrize("block_bytes", [1, 2**20])
def test_columns_of_a_pool(make, cache_bytes, block_bytes, monkeypatch):
    monkeypatch.setattr(basis_module, "_BLOCK_BYTES", block_bytes)
    basis, asked = make(), np.array([8, 1, 11, 1])
    pool = CandidatePool(basis, np.array([0, 1, 4, 8, 11]), cache_bytes)
    columns = pool.columns(asked)
    np.testing.assert_allclose(columns, basis.columns(asked)[0], rtol=1e-12)
    columns[:] = 0
    np.testing.assert_allclose(pool.columns(asked), basis.columns(asked)[0], rtol=1e-12)


@pytest.mark.parametrize("signs", [None, np.tile([1.0, -1.0, 0.0], 4)])
@pytest.mark.parametrize("cache_bytes", [0, 1200, 10**6])
def test_squares_come_with_their_columns(cache_bytes, signs):
    pool = CandidatePool(kernel_basis(), np.arange(12), cache_bytes)
    list(pool.with_squares())
    pool = pool if signs is None else pool.signed(signs)
    columns, squares = (np.hstack(blocks) for blocks in zip(*pool.with_squares(), strict=True))
    np.testing.assert_array_equal(columns, pool.columns(np.arange(12)))
    np.testing.assert_array_equal(squares, columns**2)


def test_number_of_distinct_columns():
    rng = np.random.default_rng(0)
    orthogonal = np.linalg.qr(rng.normal(size=(40, 8)))[0]
    orthogonal -= orthogonal.mean(axis=0)
    some = CandidatePool(PrecomputedBasis(orthogonal), np.arange(8)).n_distinct
    assert 7 < some <= 8
    twice = CandidatePool(
        PrecomputedBasis(np.hstack([orthogonal, -2 * orthogonal])), np.arange(16)
    ).n_distinct
    np.testing.assert_allclose(twice, some, rtol=1e-9)
    assert CandidatePool(PrecomputedBasis(np.ones((5, 5))), np.arange(5)).n_distinct == 1
    same = np.outer(rng.normal(size=6), np.ones(6))
    np.testing.assert_allclose(CandidatePool(PrecomputedBasis(same), np.arange(6)).n_distinct, 1, rtol=1e-9)


@pytest.mark.parametrize("size", [None, 12, 50])
def test_small_sets_are_taken_whole(size):
    pool = CandidatePool.draw(kernel_basis(), size, np.random.default_rng(0))
    np.testing.assert_array_equal(pool.candidates, EVERYTHING)


def test_large_sets_are_sampled():
    basis = kernel_basis()
    draws = [CandidatePool.draw(basis, 5, np.random.default_rng(seed)).candidates for seed in range(30)]
    for draw in draws:
        assert len(np.unique(draw)) == 5
    assert len({tuple(draw) for draw in draws}) > 20
    np.testing.assert_array_equal(np.unique(np.concatenate(draws)), EVERYTHING)
    np.testing.assert_array_equal(draws[0], CandidatePool.draw(basis, 5, np.random.default_rng(0)).candidates)


SCALED = pytest.mark.parametrize("kernel", [RBF(0.4), Matern32(0.4), Polynomial(0.4) + Laplacian(0.2)])
SIGNS = np.where(EVERYTHING % 3, 1.0, -1.0)


def assert_gradient(objective, found, logs):
    expected = [(objective(logs + step) - objective(logs - step)) / 2e-5 for step in 1e-5 * np.eye(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-7)


@SCALED
def test_gradient_in_the_scales_of_features(kernel):
    basis, candidates = KernelBasis(rows(), kernel, signs=SIGNS), np.array([1, 3, 8])
    logs, upstream = np.array([0.3, -0.5, 0.1]), np.random.default_rng(1).normal(size=(12, 3))

    def total(logs):
        return (upstream * basis.rescaled(np.exp(0.5 * logs)).columns(candidates)[0]).sum()

    found = basis.rescaled(np.exp(0.5 * logs)).scale_gradient(candidates, upstream)
    assert_gradient(total, found, logs)


@SCALED
def test_gradient_of_the_values_between_centres_in_the_scales_of_features(kernel):
    basis, candidates = KernelBasis(rows(), kernel, signs=SIGNS), np.array([1, 3, 8])
    logs, upstream = np.array([0.3, -0.5, 0.1]), np.random.default_rng(1).normal(size=(3, 3))

    def total(logs):
        return (upstream * basis.rescaled(np.exp(0.5 * logs)).gram(candidates)).sum()

    there = basis.rescaled(np.exp(0.5 * logs))
    assert_gradient(total, there.gram_scale_gradient(candidates, upstream, there.gram(candidates)), logs)


def test_scales_multiply_the_features():
    X, scales = rows(), np.array([0.5, 2.0, 1.0])
    expected = RBF(gamma=0.4)(X * scales, X * scales)
    np.testing.assert_allclose(kernel_basis().rescaled(scales).plain(EVERYTHING), expected, rtol=1e-14)
