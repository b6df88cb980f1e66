"""Posterior of many classes in blocks."""

import numpy as np
import pytest
from scipy.optimize import minimize

from pauca.basis import RBF, ArrayBlocks
from pauca.fitting.processes import Process
from pauca.fitting.streaming.classes import ClassPass, infer_classes
from pauca.fitting.streaming.posterior import Weights
from pauca.fitting.streaming.projection import Projection
from pauca.likelihoods import MultinomialProbit

LIKELIHOOD = MultinomialProbit()


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    F = np.column_stack([2 * X[:, 0], 2 * np.sin(2 * X[:, 1]), np.zeros(400)])
    return X, np.argmax(F + rng.normal(size=F.shape), axis=1), rng.uniform(0.5, 2, 400)


def told_before(n_weights):
    """Posteriors of three classes given other rows."""
    rng = np.random.default_rng(4)
    roots = [np.tril(0.3 * rng.normal(size=(n_weights, n_weights))) + 2 * np.eye(n_weights) for _ in range(3)]
    return [Weights(rng.normal(size=n_weights), root) for root in roots]


@pytest.mark.parametrize("priors", [None, told_before(9)])
def test_the_means_are_the_mode_at_their_variances(rows, priors):
    """With the variances of the latent values held fixed, the means maximise the log joint density."""
    X, y, weights = rows
    projection = Projection.of(Process(RBF(0.5), 3.0), X[:8])
    options = {"priors": priors, "tol": 1e-6, "max_passes": 200}
    found = infer_classes(ArrayBlocks(*rows), [projection] * 3, LIKELIHOOD, **options)
    known = priors or [Weights.prior(projection.n_weights)] * 3
    before = np.array([each.mean for each in known])
    function = ClassPass.at([projection] * 3, LIKELIHOOD, found)
    features, _, variances = function.latent(next(ArrayBlocks(X).blocks()))[2:]

    def descent(flat):
        means = flat.reshape(3, -1)
        log_z, tilted, _ = LIKELIHOOD.tilted_moments(y, features @ means.T, variances)
        gradient = features.T @ (weights[:, None] * (tilted - features @ means.T) / variances)
        pulls = [each.precision @ shift for each, shift in zip(known, means - before, strict=True)]
        energy = 0.5 * np.vdot(pulls, means - before)
        return energy - weights @ log_z, np.ravel(pulls) - gradient.T.ravel()

    best = minimize(descent, np.zeros(3 * projection.n_weights), jac=True, options={"gtol": 1e-8}).x
    means, best = np.array([each.mean for each in found]), best.reshape(3, -1)
    if priors is None:
        # What all classes have in common changes no probability, and settles last.
        means, best = means - means.mean(axis=0), best - best.mean(axis=0)
    np.testing.assert_allclose(means, best, atol=8e-3)


def test_blocks_of_any_size_give_the_same(rows):
    projection = Projection.of(Process(RBF(0.5), 3.0), rows[0][:8])
    whole = infer_classes(ArrayBlocks(*rows), [projection] * 3, LIKELIHOOD)
    parts = infer_classes(ArrayBlocks(*rows, block_rows=33), [projection] * 3, LIKELIHOOD)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one.mean, other.mean, atol=1e-9)
        np.testing.assert_allclose(one.factor, other.factor, rtol=1e-9, atol=1e-9)


def test_probabilities_are_near_the_truth_with_many_rows():
    rng = np.random.default_rng(1)

    def draw(n):
        X = rng.normal(size=(n, 2))
        F = np.column_stack([2 * X[:, 0], 2 * np.sin(2 * X[:, 1]), np.zeros(n)])
        return X, F, np.argmax(F + rng.normal(size=F.shape), axis=1)

    (X, _, y), (X_new, F, _) = draw(6000), draw(1000)
    projection = Projection.of(Process(RBF(0.5), 3.0), X[:60])
    found = infer_classes(ArrayBlocks(X, y), [projection] * 3, LIKELIHOOD, tol=0.5, dtype=np.float32)
    function = ClassPass.at([projection] * 3, LIKELIHOOD, found)
    means, variances = function.latent(next(ArrayBlocks(X_new).blocks()))[3:]
    truth = LIKELIHOOD.predict(F, np.zeros(F.shape))
    assert np.abs(LIKELIHOOD.predict(means, variances) - truth).mean() < 0.02
