"""Relevance vector machines far from their data: RVM*, the linear model, the base rates."""

import os

import numpy as np
import pytest
from scipy import optimize, sparse, stats
from sklearn.datasets import load_iris
from sklearn.linear_model import BayesianRidge

from pauca import PCVMClassifier, RVMClassifier, RVMRegressor
from pauca.datasets import load, make_friedman1, make_ripley, make_sinc
from pauca.machines.extrapolation import LinearMixture, LinearModel


def wavy(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("machine", [RVMRegressor(gamma=0.5, extra_basis=True, fallback=False)])
def test_the_extra_basis_is_one_more_column_of_the_model(machine):
    X, y = wavy()
    machine.fit(X, y)
    expansion, extra = machine.expansions_[0], machine._extra[0]
    B = np.diag(extra.precision)
    prior = expansion.factor @ expansion.factor.T - extra.Phi.T @ B @ extra.Phi
    new = np.array([[0.3, -0.2], [2.5, 2.5], [40.0, 0.0]])
    mean, std = machine.predict(new, return_std=True)
    np.testing.assert_allclose(np.diag(prior)[1:], 1 / np.diag(np.linalg.inv(prior))[1:], rtol=1e-4)
    for row, found, spread in zip(new, mean, std, strict=True):
        column = np.exp(-0.5 * np.square(machine._extra_rows - row).sum(axis=1))
        Phi = np.column_stack([extra.Phi, column])
        precision = Phi.T @ B @ Phi
        precision[:-1, :-1] += prior
        precision[-1, -1] += 1 / extra.variance
        targets = extra.residual / extra.precision + extra.Phi @ expansion.mean
        weights = np.linalg.solve(precision, Phi.T @ B @ targets)
        values = expansion.design(machine._kernel_values(row[None]))[0]
        phi = np.append(values, 1.0)
        np.testing.assert_allclose(found, phi @ weights, rtol=1e-6)
        var = phi @ np.linalg.solve(precision, phi) + machine.noise_std_**2
        np.testing.assert_allclose(spread, np.sqrt(var), rtol=1e-6)


def test_the_extra_basis_widens_predictions_far_away_only():
    X, y = make_sinc(100, random_state=0)
    plain, star = (RVMRegressor(extra_basis=each, fallback=False).fit(X, y) for each in (False, True))
    far = [[1000.0], [-300.0]]
    assert (star.predict(far, return_std=True)[1] > 1.5 * plain.predict(far, return_std=True)[1]).all()
    (here, narrow), (there, wide) = (each.predict(X, return_std=True) for each in (plain, star))
    np.testing.assert_allclose(here, there, atol=0.02)
    np.testing.assert_allclose(narrow, wide, rtol=0.1)


@pytest.mark.parametrize("cls", [RVMClassifier, PCVMClassifier])
def test_the_extra_basis_of_classifiers(cls):
    X, y = make_ripley(150, random_state=0)
    plain, star = (cls(extra_basis=each).fit(X, y) for each in (False, True))
    far = [[300.0, -200.0]]
    assert (star._latent(far)[1] > plain._latent(far)[1]).all()
    assert np.abs(star.predict_proba(X) - plain.predict_proba(X)).max() < 0.1
    with pytest.raises(ValueError, match=r"extra_basis needs k\(x, x\)"):
        cls("precomputed", extra_basis=True).fit(X @ X.T, y)


@pytest.mark.parametrize("cls", [RVMClassifier, PCVMClassifier])
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_probabilities_return_to_the_base_rate(cls, share):
    X, y = make_ripley(250, random_state=0)
    kept = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[: int(125 * share / (1 - share))]])
    X, y = X[kept], y[kept]
    plain, ours = (cls(fallback=each).fit(X, y) for each in (False, True))
    far = [[1e4, -1e4], [-1e4, 0.0]]
    np.testing.assert_allclose(ours.predict_proba(far)[:, 1], y.mean(), atol=5e-3)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(far)), ours.predict_proba(far), atol=1e-5)
    # No training row is farther from the vectors than the farthest one.
    np.testing.assert_allclose(ours.predict_proba(X), plain.predict_proba(X), rtol=1e-9)
    assert np.abs(plain.predict_proba(far)[:, 1] - y.mean()).min() > 0.1


@pytest.mark.parametrize("cls", [RVMClassifier, PCVMClassifier])
def test_base_rates_of_many_classes(cls):
    X, y = load_iris(return_X_y=True)
    X, y = X[:130], y[:130]
    machine = cls(fallback=True).fit(X, y)
    shares = np.bincount(y) / len(y)
    np.testing.assert_allclose(machine.predict_proba(np.full((1, 4), 1e5))[0], shares, atol=5e-3)
    count = np.where(y == 2, 2, 1)
    weighted = cls(fallback=True).fit(X, y, count)
    shares = np.bincount(y, count) / count.sum()
    np.testing.assert_allclose(weighted.predict_proba(np.full((1, 4), 1e5))[0], shares, atol=5e-3)


def test_base_rates_of_sparse_rows():
    X, y = make_ripley(80, random_state=0)
    dense, packed = (
        RVMClassifier(gamma=1.0, fallback=True).fit(part, y) for part in (X, sparse.csr_array(X))
    )
    far = np.array([[50.0, 3.0]])
    np.testing.assert_allclose(
        packed.predict_proba(sparse.csr_array(far)), dense.predict_proba(far), atol=1e-6
    )


def linear_data(n=80, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1.0, 10.0, 0.1, 1.0, 1.0] + 3
    return X, X @ [1.0, 0.2, 0.0, -1.0, 0.0] + rng.normal(size=n)


def test_the_linear_model_is_that_of_scikit_learn():
    X, y = linear_data()
    centre, spread = X.mean(axis=0), X.std(axis=0)
    theirs = BayesianRidge(tol=1e-10, max_iter=5000).fit((X - centre) / spread, y)
    ours = LinearModel.fit(X, y, np.ones(len(y)))
    new = X[:7] + 4
    mean, std = theirs.predict((new - centre) / spread, return_std=True)
    found, var = ours.predict(new)
    np.testing.assert_allclose(found, mean, rtol=2e-3)
    np.testing.assert_allclose(np.sqrt(var + ours.noise), std, rtol=0.03)


def test_the_linear_model_counts_weights_as_repetitions_and_takes_sparse_rows():
    X, y = linear_data(40)
    count = np.random.default_rng(0).integers(0, 4, size=40)
    weighted = LinearModel.fit(X, y, count.astype(float))
    repeated = LinearModel.fit(np.repeat(X, count, axis=0), np.repeat(y, count), np.ones(count.sum()))
    packed = LinearModel.fit(sparse.csr_array(X), y, count.astype(float))
    for other, rows in ((repeated, X), (packed, sparse.csr_array(X))):
        for found, expected in zip(other.predict(rows), weighted.predict(X), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-6)
        assert other.log_evidence == pytest.approx(weighted.log_evidence, rel=1e-6)
    moved = LinearModel.fit(X, 5 * y - 2, count.astype(float))
    np.testing.assert_allclose(moved.predict(X)[0], 5 * weighted.predict(X)[0] - 2, rtol=1e-5)
    np.testing.assert_allclose(moved.predict(X)[1], 25 * weighted.predict(X)[1], rtol=1e-4)
    assert moved.log_evidence == pytest.approx(weighted.log_evidence - count.sum() * np.log(5), rel=1e-6)


def test_constant_features_and_targets_of_the_linear_model():
    X, y = linear_data(30)
    X[:, 1] = 7.0
    assert np.isfinite(LinearModel.fit(X, y, np.ones(30)).predict(X + 1)).all()
    mean, var = LinearModel.fit(X, np.zeros(30), np.ones(30)).predict(X)
    np.testing.assert_allclose(mean, 0, atol=1e-9)
    assert np.isfinite(var).all()


def test_the_evidence_of_the_linear_model_is_the_density_of_the_targets():
    X, y = linear_data(30)
    ours = LinearModel.fit(X, y, np.ones(30))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)

    def density(log_prior, log_noise):
        covariance = np.exp(log_prior) * Z @ Z.T + np.exp(log_noise) * np.eye(30)
        return stats.multivariate_normal(np.full(30, y.mean()), covariance).logpdf(y)

    best = optimize.minimize(lambda logs: -density(*logs), [0.0, 0.0], method="Nelder-Mead")
    assert ours.log_evidence == pytest.approx(-best.fun, abs=1e-4)
    assert ours.noise == pytest.approx(np.exp(best.x[1]), rel=1e-2)


def test_the_share_of_the_linear_model_is_by_evidence():
    linear = LinearModel.fit(*linear_data(), np.ones(80))
    at = [LinearMixture.of(linear, 0.01, linear.log_evidence + nats).trusted for nats in (-9, 0, 40, 1e9)]
    np.testing.assert_allclose(at, [0.01, 0.01, 0.01 * np.exp(0.75), linear.noise])


def test_the_mixture_has_the_moments_of_its_parts():
    linear = LinearModel.fit(*linear_data(), np.ones(80))
    X = linear_data(seed=1)[0]
    mean, var, noise = np.full(80, 2.0), np.linspace(0, 50, 80), 0.5
    found, spread = LinearMixture(linear, noise, 0.7).moments(mean, var, X)
    other, error = linear.predict(X)
    share, error = 0.7 / (0.7 + var), error + linear.noise - noise
    second = share * (var + mean**2) + (1 - share) * (error + other**2)
    np.testing.assert_allclose(found, share * mean + (1 - share) * other)
    np.testing.assert_allclose(spread, second - found**2, rtol=1e-9)
    assert found[0] == 2.0
    assert spread[0] == 0.0


@pytest.mark.parametrize("inference", ["evidence", "variational"])
def test_regression_leans_on_the_linear_model_where_it_is_ignorant(inference):
    X, y = make_friedman1(100, random_state=0)
    plain, ours = (
        RVMRegressor(inference=inference, fallback=each).fit(X, 30 * y + 5) for each in (False, True)
    )
    np.testing.assert_array_equal(plain.dual_coef_, ours.dual_coef_)
    mean, std = ours.predict(X, return_std=True)
    linear, known = ours._mixture.linear.predict(X - ours._origin)[0], ours._mixture.trusted
    share = known / (known + plain._latent(X)[1][:, 0])
    np.testing.assert_allclose(mean, share * plain.predict(X) + (1 - share) * linear, rtol=1e-9)
    np.testing.assert_allclose(ours.predict_distribution(X).mean(), mean, rtol=1e-9)
    assert (std > 0).all()


def test_the_linear_model_costs_nothing_where_there_is_no_noise():
    x = np.linspace(-10, 10, 100)[:, None]
    truth, between = np.sinc(x[:, 0] / np.pi), x[:-1] + 0.1
    errors = [
        np.abs(RVMRegressor(fallback=each).fit(x, truth).predict(between) - np.sinc(between[:, 0] / np.pi))
        for each in (False, True)
    ]
    assert errors[1].max() < 1.1 * errors[0].max() < 0.02


@pytest.mark.slow
@pytest.mark.skipif("PAUCA_DATA" not in os.environ, reason="needs the sets of $PAUCA_DATA")
@pytest.mark.parametrize("name", ["pollution", "bodyfat", "autoprice", "bolts"])
def test_regression_is_never_far_worse_than_a_linear_model(name):
    data = load(name)
    X, y = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0), data.y.astype(float)
    for seed in range(10):
        rows = np.random.default_rng(seed).permutation(len(y))
        train, test = np.split(rows, [int(0.75 * len(y))])
        errors = [
            np.sqrt(np.mean(np.square(machine.fit(X[train], y[train]).predict(X[test]) - y[test])))
            for machine in (RVMRegressor(fallback=True), BayesianRidge())
        ]
        assert errors[0] < 1.5 * errors[1]


@pytest.mark.parametrize("option", ["fallback", "extra_basis"])
def test_what_cannot_be_exported_says_so(option):
    X, y = make_ripley(60, random_state=0)
    machine = RVMClassifier(gamma=1.0, **{option: True}).fit(X, y)
    with pytest.raises(ValueError, match=f"fit with {option}=False"):
        machine.compiled()
