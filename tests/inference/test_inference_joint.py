"""Weights of several classes together: optimisers, sampling, Gaussian noise, leaving out rows."""

from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest

from pauca.inference import DesignPrior, exact, joint_ep, joint_latent_ep, leave_one_out
from pauca.likelihoods import Gaussian, MultinomialProbit
from pauca.priors import ARD

SIZES = (3, 4, 2)
SEEDS = pytest.mark.parametrize("seed", range(3))


def problem(seed, n=30):
    """Priors, designs and codes of three classes, and row weights."""
    rng = np.random.default_rng(seed)
    priors = [ARD(rng.uniform(0.2, 2, m)) for m in SIZES]
    return priors, [rng.normal(size=(n, m)) for m in SIZES], rng.integers(0, 3, n), rng.uniform(0.3, 2, n)


@dataclass(frozen=True)
class Noisy:
    """Each class is seen with Gaussian noise of its own, for which propagation is exact."""

    seen: np.ndarray
    precision: float = 4.0

    def tilted_moments(self, y, mean, var):
        total = var + 1 / self.precision
        log_z = -0.5 * (np.log(2 * np.pi * total) + np.square(self.seen - mean) / total).sum(axis=1)
        return log_z, mean + var / total * (self.seen - mean), var * (1 - var / total)


def test_gaussian_noise_is_exact():
    priors, Phis, y, _ = problem(1)
    rng = np.random.default_rng(5)
    # A weight below one is part of an observation.
    weights, seen = rng.choice([0.5, 1.0, 3.0], len(y)), rng.normal(size=(len(y), 3))
    found = joint_ep(Noisy(seen), priors, Phis, y, weights, tol=1e-9)
    truths = [
        exact(Gaussian(4.0), prior, Phi, target, weights)
        for prior, Phi, target in zip(priors, Phis, seen.T, strict=True)
    ]
    for posterior, truth in zip(found, truths, strict=True):
        np.testing.assert_allclose(posterior.mean, truth.mean, atol=1e-7)
        np.testing.assert_allclose(posterior.variances, truth.variances, rtol=1e-7)
    total, expected = (sum(p.log_evidence for p in posteriors) for posteriors in (found, truths))
    np.testing.assert_allclose(total, expected, rtol=1e-7)


@SEEDS
def test_moments_by_importance_sampling(seed):
    priors, Phis, y, _ = problem(seed, n=6)
    likelihood, rng = MultinomialProbit(), np.random.default_rng(seed)
    found = joint_ep(likelihood, priors, Phis, y, np.ones(6), tol=1e-6)
    draws = [rng.normal(size=(200_000, len(p.precision))) / np.sqrt(p.precision) for p in priors]
    log_p = 0.0
    for n, code in enumerate(y):
        F = np.column_stack([w @ Phi[n] for w, Phi in zip(draws, Phis, strict=True)])
        log_p = log_p + likelihood.log_prob(np.full(len(F), code), F)
    share = np.exp(log_p)
    assert abs(sum(p.log_evidence for p in found) - np.log(share.mean())) < 0.08
    share /= share.sum()
    for posterior, w in zip(found, draws, strict=True):
        mean = share @ w
        spread = np.sqrt(share @ np.square(w - mean))
        np.testing.assert_allclose(posterior.mean, mean, atol=0.05)
        np.testing.assert_allclose(np.sqrt(posterior.variances), spread, rtol=0.08)


def test_a_weight_of_two_is_a_row_twice():
    likelihood = MultinomialProbit()
    priors, Phis, y, _ = problem(2)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = joint_ep(likelihood, priors, Phis, y, weights.astype(float), tol=1e-8)
    repeated = joint_ep(
        likelihood, priors, [Phi[rows] for Phi in Phis], y[rows], np.ones(len(rows)), tol=1e-8
    )
    for one, other in zip(weighted, repeated, strict=True):
        np.testing.assert_allclose(one.mean, other.mean, atol=1e-5)
        np.testing.assert_allclose(one.log_evidence, other.log_evidence, atol=1e-4)


def test_leaving_out_a_row_is_nearly_free():
    priors, Phis, y, _ = problem(3)
    likelihood = MultinomialProbit()
    found = joint_ep(likelihood, priors, Phis, y, np.ones(30), tol=1e-6)
    moments = [leave_one_out(Phi, p) for Phi, p in zip(Phis, found, strict=True)]
    means, variances = (np.column_stack(part) for part in zip(*moments, strict=True))
    estimated = likelihood.log_predictive(y, means, variances)
    brute_force = []
    for n in range(30):
        left = joint_ep(likelihood, priors, Phis, y, 1.0 * (np.arange(30) != n), tol=1e-6)
        latent = [p.latent(Phi[[n]]) for Phi, p in zip(Phis, left, strict=True)]
        mean, var = (np.column_stack(part) for part in zip(*latent, strict=True))
        brute_force.append(likelihood.log_predictive(y[[n]], mean, var)[0])
    assert np.abs(brute_force - estimated).mean() < 0.05
    assert abs(np.mean(brute_force) - estimated.mean()) < 0.02


def test_rounds_that_do_not_settle_say_so(monkeypatch):
    priors, Phis, y, weights = problem(0)
    monkeypatch.setattr(import_module("pauca.inference.ep.joint"), "_MAX_ROUNDS", 1)
    found = joint_ep(MultinomialProbit(), priors, Phis, y, weights)
    assert not any(p.converged for p in found)
    assert all(np.isfinite(p.mean).all() and np.isfinite(p.log_evidence) for p in found)


@pytest.mark.parametrize("shared", [True, False], ids=["alone", "with rests"])
def test_classes_that_share_a_design(shared):
    """Joint propagation on one design is that on equal designs; rests of the rows are further weights."""
    rng = np.random.default_rng(4)
    Phi, y, weights = rng.normal(size=(20, 3)), rng.integers(0, 3, 20), np.ones(20)
    left = np.zeros(20) if shared else rng.uniform(0.1, 2, 20)
    found = joint_latent_ep(MultinomialProbit(), DesignPrior(Phi, left), np.zeros(3), y, weights, tol=1e-7)
    whole = Phi if shared else np.hstack([Phi, np.diag(np.sqrt(left))])
    prior = ARD(np.ones(whole.shape[1]))
    truth = joint_ep(MultinomialProbit(), [prior] * 3, [whole] * 3, y, weights, tol=1e-7)
    for k, posterior in enumerate(truth):
        np.testing.assert_allclose(found.means[k], posterior.mean[:3], atol=1e-4)
        variances = np.diag(np.linalg.inv(found.factors[k] @ found.factors[k].T))
        np.testing.assert_allclose(variances, posterior.variances[:3], rtol=1e-3)
    assert found.log_evidence == pytest.approx(sum(p.log_evidence for p in truth), abs=1e-3)
