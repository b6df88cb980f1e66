"""Inducing vectors: what each adds to the lower bound, by the dense formula."""

import numpy as np
import pytest

from pauca.basis import RBF
from pauca.selection import InducingSearch


def problem(seed, n=60):
    """Rows, targets, noise precisions, prior covariance and fixed features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n)
    return y, rng.uniform(5, 20, n), 1.7 * RBF(0.7)(X, X), np.column_stack([np.ones(n), X])


def lower_bound(vectors, y, precision, K, features):
    """Variational bound of Titsias (2009, eq. 9) with fixed features beside the vectors."""
    explained = np.zeros_like(K)
    if vectors:
        explained = K[:, vectors] @ np.linalg.solve(K[np.ix_(vectors, vectors)], K[vectors])
    C = features @ features.T + explained + np.diag(1 / precision)
    log_det = np.linalg.slogdet(2 * np.pi * C)[1]
    return -0.5 * (y @ np.linalg.solve(C, y) + log_det + precision @ np.diag(K - explained))


@pytest.mark.parametrize("seed", range(3))
def test_gains_are_differences_of_the_bound(seed):
    y, precision, K, features = problem(seed)
    search, chosen = InducingSearch(K[:, :40], K[:40, :40], features, precision, precision * y), []
    for _ in range(8):
        gains, before = search.gains(), lower_bound(chosen, y, precision, K, features)
        for candidate in range(0, 40, 7):
            if candidate not in chosen:
                after = lower_bound([*chosen, candidate], y, precision, K, features)
                np.testing.assert_allclose(gains[candidate], after - before, atol=1e-5)
        chosen.append(int(np.argmax(gains)))
        search.add(chosen[-1])
    assert not np.isfinite(search.gains()[chosen]).any()


def test_every_vector_raises_the_bound_and_the_search_ends():
    y, precision, K, features = problem(0)
    chosen, ended = InducingSearch(K, K, features, precision, precision * y).run(60, 0.5)
    assert ended
    bounds = [lower_bound(list(chosen[:k]), y, precision, K, features) for k in range(len(chosen) + 1)]
    assert (np.diff(bounds) >= 0.5 - 1e-6).all()
    few, ended = InducingSearch(K, K, features, precision, precision * y).run(3, 0.5)
    np.testing.assert_array_equal(few, chosen[:3])
    assert not ended


def test_copies_of_a_vector_are_not_novel():
    y, precision, K, features = problem(1)
    order = np.r_[np.arange(60), np.arange(60)]
    chosen, _ = InducingSearch(K[:, order], K[np.ix_(order, order)], features, precision, precision * y).run(
        60, 0.01
    )
    assert len(np.unique(order[chosen])) == len(chosen)


def test_no_candidates_are_no_vectors():
    y, precision, K, features = problem(1)
    chosen, ended = InducingSearch(K[:, :0], K[:0, :0], features, precision, precision * y).run(5, 0.1)
    assert len(chosen) == 0
    assert ended
