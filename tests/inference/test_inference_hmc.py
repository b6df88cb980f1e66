"""Hamiltonian Monte Carlo against integrals, and as the referee of expectation propagation."""

import numpy as np
import pytest
from test_inference_ep import on_a_grid, toy

from pauca.inference import ep, hmc
from pauca.inference.hmc import _leapfrog, _Target
from pauca.likelihoods import Probit


@pytest.mark.parametrize("prior", ["gaussian", "truncated"])
def test_draws_have_the_moments_of_the_posterior(prior):
    problem = toy(20, prior=prior, seed=3)
    approximation = ep(Probit(), *problem, tol=1e-8)
    chains = hmc(Probit(), *problem, approximation, np.random.default_rng(0), n_draws=1500)
    _, mean, covariance = on_a_grid(*problem)
    error = np.sqrt(np.diag(covariance) / chains.effective_samples)
    assert (np.abs(chains.flat.mean(axis=0) - mean) < 4 * error + 0.005).all()
    np.testing.assert_allclose(np.cov(chains.flat.T), covariance, atol=0.03)
    assert (chains.r_hat < 1.02).all()
    assert (chains.effective_samples > 500).all()
    assert 0.6 < chains.acceptance < 0.95
    if prior == "truncated":
        assert (chains.draws[..., 1:] >= 0).all()
    # Means of expectation propagation within 2 % of the referee, beyond the referee's own error.
    np.testing.assert_array_less(
        np.abs(approximation.mean - chains.flat.mean(axis=0)), 0.02 * np.abs(mean) + 3 * error
    )


def test_trajectories_can_be_run_backwards():
    prior, Phi, y, weights = toy(prior="truncated")
    target = _Target(Probit(), prior, Phi, y, weights, np.ones(3))
    rng = np.random.default_rng(1)
    start = target.at(np.abs(rng.normal(size=(5, 3))))
    momentum = rng.normal(size=(5, 3))
    end, last = _leapfrog(target, start, momentum, 0.1, 12)
    back, first = _leapfrog(target, end, -last, 0.1, 12)
    np.testing.assert_allclose(back.w, start.w, atol=1e-9)
    np.testing.assert_allclose(-first, momentum, atol=1e-9)


def test_gradient_by_finite_differences():
    prior, Phi, y, weights = toy()
    target = _Target(Probit(), prior, Phi, y, 2 * weights, np.ones(3))
    w = np.random.default_rng(2).normal(size=(1, 3))
    for j, step in enumerate(1e-5 * np.eye(3)):
        slope = (target.at(w + step).log_density - target.at(w - step).log_density) / 2e-5
        assert target.at(w).gradient[0, j] == pytest.approx(slope[0], abs=1e-6)


def test_the_same_seed_gives_the_same_draws():
    problem = toy()
    approximation = ep(Probit(), *problem)
    first, second = (
        hmc(Probit(), *problem, approximation, np.random.default_rng(5), n_draws=10, n_warmup=10)
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.draws, second.draws)
