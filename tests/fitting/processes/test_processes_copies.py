"""Copies of rows: which rows are copies, and their weights in the evidence."""

import numpy as np
import pytest
from scipy import sparse

from pauca.fitting.processes.copies import copies, evidence_weights


@pytest.mark.parametrize("pack", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("noise", [0.0, 1e-6])
def test_copies_are_found_by_brute_force(noise, pack):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(20, 3)), rng.integers(1, 5, 20), axis=0)
    X = rng.permutation(X + noise * rng.normal(size=X.shape))
    clusters = copies(pack(X))
    near = np.abs(X[:, None] - X).max(axis=2) < 1e-4
    np.testing.assert_array_equal(clusters[:, None] == clusters, near)


def test_a_row_and_its_copies_count_as_one():
    X = np.array([[0.0], [1.0], [1.0 + 1e-6], [2.0]])
    weights = evidence_weights(X, np.array([0, 1, 1, 0]), np.array([1.0, 1.0, 2.0, 1.0]))
    np.testing.assert_allclose(weights, [1.0, 1 / 3, 2 / 3, 1.0])


def test_measurements_that_differ_are_no_copies():
    rng = np.random.default_rng(0)
    X = np.repeat(np.arange(10.0)[:, None], 2, axis=0)
    codes, ones = rng.integers(0, 2, 20), np.ones(20)
    np.testing.assert_array_equal(evidence_weights(X, codes, ones), ones)
    agreed = np.repeat(codes[:10], 2)
    np.testing.assert_array_equal(evidence_weights(X, agreed, ones), ones / 2)


def test_rows_without_repetitions_keep_their_weights():
    X, weights = np.arange(5.0)[:, None], np.array([0.2, 1.0, 0.5, 1.0, 0.0])
    np.testing.assert_array_equal(evidence_weights(X, np.arange(5), weights), weights)
    X[1], fractions = X[0], np.array([2.0, 1.5, 1.0, 1.0, 1.0])
    np.testing.assert_array_equal(evidence_weights(X, np.zeros(5), fractions), fractions)
    assert len(copies(np.empty((0, 2)))) == 0
