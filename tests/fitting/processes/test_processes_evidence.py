"""Evidence of processes: densities of repeated rows, quadrature, gradients, vectors of all rows."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from pauca.basis import RBF, Laplacian, Linear, Matern32
from pauca.fitting.processes import Hyperparameters, Process, ProcessEvidence, SparseEvidence
from pauca.likelihoods import Gaussian, Logit, Probit, StudentT

KERNELS = [RBF(0.3), Matern32(0.4), Laplacian(0.3), Linear(), RBF(0.2) + Laplacian(0.5)]
SCALES = {
    "plain": (None, None),
    "scaled": (np.array([0.5, 1.0, 2.0]), None),
    "groups": (np.array([0.5, 2.0]), np.array([0, 1, 1])),
}
every_scale = pytest.mark.parametrize("scaling", SCALES.values(), ids=SCALES.keys())


def numbers(n=25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + 0.5 * rng.normal(size=n), rng.integers(1, 4, n).astype(float)


def labels(n=25, seed=0):
    X, y, weights = numbers(n, seed)
    return X, np.where(y > 0.3, 1.0, -1.0), weights


def hyperparameters(kernel, likelihood, scaling=(None, None), trend=0.0, reach=np.inf):
    scales, groups = scaling
    process = Process(kernel, 1.3, trend, scales, groups, (0.0, 0.5), reach)
    return Hyperparameters(process, likelihood, kernel, 0.3, learns_constant=True, n_features=3)


def differences(evidence, logs, step):
    return [(evidence(logs + h)[0] - evidence(logs - h)[0]) / (2 * step) for h in step * np.eye(len(logs))]


def prior_covariance(process, X):
    return process.covariance(X, X) + process.features(X) @ process.features(X).T


@every_scale
@pytest.mark.parametrize("trend", [0.0, 0.2])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_gaussian_evidence_is_the_density_of_repeated_rows(kernel, trend, scaling):
    X, y, weights = numbers()
    evidence = ProcessEvidence(X, y, weights, hyperparameters(kernel, Gaussian(5.0), scaling, trend))
    logs = evidence.hyperparameters.logs + 0.1
    np.testing.assert_allclose(evidence(logs)[1], differences(evidence, logs, 1e-4), rtol=1e-4, atol=1e-3)
    process, likelihood = evidence.hyperparameters.at(logs)
    rows = np.repeat(np.arange(25), weights.astype(int))
    covariance = prior_covariance(process, X)[np.ix_(rows, rows)] + np.eye(len(rows)) / likelihood.precision
    expected = multivariate_normal(np.full(len(rows), process.constant[0]), covariance).logpdf(y[rows])
    evidence(logs)
    np.testing.assert_allclose(evidence.log_evidence, expected, atol=1e-3)


@every_scale
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("reach", [np.inf, 4.0])
@pytest.mark.parametrize(
    ("likelihood", "by_ep"), [(Probit(), False), (Logit.like_probit(), False), (Probit(), True)]
)
def test_gradients_of_the_evidence_of_labels(likelihood, by_ep, reach, kernel, scaling):
    X, y, weights = labels()
    evidence = ProcessEvidence(
        X, y, weights / 2, hyperparameters(kernel, likelihood, scaling, 0.2, reach), by_ep
    )
    logs = evidence.hyperparameters.logs
    gradient = evidence(logs)[1]
    np.testing.assert_allclose(gradient, differences(evidence, logs, 1e-3), rtol=1e-3, atol=5e-3)


def test_gradients_of_a_likelihood_that_is_not_log_concave():
    X, y, weights = numbers()
    evidence = ProcessEvidence(X, y, weights, hyperparameters(RBF(0.3), StudentT(), trend=0.2))
    logs = evidence.hyperparameters.logs
    np.testing.assert_allclose(evidence(logs)[1], differences(evidence, logs, 1e-4), rtol=1e-3, atol=2e-3)


@every_scale
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_gradients_of_the_evidence_of_vectors(kernel, scaling):
    X, y, weights = labels(40)
    parts = (X, y, weights, hyperparameters(kernel, Probit(), scaling, 0.2, 4.0), X[:12])
    evidence = SparseEvidence(*parts)
    logs = evidence.hyperparameters.logs
    gradient = evidence(logs)[1]
    np.testing.assert_allclose(gradient, differences(evidence, logs, 1e-3), rtol=5e-3, atol=1e-2)


def test_vectors_at_all_rows_have_the_dense_evidence():
    X, y, weights = labels(40)
    start = hyperparameters(RBF(0.3), Probit(), SCALES["scaled"], 0.2, 4.0)
    sparse = SparseEvidence(X, y, weights, start, X)(start.logs)
    dense = ProcessEvidence(X, y, weights, start, by_ep=True)(start.logs)
    assert sparse[0] == pytest.approx(dense[0], abs=1e-4)
    np.testing.assert_allclose(sparse[1], dense[1], atol=2e-3)


@pytest.mark.parametrize(("by_ep", "tolerance"), [(True, 0.02), (False, 0.25)])
def test_evidence_of_labels_against_importance_sampling(by_ep, tolerance):
    X, y, _ = labels(6)
    evidence = ProcessEvidence(X, y, np.ones(6), hyperparameters(RBF(0.3), Probit()), by_ep)
    logs = evidence.hyperparameters.logs
    evidence(logs)
    process, likelihood = evidence.hyperparameters.at(logs)
    draws = np.random.default_rng(0).multivariate_normal(
        np.full(6, process.constant[0]), prior_covariance(process, X), 400_000
    )
    expected = np.log(np.mean(np.exp(likelihood.log_prob(y, draws).sum(axis=1))))
    assert evidence.log_evidence == pytest.approx(expected, abs=tolerance)


def test_logs_and_processes_are_inverse():
    process = Process(Matern32(0.7), 2.0, 0.1, np.array([0.5, 2.0]), constant=(0.0, 0.7))
    parts = Hyperparameters(process, Gaussian(3.0), Matern32(), learns_constant=True, n_features=2)
    again, likelihood = parts.at(parts.logs)
    assert again.kernel.gamma == pytest.approx(0.7)
    assert likelihood.precision == pytest.approx(3.0)
    assert (again.amplitude, again.trend, again.constant[1]) == pytest.approx((2.0, 0.1, 0.7))
    np.testing.assert_allclose(again.scales, [0.5, 2.0])
    fixed = replace(parts, learns_kernel=False)
    assert len(fixed.logs) == len(parts.logs) - 1
    assert fixed.at(fixed.logs)[0].kernel == Matern32(0.7)


def test_the_prior_mean_gives_the_base_rate_whatever_the_amplitude():
    for amplitude in (0.1, 1.0, 50.0):
        parts = replace(hyperparameters(RBF(), Probit()), base=-0.7)
        mean, by_log = parts.mean(amplitude)
        assert Probit().predict(mean, amplitude) == pytest.approx(Probit().predict(-0.7, 0.0))
        above, below = (parts.mean(amplitude * np.exp(h))[0] for h in (1e-5, -1e-5))
        assert by_log == pytest.approx((above - below) / 2e-5, rel=1e-5)


def test_the_maximum_is_above_its_neighbours():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 1))
    y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=60)
    start = Hyperparameters(Process(RBF(1.0)), Gaussian(10.0), RBF(0.5), n_features=1)
    process, likelihood, score = ProcessEvidence(X, y, np.ones(60), start).maximise()
    assert 1 / likelihood.precision == pytest.approx(0.04, rel=0.4)
    there = replace(start, process=process, likelihood=likelihood)
    evidence = ProcessEvidence(X, y, np.ones(60), there)
    for step in 0.5 * np.vstack([np.eye(3), -np.eye(3)]):
        assert -evidence(there.logs + step)[0] < score


def test_weights_of_gaussian_rows_are_numbers_of_observations():
    rng = np.random.default_rng(0)
    X, y, counts = rng.normal(size=(6, 2)), rng.normal(size=6), np.array([1, 2, 1, 3, 1, 1])
    hyperparameters = Hyperparameters(Process(RBF(0.5), 2.0), Gaussian(4.0), RBF(0.5), n_features=2)
    weighted = ProcessEvidence(X, y, counts.astype(float), hyperparameters)(hyperparameters.logs)
    repeated = ProcessEvidence(np.repeat(X, counts, 0), np.repeat(y, counts), np.ones(9), hyperparameters)
    value, gradient = repeated(hyperparameters.logs)
    np.testing.assert_allclose(weighted[0], value, atol=1e-5)
    np.testing.assert_allclose(weighted[1], gradient, atol=1e-5)
