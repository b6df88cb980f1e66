"""Sparse Gaussian-process regression: beside the exact process, far from the data, weights, units."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as SklearnRBF
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Matern
from sklearn.linear_model import BayesianRidge

import pauca
from pauca import SparseGPRegressor
from pauca.basis import RBF, Laplacian
from pauca.datasets import make_friedman1, make_sinc

ALL = {"max_vectors": 10_000, "min_gain": 0.0, "max_candidates": None}


def exact(machine, X, y):
    """Scikit-learn's process with the hyperparameters of a machine, of standardised rows."""
    centre, spread = X.mean(axis=0), X.std(axis=0)
    process, noise = machine._posteriors[0].process, 1 / machine._likelihood.precision
    length = (2 * machine.gamma_) ** -0.5 / machine.feature_scales_
    part = {"rbf": SklearnRBF(length), "matern32": Matern(length, nu=1.5), "matern52": Matern(length, nu=2.5)}
    kernel = ConstantKernel(process.amplitude) * part[machine.kernel_.name] + ConstantKernel(
        process.constant[1]
    )
    if machine.has_trend_:
        kernel = kernel + ConstantKernel(process.trend) * DotProduct(sigma_0=1e-6)
    regressor = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None)
    regressor.fit((X - centre) / spread, (y - y.mean()) / y.std())
    return regressor, lambda Z: (Z - centre) / spread


@pytest.mark.parametrize("kernel", ["rbf", "matern32", "matern52"])
@pytest.mark.parametrize("trend", [False, True])
def test_all_vectors_give_the_exact_process(kernel, trend):
    X, y = make_friedman1(60, noise=1.0, random_state=0)
    machine = SparseGPRegressor(kernel, trend=trend, **ALL).fit(X, y)
    regressor, placed = exact(machine, X, y)
    new = make_friedman1(30, random_state=1)[0]
    mean, cov = machine.predict(new, return_cov=True)
    expected, latent = regressor.predict(placed(new), return_cov=True)
    noise = np.eye(30) / machine._likelihood.precision
    np.testing.assert_allclose(mean, y.mean() + y.std() * expected, atol=1e-3 * y.std())
    np.testing.assert_allclose(cov, y.var() * (latent + noise), atol=1e-3 * y.var())
    found = machine.log_evidence_ + 60 * np.log(y.std())
    np.testing.assert_allclose(found, regressor.log_marginal_likelihood_value_, atol=1e-3)


def test_few_vectors_are_nearly_as_good_as_all():
    X, y = make_friedman1(400, noise=1.0, random_state=0)
    new, truth = make_friedman1(1000, noise=1.0, random_state=1)
    few, every = SparseGPRegressor().fit(X, y), SparseGPRegressor(**ALL).fit(X, y)
    assert len(few.relevance_) <= 40
    losses = [-norm(*machine.predict(new, return_std=True)).logpdf(truth).mean() for machine in (few, every)]
    assert losses[0] < losses[1] + 0.08
    # Features 3 and 4 act linearly: the trend has them, and the kernel needs no scale for them.
    assert few.has_trend_
    assert few.feature_scales_[:3].min() > 3 * few.feature_scales_[5:].max()


def test_far_from_the_data_predictions_return_to_the_prior():
    X, y = make_sinc(100, random_state=0)
    machine = SparseGPRegressor(trend=False).fit(X, y)
    mean, std = machine.predict([[1000.0], [-1e6]], return_std=True)
    near = machine.predict(X, return_std=True)[1]
    assert np.ptp(mean) < 1e-9
    assert abs(mean[0] - y.mean()) < machine.amplitude_
    prior = np.hypot(machine.amplitude_, machine.noise_std_)
    assert (std >= prior).all()
    assert (std < np.hypot(prior, y.std())).all()
    assert std.min() > 2 * near.max()


@pytest.mark.parametrize("seed", range(3))
def test_intervals_cover_what_lies_outside_the_data(seed):
    X, y = make_sinc(100, random_state=seed)
    outside = np.r_[np.linspace(-25, -10.5, 60), np.linspace(10.5, 25, 60)][:, None]
    truth = np.sinc(outside[:, 0] / np.pi)
    low, high = SparseGPRegressor().fit(X, y).predict_distribution(outside).interval(0.95)
    assert np.mean((low < truth) & (truth < high)) >= 0.8


def test_intervals_have_their_coverage_on_new_rows():
    hits = []
    for seed in range(5):
        X, y = make_friedman1(200, noise=1.0, random_state=seed)
        new, truth = make_friedman1(500, noise=1.0, random_state=seed + 100)
        low, high = SparseGPRegressor().fit(X, y).predict_distribution(new).interval(0.9)
        hits.append(np.mean((low < truth) & (truth < high)))
    assert 0.86 < np.mean(hits) < 0.97


def test_a_line_is_a_trend():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.3 * rng.normal(size=120)
    machine = SparseGPRegressor().fit(X, y)
    assert machine.has_trend_
    ridge = BayesianRidge().fit(X, y)
    far = 10 * rng.normal(size=(50, 3))
    np.testing.assert_allclose(machine.predict(far), ridge.predict(far), atol=1.0)
    assert machine.noise_std_ == pytest.approx(0.3, rel=0.25)


def test_integer_weights_are_repeated_rows():
    X, y = make_sinc(60, random_state=0)
    weights = np.random.default_rng(0).integers(0, 4, size=60)
    weighted = SparseGPRegressor(max_vectors=12).fit(X, y, weights)
    repeated = SparseGPRegressor(max_vectors=12).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-8)
    np.testing.assert_allclose(weighted.log_evidence_, repeated.log_evidence_, rtol=1e-9)


def test_units_mean_nothing():
    X, y = make_friedman1(80, noise=0.5, random_state=0)
    machine, other = SparseGPRegressor().fit(X, y), SparseGPRegressor().fit(1e3 * X - 7, 1e-4 * y + 5)
    mean, std = machine.predict(X, return_std=True)
    mean_other, std_other = other.predict(1e3 * X - 7, return_std=True)
    np.testing.assert_allclose(mean_other, 1e-4 * mean + 5, atol=1e-7)
    np.testing.assert_allclose(std_other, 1e-4 * std, rtol=1e-3)


def test_covariances_and_draws_agree_with_the_moments():
    X, y = make_sinc(80, random_state=0)
    machine = SparseGPRegressor().fit(X, y)
    new = np.linspace(-15, 15, 7)[:, None]
    mean, std = machine.predict(new, return_std=True)
    mean_again, cov = machine.predict(new, return_cov=True)
    np.testing.assert_allclose(mean_again, mean)
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), std, rtol=1e-6)
    draws = machine.sample_y(new, 20_000, random_state=0)
    assert draws.shape == (7, 20_000)
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=0.02)
    np.testing.assert_allclose(np.cov(draws), cov, atol=0.02)
    log_density = multivariate_normal(mean, cov).logpdf(mean)
    assert np.isfinite(log_density)


@pytest.mark.parametrize("kernel", ["laplacian", "poly", "linear", "cosine", RBF() + Laplacian()])
def test_other_kernels(kernel):
    X, y = make_friedman1(80, noise=0.5, random_state=0)
    machine = SparseGPRegressor(kernel, max_vectors=20).fit(X, y)
    assert machine.score(X, y) > 0.5
    assert np.isfinite(machine.predict(X, return_std=True)[1]).all()


def test_a_function_is_a_kernel():
    X, y = make_sinc(60, random_state=0)
    machine = SparseGPRegressor(lambda A, B: np.exp(-np.abs(A - B.T))).fit(X, y)
    assert machine.score(X, y) > 0.5


def test_a_saved_machine_predicts_the_same(tmp_path):
    X, y = make_friedman1(60, noise=0.5, random_state=0)
    machine = SparseGPRegressor().fit(X, y)
    pauca.save(machine, tmp_path / "model")
    again = pauca.load(tmp_path / "model")
    for mine, other in zip(
        machine.predict(X, return_std=True), again.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("y", [np.ones(20), np.r_[np.zeros(19), 1.0]])
@pytest.mark.parametrize("X", [np.ones((20, 2)), np.repeat([[0.0, 1.0]], 20, axis=0), np.eye(20)[:, :3]])
def test_degenerate_tables_give_finite_numbers(X, y):
    mean, std = SparseGPRegressor().fit(X, y).predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert (std > 0).all()
    np.testing.assert_allclose(mean.mean(), y.mean(), atol=0.2)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_few_rows(n):
    X, y = make_sinc(n, random_state=0)
    mean, std = SparseGPRegressor().fit(X, y).predict([[0.0], [50.0]], return_std=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kernel": "sinc"}, "kernel must be one of"),
        ({"kernel": "precomputed"}, "kernel must be one of"),
        ({"trend": "yes"}, "trend must be one of 'evidence'"),
        ({"feature_scales": "loo"}, "feature_scales"),
        ({"max_vectors": 0}, "max_vectors"),
        ({"max_vectors": 1.5}, "max_vectors"),
        ({"min_gain": -1}, "min_gain"),
        ({"max_candidates": 0}, "max_candidates"),
        ({"random_state": "seed"}, "random_state"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        SparseGPRegressor(**arguments).fit([[0.0], [1.0]], [0.0, 1.0])


def test_std_and_cov_are_not_given_together():
    X, y = make_sinc(20, random_state=0)
    with pytest.raises(ValueError, match="return_std and return_cov"):
        SparseGPRegressor().fit(X, y).predict(X, return_std=True, return_cov=True)


def test_the_same_seed_gives_the_same_machine():
    X, y = make_friedman1(700, noise=0.5, random_state=0)
    first, second = (SparseGPRegressor(max_candidates=100, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.relevance_, second.relevance_)
    np.testing.assert_array_equal(first.predict(X), second.predict(X))
