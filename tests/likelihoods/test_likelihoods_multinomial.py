"""The multinomial probit against simulation and against the case of two classes."""

import numpy as np
import pytest
from scipy.special import ndtr

from laconic.likelihoods import multinomial as module
from laconic.likelihoods import multinomial_probit


def test_two_classes_are_a_probit():
    rng = np.random.default_rng(0)
    mean, var = 3 * rng.normal(size=(50, 2)), rng.uniform(0, 4, size=(50, 2))
    direct = ndtr((mean[:, 0] - mean[:, 1]) / np.sqrt(2 + var.sum(axis=1)))
    np.testing.assert_allclose(multinomial_probit(mean, var)[:, 0], direct, atol=1e-6)


@pytest.mark.parametrize("n_classes", [3, 6])
def test_against_simulation(n_classes):
    rng = np.random.default_rng(n_classes)
    mean, var = rng.normal(size=(4, n_classes)), rng.uniform(0, 2, size=(4, n_classes))
    draws = mean + np.sqrt(1 + var) * rng.normal(size=(400_000, 4, n_classes))
    shares = np.stack([np.mean(draws.argmax(axis=2) == k, axis=0) for k in range(n_classes)], axis=1)
    np.testing.assert_allclose(multinomial_probit(mean, var), shares, atol=5e-3)


def test_far_latent_values_and_chunks(monkeypatch):
    mean = np.array([[200.0, 0.0, -200.0], [-1e3, -1e3, 1e3], [0.0, 0.0, 0.0]])
    whole = multinomial_probit(mean, np.ones((3, 3)))
    np.testing.assert_allclose(whole, [[1, 0, 0], [0, 0, 1], [1 / 3] * 3], atol=1e-8)
    monkeypatch.setattr(module, "_CHUNK_ENTRIES", 1)
    np.testing.assert_array_equal(multinomial_probit(mean, np.ones((3, 3))), whole)
    assert multinomial_probit(np.empty((0, 3)), np.empty((0, 3))).shape == (0, 3)
