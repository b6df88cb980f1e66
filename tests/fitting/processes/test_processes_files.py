"""Posteriors in files: the same bits in few bytes."""

import pickle

import numpy as np
import pytest

from pauca.basis import RBF
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
