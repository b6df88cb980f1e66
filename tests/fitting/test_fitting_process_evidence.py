"""Exact evidence of Gaussian-process regression: densities of repeated rows, gradients."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal

from pauca.basis import RBF, Laplacian, Linear, Matern32
from pauca.fitting.fitters.process_evidence import Process, ProcessEvidence

KERNELS = [RBF(0.3), Matern32(0.4), Laplacian(0.3), Linear()]


@pytest.mark.parametrize("scales", [None, np.array([0.5, 1.0, 2.0])], ids=["plain", "scaled"])
@pytest.mark.parametrize("trend", [0.0, 0.2])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_evidence_and_gradient(kernel, trend, scales):
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(25, 3)), rng.normal(size=25), rng.integers(1, 4, 25)
    start = Process(kernel, 1.3, 0.2, trend, scales)
    evidence = ProcessEvidence(X, y, weights.astype(float), start)
    logs = evidence.logs() + 0.1
    numeric = approx_fprime(logs, lambda x: evidence(x)[0], 1e-6)
    np.testing.assert_allclose(evidence(logs)[1], numeric, rtol=1e-4, atol=1e-4)
    process, rows = evidence.process(logs), np.repeat(np.arange(25), weights)
    covariance = process.covariance(X, X) + process.features(X) @ process.features(X).T
    covariance = covariance[np.ix_(rows, rows)] + process.noise * np.eye(len(rows))
    expected = multivariate_normal(np.zeros(len(rows)), covariance).logpdf(y[rows])
    np.testing.assert_allclose(evidence.log_evidence, expected, atol=1e-3)


def test_logs_and_processes_are_inverse():
    start = Process(Matern32(0.7), 2.0, 0.3, 0.1, np.array([0.5, 2.0]))
    X = np.random.default_rng(0).normal(size=(10, 2))
    again = ProcessEvidence(X, X[:, 0], np.ones(10), start)
    process = again.process(again.logs())
    assert process.kernel.gamma == pytest.approx(0.7)
    assert (process.amplitude, process.noise, process.trend) == pytest.approx((2.0, 0.3, 0.1))
    np.testing.assert_allclose(process.scales, [0.5, 2.0])


def test_the_maximum_is_above_its_neighbours():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 1))
    y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=60)
    evidence = ProcessEvidence(X, y, np.ones(60), Process(RBF(1.0)))
    process, score = evidence.maximise()
    assert process.noise == pytest.approx(0.04, rel=0.4)
    there = ProcessEvidence(X, y, np.ones(60), process)
    for step in 0.5 * np.vstack([np.eye(3), -np.eye(3)]):
        assert -there(there.logs() + step)[0] < score
