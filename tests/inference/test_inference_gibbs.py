"""The sampler's diagnostics, and its draws where the answer is known."""

import numpy as np
import pytest

from pauca.inference.chains import effective_samples, split_r_hat
from pauca.inference.ep import Observations
from pauca.inference.gibbs import gibbs
from pauca.priors import SpikeSlab


def autoregressive(correlation, n_chains=4, n_draws=20_000, seed=0):
    rng = np.random.default_rng(seed)
    chains = np.zeros((n_chains, n_draws))
    noise = np.sqrt(1 - correlation**2) * rng.normal(size=chains.shape)
    for t in range(1, n_draws):
        chains[:, t] = correlation * chains[:, t - 1] + noise[:, t]
    return chains


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_effective_samples_of_autoregressive_chains(correlation):
    expected = 80_000 * (1 - correlation) / (1 + correlation)
    assert effective_samples(autoregressive(correlation)) == pytest.approx(expected, rel=0.15)


def test_r_hat_tells_chains_that_agree_from_others():
    chains = autoregressive(0.5, n_draws=2000)
    assert split_r_hat(chains) < 1.02
    assert split_r_hat(chains + 3 * np.arange(4)[:, None]) > 1.5
    assert split_r_hat(np.linspace(0, 10, 2000) + chains[:1]) > 1.5


def test_constant_chains():
    assert split_r_hat(np.ones((2, 10))) == 1
    assert split_r_hat([[0.0] * 10, [1.0] * 10]) == np.inf
    assert effective_samples(np.ones((2, 10))) == 20


def test_without_rows_that_speak_the_prior_comes_back():
    observations = Observations(np.zeros((3, 4)), np.array([1.0, -1.0, 1.0]), np.ones(3))
    found = gibbs(observations, SpikeSlab(np.array([1.0, 0.2, 0.5, 0.8])), n_samples=4000, n_burn_in=0, rng=0)
    np.testing.assert_allclose(found.inclusion, [1, 0.2, 0.5, 0.8])
    np.testing.assert_allclose(found.mean, 0, atol=0.08)
    np.testing.assert_allclose(found.var, [1, 0.2, 0.5, 0.8], rtol=0.15)


def test_draws_are_sparse_and_count():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 40))
    observations = Observations(X, np.where(X[:, 0] > 0, 1.0, -1.0), np.ones(15))
    found = gibbs(observations, SpikeSlab(np.full(40, 0.05)), n_samples=50, n_burn_in=5, n_chains=2, rng=1)
    assert found.draws.shape == (100, 40)
    assert found.draws.nnz < 1000
    assert found.n_iter == 55
    again = gibbs(observations, SpikeSlab(np.full(40, 0.05)), n_samples=50, n_burn_in=5, n_chains=2, rng=1)
    np.testing.assert_array_equal(again.mean, found.mean)
