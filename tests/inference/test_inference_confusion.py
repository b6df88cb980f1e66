"""Confused labels of many classes, against the enumeration of all true classes."""

import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.metrics.pairwise import rbf_kernel

from pauca.inference import DesignPrior, confused_latent_ep
from pauca.likelihoods import MultinomialProbit, UncertainClass


def enumerated(root, labels, prior, n_draws=300_000):
    """True classes, confusion and log evidence, by the shares of configurations in draws of the prior."""
    n, n_classes = labels.shape
    rng = np.random.default_rng(0)
    latent = np.stack(
        [root @ rng.normal(size=(n, n_draws)) + rng.normal(size=(n, n_draws)) for _ in range(n_classes)]
    )
    codes = n_classes ** np.arange(n)
    counts = np.bincount(codes @ latent.argmax(axis=0), minlength=n_classes**n)
    found = np.flatnonzero(counts)
    truth = (found[:, None] // codes) % n_classes
    indicators = truth[:, :, None] == np.arange(n_classes)
    posteriors = prior + np.einsum("snk,nc->skc", indicators, labels)
    log_p = (log_beta(posteriors) - log_beta(prior)).sum(axis=1)
    weights = counts[found] / n_draws * np.exp(log_p)
    evidence, weights = np.log(weights.sum()), weights / weights.sum()
    means = posteriors / posteriors.sum(axis=2, keepdims=True)
    return np.einsum("s,snk->nk", weights, indicators), np.einsum("s,skc->kc", weights, means), evidence


def log_beta(a):
    return gammaln(a).sum(axis=-1) - gammaln(a.sum(axis=-1))


def problem(seed, n=6, n_classes=3, amplitude=10.0):
    rng = np.random.default_rng(seed)
    X = 1.5 * rng.normal(size=(n, 1))
    root = np.linalg.cholesky(amplitude * rbf_kernel(X) + 1e-9 * np.eye(n))
    labels = np.eye(n_classes)[rng.integers(0, n_classes, n)]
    prior = np.where(np.eye(n_classes, dtype=bool), 3.0, 0.25)
    return root, labels, prior


@pytest.mark.parametrize("seed", range(3))
def test_enumeration(seed):
    root, labels, prior = problem(seed)
    labels[0] *= 2  # a repeated row
    labels[1] = [1.0, 1.0, 0.0]  # a row with contradicting labels
    fit = confused_latent_ep(UncertainClass(), DesignPrior(root), labels, prior)
    truth, confusion, evidence = enumerated(root, labels, prior)
    assert fit.converged
    np.testing.assert_allclose(fit.true_classes.sum(axis=1), 1)
    assert np.abs(fit.true_classes - truth).mean() < 0.07
    assert np.abs(fit.true_classes - truth).max() < 0.2
    shares = fit.concentrations / fit.concentrations.sum(axis=1, keepdims=True)
    assert np.abs(shares - confusion).mean() < 0.04
    assert np.abs(shares - confusion).max() < 0.1
    assert fit.log_evidence == pytest.approx(evidence, abs=1.0)


def test_certain_classes_are_those_of_the_multinomial_probit():
    rng = np.random.default_rng(0)
    mean, var, y = rng.normal(size=(20, 4)), rng.uniform(0.2, 3, size=(20, 4)), rng.integers(0, 4, 20)
    messages = np.where(np.eye(4, dtype=bool)[y], 0.0, -200.0)
    expected = MultinomialProbit().tilted_moments(y, mean, var)
    for found, right in zip(UncertainClass().tilted_moments(messages, mean, var), expected, strict=True):
        np.testing.assert_allclose(found, right, atol=1e-8)


def test_moments_of_uncertain_classes_by_draws():
    rng = np.random.default_rng(1)
    mean, var = np.array([[0.5, -0.3, 0.1]]), np.array([[1.5, 0.7, 2.0]])
    messages = np.log(np.array([[0.7, 0.2, 0.4]]))
    draws = mean + np.sqrt(var) * rng.normal(size=(400_000, 3))
    winner = (draws + rng.normal(size=draws.shape)).argmax(axis=1)
    weights = np.exp(messages[0])[winner]
    log_z, first, second = UncertainClass().tilted_moments(messages, mean, var)
    expected = np.average(draws, axis=0, weights=weights)
    assert log_z[0] == pytest.approx(np.log(weights.mean()), abs=5e-3)
    np.testing.assert_allclose(first[0], expected, atol=0.01)
    spread = np.average(np.square(draws - expected), axis=0, weights=weights)
    np.testing.assert_allclose(second[0], np.minimum(spread, var[0]), atol=0.02)
