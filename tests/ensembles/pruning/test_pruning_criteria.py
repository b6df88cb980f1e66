"""Criterion matrices against averages and counts."""

import numpy as np
import pytest
from drawn import draw, mean_squared_error

from pauca.ensembles import (
    common_errors,
    error_products,
)
from pauca.ensembles.pruning.criteria import criterion


@pytest.mark.parametrize("n_outputs", [None, 3])
def test_criterion_is_the_error_of_the_average(n_outputs):
    outputs, y = draw(0, n_outputs=n_outputs)
    C = error_products(outputs, y)
    for members in ([3], [0, 4], [1, 2, 5, 8]):
        assert criterion(C, members) == pytest.approx(mean_squared_error(outputs, y, members))


@pytest.mark.parametrize("matrix", [error_products, common_errors])
def test_weights_are_repetitions(matrix, votes):
    outputs, y = draw(2) if matrix is error_products else votes
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    np.testing.assert_allclose(
        matrix(outputs, y, sample_weight=weights), matrix(outputs[:, repeated], y[repeated]), rtol=1e-12
    )


def test_common_errors_by_counting(votes):
    outputs, y = votes
    G, wrong = common_errors(outputs, y), outputs != y
    for i, j in [(0, 0), (3, 7), (12, 4)]:
        both = (wrong[i] & wrong[j]).sum()
        expected = both / len(y) if i == j else (both / wrong[i].sum() + both / wrong[j].sum()) / 2
        assert G[i, j] == pytest.approx(expected)


def test_members_without_errors_share_none():
    y = np.array([0, 1, 0, 1])
    G = common_errors([y, 1 - y, [0, 1, 1, 1]], y)
    assert G[0].tolist() == [0, 0, 0]
    assert G[1, 2] == pytest.approx((0.25 / 1 + 1) / 2)


def test_rows_that_count_for_both():
    outputs, y = draw(4, 3, 40)
    known = np.random.default_rng(1).random((3, 40)) < 0.5
    C = error_products(outputs, y, known=known)
    errors = outputs - y
    for i, j in [(0, 0), (0, 1), (2, 1)]:
        both = known[i] & known[j]
        assert C[i, j] == pytest.approx(np.mean(errors[i, both] * errors[j, both]))


def test_a_pair_without_rows_takes_the_mean_of_the_others():
    known = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]], dtype=bool)
    C = error_products(np.arange(12.0).reshape(3, 4), np.zeros(4), known=known)
    assert C[0, 1] == C[1, 0] == pytest.approx((C[0, 2] + C[1, 2]) / 2)
    with pytest.raises(ValueError, match="known leaves member 1 no row"):
        error_products(np.ones((2, 3)), np.zeros(3), known=np.array([[True] * 3, [False] * 3]))
