"""SparseGPRegressor with every likelihood: against sampling, with exposures, far from the data."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.multioutput import MultiOutputRegressor

from pauca import SparseGPRegressor
from pauca.basis import RBF
from pauca.fitting.processes import Hyperparameters, Process, ProcessEvidence, infer
from pauca.likelihoods import (
    CumulativeProbit,
    Gaussian,
    NegativeBinomial,
    Poisson,
    StudentT,
    exposed_counts,
)
from pauca.persistence import load, save

LIKELIHOODS = {
    "gaussian": Gaussian(4.0),
    "student_t": StudentT(0.3, 4.0),
    "poisson": Poisson(),
    "negative_binomial": NegativeBinomial(0.4),
    "ordinal": CumulativeProbit((0.8, 1.3)),
}
every_likelihood = pytest.mark.parametrize("name", LIKELIHOODS)
NAMES = tuple(name for name in LIKELIHOODS if name != "ordinal")
every_name = pytest.mark.parametrize("name", NAMES)
COUNTS = ("poisson", "negative_binomial")


def small_problem(name, n=8, seed=0):
    """Rows, observations and weights of a small problem."""
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(-2, 2, size=(n, 1)), axis=0)
    f = 1.5 * np.sin(1.5 * X[:, 0])
    if name == "ordinal":
        y = np.digitize(f + 0.8 + 0.5 * rng.normal(size=n), [0.0, 0.8, 2.1]).astype(float)
    elif name in COUNTS:
        y = exposed_counts(rng.poisson(2 * np.exp(f)), rng.uniform(1, 3, size=n))
    else:
        y = f + 0.4 * rng.standard_t(4, size=n)
    return X, y, np.ones(n)


PROCESS = Process(RBF(0.7), amplitude=1.3, trend=0.4, constant=(0.2, 0.6))


def sampled(likelihood, X, y, weights, new, n_draws=150_000):
    """Log evidence, posterior moments of f at the rows, and predictive means, by importance sampling.

    Draws are Student's t around the mode, twice as wide as the curvature says.
    """
    both = np.vstack([X, new])
    F = PROCESS.features(both)
    C = PROCESS.covariance(both, both) + F @ F.T + 1e-8 * np.eye(len(both))
    n, offset = len(X), PROCESS.constant[0]
    prior, cross = C[:n, :n], C[n:, :n]
    f = np.full(n, offset)
    inverse = np.linalg.inv(prior)
    for _ in range(200):
        _, gradient, curvature = likelihood.expand(y, f)
        H = inverse + np.diag(weights * curvature)
        f = f + 0.5 * np.linalg.solve(H, weights * gradient - inverse @ (f - offset))
    proposal = stats.multivariate_t(f, 1.5 * np.linalg.inv(H), df=8, seed=0)
    draws = proposal.rvs(n_draws)
    log_prob = likelihood.log_prob(y, draws) @ weights
    log_weights = log_prob + stats.multivariate_normal(np.full(n, offset), prior).logpdf(draws)
    log_weights -= proposal.logpdf(draws)
    share = np.exp(log_weights - logsumexp(log_weights))
    assert 1 / np.square(share).sum() > 0.02 * n_draws
    mean = share @ draws
    var = share @ np.square(draws - mean)
    new_mean = offset + (draws - offset) @ np.linalg.solve(prior, cross.T)
    left = np.diag(C[n:, n:] - cross @ np.linalg.solve(prior, cross.T))
    predicted = share @ new_mean
    new_var = left + share @ np.square(new_mean - predicted)
    return logsumexp(log_weights) - np.log(n_draws), mean, var, predicted, new_var


@every_likelihood
def test_posterior_with_all_rows_as_vectors_by_importance_sampling(name):
    likelihood, (X, y, weights) = LIKELIHOODS[name], small_problem(name)
    new = np.array([[-1.0], [0.3], [3.0]])
    _, mean, var, predicted, new_var = sampled(likelihood, X, y, weights, new)
    posterior, fit, _ = infer(PROCESS, X, X, y, weights, likelihood)
    assert fit.converged
    found, spread = posterior.latent(X)
    assert (np.abs(found - mean) < 0.06 * np.sqrt(var)).all()
    np.testing.assert_allclose(spread, var, rtol=0.15 if name == "student_t" else 0.05)
    found, spread = posterior.latent(new)
    assert (np.abs(found - predicted) < 0.06 * np.sqrt(new_var)).all()
    np.testing.assert_allclose(spread, new_var, rtol=0.1)


@every_likelihood
def test_evidence_by_importance_sampling(name):
    likelihood, (X, y, weights) = LIKELIHOODS[name], small_problem(name)
    log_evidence = sampled(likelihood, X, y, weights, X[:1])[0]
    hyperparameters = Hyperparameters(PROCESS, likelihood, PROCESS.kernel, base=0.2)
    fit, _ = ProcessEvidence(X, y, weights, hyperparameters).fit(PROCESS, likelihood)
    # The Laplace approximation of a likelihood that is not Gaussian is off by some hundredths of a nat a row.
    tolerance = {"gaussian": 0.01, "student_t": 0.8}.get(name, 0.3)
    assert abs(fit.log_evidence - log_evidence) < tolerance


@every_likelihood
@pytest.mark.parametrize("scales", [None, np.array([0.7, 1.2])])
def test_gradient_of_the_evidence_by_finite_differences(name, scales):
    likelihood, (X, y, weights) = LIKELIHOODS[name], small_problem(name, n=14)
    X = np.column_stack([X, np.cos(5 * X[:, 0])])
    weights = np.where(np.arange(14) % 5 == 0, 2.0, 1.0)
    process = Process(RBF(0.7), 1.3, 0.4, scales, None, (0.2, 0.6))
    hyperparameters = Hyperparameters(process, likelihood, RBF(0.5), 0.2, True, n_features=2)
    evidence, logs, h = ProcessEvidence(X, y, weights, hyperparameters), hyperparameters.logs, 1e-4
    gradient = evidence(logs)[1]
    found = [
        (evidence(logs + step)[0] - evidence(logs - step)[0]) / (2 * h) for step in h * np.eye(len(logs))
    ]
    np.testing.assert_allclose(gradient, found, rtol=1e-3, atol=2e-4)


def data(name, n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 2))
    f = np.sin(X[:, 0]) + 0.3 * X[:, 1]
    if name == "poisson":
        return X, rng.poisson(3 * np.exp(f)).astype(float)
    if name == "negative_binomial":
        return X, rng.poisson(3 * np.exp(f) * rng.gamma(2, 0.5, size=n)).astype(float)
    return X, f + 0.2 * rng.standard_t(3 if name == "student_t" else 100, size=n)


@every_name
def test_moments_distributions_and_draws_agree(name):
    X, y = data(name)
    machine, new = SparseGPRegressor("rbf", likelihood=name).fit(X, y), X[:12] + 0.1
    mean, std = machine.predict(new, return_std=True)
    np.testing.assert_array_equal(machine.predict(new), mean)
    distribution = machine.predict_distribution(new)
    np.testing.assert_allclose(distribution.mean(), mean, rtol=1e-9)
    np.testing.assert_allclose(distribution.std(), std, rtol=1e-9)
    noise, ignorance = machine.predict_uncertainty(new)
    np.testing.assert_allclose(np.hypot(noise, ignorance), std, rtol=1e-9)
    centre, cov = machine.predict(new, return_cov=True)
    np.testing.assert_array_equal(centre, mean)
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), std, rtol=1e-6)
    draws = machine.sample_y(new, 4000)
    assert draws.shape == (12, 4000)
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=5 * std.max() / np.sqrt(4000))
    np.testing.assert_array_equal(machine.sample_y(new, 3), machine.sample_y(new, 3))
    low, high = distribution.interval(0.9)
    assert 0.75 < np.mean((low <= y[:12]) & (y[:12] <= high)) <= 1


@pytest.mark.slow
@every_name
def test_intervals_cover(name):
    X, y = data(name, n=200, seed=1)
    machine = SparseGPRegressor(likelihood=name).fit(X[:120], y[:120])
    low, high = machine.predict_distribution(X[120:]).interval(0.9)
    assert 0.82 <= np.mean((low <= y[120:]) & (y[120:] <= high)) <= 0.99


@every_name
def test_weights_are_repetitions(name):
    X, y = data(name, n=40)
    count = np.random.default_rng(0).integers(0, 4, size=40)
    machine = SparseGPRegressor("rbf", likelihood=name)
    weighted = clone(machine).fit(X, y, count)
    repeated = clone(machine).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    for found, other in zip(
        *(each.predict(X, return_std=True) for each in (weighted, repeated)), strict=True
    ):
        np.testing.assert_allclose(found, other, rtol=1e-5)


@pytest.mark.parametrize("name", COUNTS)
def test_a_common_exposure_only_changes_the_unit_of_time(name):
    X, y = data(name)
    plain = SparseGPRegressor("rbf", likelihood=name, trend=False).fit(X, y)
    exposed = clone(plain).fit(X, y, exposure=np.full(len(y), 7.0))
    new = X[:9] + 0.3
    np.testing.assert_allclose(exposed.predict(new, exposure=np.full(9, 7.0)), plain.predict(new), rtol=1e-3)
    np.testing.assert_allclose(exposed.predict(new), plain.predict(new) / 7, rtol=1e-3)
    longer = exposed.predict_distribution(new, exposure=np.full(9, 700.0))
    np.testing.assert_allclose(longer.mean(), 100 * plain.predict(new), rtol=1e-3)
    assert (longer.std() < 100 * plain.predict_distribution(new).std()).all()


@pytest.mark.parametrize("name", COUNTS)
def test_rates_are_found_from_unequal_exposures(name):
    rng = np.random.default_rng(3)
    X = rng.uniform(-3, 3, size=(300, 1))
    exposure, truth = rng.uniform(0.2, 20, size=300), np.exp(np.sin(X[:, 0]))
    noise = rng.gamma(4, 0.25, size=300) if name == "negative_binomial" else 1.0
    y = rng.poisson(exposure * truth * noise)
    machine = SparseGPRegressor(likelihood=name).fit(X, y, exposure=exposure)
    error = np.log(machine.predict(X)) - np.log(truth)
    assert np.sqrt(np.mean(np.square(error))) < 0.12
    if name == "negative_binomial":
        assert 0.15 < machine.likelihood_.dispersion < 0.4


def test_outliers_hardly_move_students_t():
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(-3, 3, size=(120, 1)), axis=0)
    truth = np.sin(2 * X[:, 0])
    y = truth + 0.1 * rng.normal(size=120)
    y[::10] += rng.choice([-8.0, 8.0], size=12)
    errors = {
        name: np.sqrt(
            np.mean(np.square(SparseGPRegressor("rbf", likelihood=name).fit(X, y).predict(X) - truth))
        )
        for name in ("gaussian", "student_t")
    }
    assert errors["student_t"] < 0.1
    assert errors["student_t"] < 0.2 * errors["gaussian"]


def test_students_t_of_normal_noise_is_nearly_gaussian():
    X, y = data("gaussian", n=100)
    ours, gaussian = (
        SparseGPRegressor("rbf", likelihood=name).fit(X, y) for name in ("student_t", "gaussian")
    )
    assert ours.likelihood_.freedom > 6
    np.testing.assert_allclose(ours.predict(X), gaussian.predict(X), atol=0.1)
    assert ours.noise_std_ == pytest.approx(gaussian.noise_std_, rel=0.15)


@every_name
def test_far_from_all_data_predictions_are_those_of_the_prior(name):
    X, y = data(name)
    machine = SparseGPRegressor("rbf", likelihood=name, trend=False).fit(X, y)
    near, far = (machine.predict_distribution(rows) for rows in (X[:20], [[1e4, -1e4]]))
    assert y.min() < far.median()[0] < y.max()
    low, high = far.interval(0.9)
    assert (high - low)[0] > np.median(near.interval(0.9)[1] - near.interval(0.9)[0])
    assert low[0] <= np.quantile(y, 0.15)
    assert high[0] >= np.quantile(y, 0.85)


def test_the_trend_of_a_log_rate_ends():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(100, 1))
    machine = SparseGPRegressor("rbf", likelihood="poisson", trend=True).fit(X, rng.poisson(np.exp(X[:, 0])))
    assert machine.predict([[1000.0]])[0] < 100
    assert machine.predict([[2.0]])[0] > 5


@every_name
def test_units_of_y(name):
    X, y = data(name)
    machine = SparseGPRegressor("rbf", likelihood=name).fit(X, y)
    if name in COUNTS:
        with pytest.raises(AttributeError, match="noise_std_ does not exist for counts"):
            _ = machine.noise_std_
        return
    moved = clone(machine).fit(X, 50 * y + 7)
    np.testing.assert_allclose(moved.predict(X), 50 * machine.predict(X) + 7, rtol=1e-4)
    assert moved.noise_std_ == pytest.approx(50 * machine.noise_std_, rel=1e-3)
    assert moved.log_evidence_ == pytest.approx(machine.log_evidence_ - len(y) * np.log(50), rel=1e-4)


@every_name
def test_saved_and_portable(name, tmp_path):
    X, y = data(name, n=40)
    machine = SparseGPRegressor("rbf", likelihood=name).fit(X, y)
    save(machine, tmp_path / "model.pauca")
    again = load(tmp_path / "model.pauca")
    np.testing.assert_array_equal(again.predict(X, return_std=True), machine.predict(X, return_std=True))
    assert again.likelihood_ == machine.likelihood_
    form = machine._portable()
    found = form.link.numbers(*form.latent(X))
    np.testing.assert_allclose(found, machine.predict(X, return_std=True), rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ({"likelihood": "cauchy"}, {}, "likelihood must be one of"),
        ({}, {"exposure": np.ones(40)}, "exposure is for counts"),
        ({"likelihood": "poisson"}, {"exposure": np.zeros(40)}, "exposure must be positive"),
        ({"likelihood": "poisson"}, {"exposure": np.ones((40, 2))}, "exposure must be one-dimensional"),
        ({"likelihood": "poisson"}, {"exposure": np.ones(3)}, "inconsistent"),
    ],
)
def test_bad_arguments_are_named(arguments, options, message):
    X, y = data("poisson", n=40)
    with pytest.raises(ValueError, match=message):
        SparseGPRegressor(**arguments).fit(X, y, **options)


@pytest.mark.parametrize("y", [np.full(40, -1.0), np.full(40, 0.5)])
def test_counts_must_be_counts(y):
    X, _ = data("poisson", n=40)
    with pytest.raises(ValueError, match="y must hold counts 0, 1, 2"):
        SparseGPRegressor(likelihood="poisson").fit(X, y)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_nothing(name):
    X, _ = data("poisson", n=30)
    machine = SparseGPRegressor("rbf", likelihood=name).fit(X, np.zeros(30))
    assert (machine.predict(X) < 0.3).all()
    assert (machine.predict(X) >= 0).all()


def test_several_columns_of_targets():
    X, y = data("gaussian", n=40)
    Y = np.column_stack([y, -2 * y])
    both, theirs = (
        kind.fit(X, Y).predict(X)
        for kind in (SparseGPRegressor("rbf"), MultiOutputRegressor(SparseGPRegressor("rbf")))
    )
    np.testing.assert_array_equal(both, theirs)
    np.testing.assert_allclose(both[:, 1], -2 * both[:, 0], rtol=1e-3, atol=1e-3)
