"""Posteriors in files: the same bits in few bytes."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from pauca.basis import RBF
from pauca.fitting.processes.half_precision import HalfInverse
from pauca.fitting.processes.posterior import ProcessPosterior, covariance_root
from pauca.fitting.processes.process import Process

N, D = 40, 90


@pytest.mark.parametrize(("kind", "most"), [("indicators", 1.5), ("numbers", 8.5)])
def test_vectors_are_the_same_and_indicators_take_a_byte(kind, most):
    rng = np.random.default_rng(0)
    vectors = rng.choice([0.0, 0.5], (N, D)) if kind == "indicators" else rng.normal(size=(N, D))
    process = Process(RBF(0.1))
    root = covariance_root(process, vectors)
    factor = np.tril(rng.normal(size=(N + 1, N + 1)))
    posterior = ProcessPosterior(process, vectors, root, rng.normal(size=N + 1), factor)
    file = pickle.dumps(posterior)
    again = pickle.loads(file)
    for name in ("vectors", "root", "mean", "factor"):
        np.testing.assert_array_equal(getattr(again, name), getattr(posterior, name))
    assert len(file) < most * N * D + 8 * (N + 1) * (N + 2) / 2 + 2000


def test_half_precision_changes_deviations_by_less_than_a_thousandth_of_the_prior():
    rng = np.random.default_rng(1)
    vectors, rows = rng.normal(size=(N, 3)), rng.normal(size=(400, 3))
    process = Process(RBF(0.3), amplitude=100.0)
    prior = ProcessPosterior.prior(process, vectors)
    Phi = prior.design(rows)
    precision = np.eye(N + 1) + (Phi.T * rng.uniform(0, 3, len(rows))) @ Phi
    exact = replace(prior, mean=rng.normal(size=N + 1), factor=np.linalg.cholesky(precision))
    rounded = exact.rounded()
    (mean, variance), (same, near) = exact.latent(rows), rounded.latent(rows)
    np.testing.assert_array_equal(same, mean)
    assert np.abs(np.sqrt(near) - np.sqrt(variance)).max() < 1e-3 * np.sqrt(process.amplitude)
    assert np.linalg.norm(rounded.half.matrix, 2) <= 1 + 1e-12
    file = pickle.dumps(rounded)
    assert len(file) < 0.55 * len(pickle.dumps(exact))
    np.testing.assert_array_equal(pickle.loads(file).factor, rounded.factor)


def test_half_precision_of_nothing_and_of_the_prior():
    for n in (0, 1, 3):
        half = HalfInverse.of(np.eye(n))
        np.testing.assert_array_equal(half.factor, np.eye(n))
