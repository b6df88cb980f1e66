"""Vectors that are added to a process by what the bound gains."""

import numpy as np
import pytest

from pauca.basis import RBF
from pauca.basis.blocks import ArrayBlocks, HeldBlocks
from pauca.fitting.processes import Process
from pauca.fitting.streaming.growth import extended, grown
from pauca.fitting.streaming.posterior import infer
from pauca.fitting.streaming.projection import Projection
from pauca.fitting.streaming.vectors import choose_vectors
from pauca.likelihoods import Gaussian, Probit


@pytest.fixture(scope="module")
def block():
    """Labels that change in a corner only, where few rows are."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = np.where((X[:, 0] > 0.8) & (np.sin(6 * X[:, 1]) > 0), 1.0, -1.0)
    return next(ArrayBlocks(X, y).blocks())


@pytest.fixture(scope="module")
def few(block):
    process = Process(RBF(2.0), 9.0, 0.0)
    projection = Projection.of(process, block.X[choose_vectors(process, block.X, block.weights, 12)])
    return projection, infer(HeldBlocks(block), projection, Probit(), tol=1e-6)


def bound(block, projection, likelihood):
    return infer(HeldBlocks(block), projection, likelihood, tol=1e-6).bound


def test_vectors_that_gain_most_raise_the_bound_more_than_those_of_the_prior(block, few):
    projection, weights = few
    longer, _, places = grown(block, projection, weights, Probit(), 12, seed=0)
    by_prior = extended([projection], [weights], block, 12)[0][0]
    assert len(np.unique(places)) == 12
    np.testing.assert_array_equal(longer.vectors[12:], block.X[places])
    assert bound(block, longer, Probit()) > bound(block, by_prior, Probit()) + 5


def test_new_vectors_keep_what_is_known(block, few):
    projection, weights = few
    longer, start, _ = grown(block, projection, weights, Probit(), 5, seed=0)
    np.testing.assert_array_equal(start.mean[:-5], weights.mean)
    np.testing.assert_array_equal(start.mean[-5:], 0.0)
    np.testing.assert_allclose(start.precision[:-5, :-5], weights.precision, rtol=1e-9)
    first = infer(HeldBlocks(block), longer, Probit(), start=start, max_passes=1)
    np.testing.assert_allclose(first.bound, weights.bound, atol=1e-4)


def test_the_promised_gain_is_that_of_the_bound_for_gaussian_noise(block):
    process, likelihood = Process(RBF(2.0), 1.0, 0.0, constant=(0.0, 1e-8)), Gaussian(4.0)
    pool = block.part(slice(0, 60))
    chosen = choose_vectors(process, pool.X, np.full(60, 4.0), 1, gradients=4.0 * pool.y)
    bounds = [bound(pool, Projection.of(process, row[None]), likelihood) for row in pool.X]
    assert bounds[chosen[0]] > np.max(bounds) - 1e-3
