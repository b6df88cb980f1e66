"""Expectation propagation against integrals, exact posteriors, refits and finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr, logsumexp
from scipy.stats import spearmanr

from pauca.inference import WarmStart, ep, exact, leave_one_out
from pauca.likelihoods import Gaussian, Logit, Probit
from pauca.priors import ARD, Truncated

PRIORS = {"gaussian": ARD, "truncated": Truncated}


def toy(n_rows=12, n_weights=3, seed=0, prior="gaussian"):
    """A small problem with a bias: prior, Φ, y, weights."""
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(n_rows), rng.normal(size=(n_rows, n_weights - 1))])
    y = np.where(Phi @ np.array([0.2, 1.0, 0.4])[:n_weights] + 0.7 * rng.normal(size=n_rows) > 0, 1.0, -1.0)
    return PRIORS[prior](rng.uniform(0.5, 2, n_weights)), Phi, y, np.ones(n_rows)


def on_a_grid(prior, Phi, y, weights, n_points=121):
    """Log evidence, mean and covariance of the probit posterior by a dense grid."""
    half = 7 / np.sqrt(prior.precision)
    axes = [np.linspace(-h, h, n_points) for h in half]
    if prior.is_positive:
        axes[1:] = [(np.arange(n_points) + 0.5) * h / n_points for h in half[1:]]
    w = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")])
    log_prior = 0.5 * np.sum(
        np.log(prior.precision / (2 * np.pi))[:, None] - prior.precision[:, None] * w * w, axis=0
    ) + prior.is_positive * (len(w) - 1) * np.log(2)
    log_joint = log_prior + weights @ log_ndtr(y[:, None] * (Phi @ w))
    cell = np.prod([axis[1] - axis[0] for axis in axes])
    log_evidence = logsumexp(log_joint) + np.log(cell)
    share = np.exp(log_joint - logsumexp(log_joint))
    mean = w @ share
    return log_evidence, mean, (w * share) @ w.T - np.outer(mean, mean)


def covariance_of(posterior):
    return np.linalg.inv(posterior.factor @ posterior.factor.T)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("n_weights", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_evidence_and_moments_are_near_the_integrals(prior, n_weights, seed):
    problem = toy(n_weights=n_weights, seed=seed, prior=prior)
    posterior = ep(Probit(), *problem, tol=1e-8)
    log_evidence, mean, covariance = on_a_grid(*problem)
    assert posterior.converged
    assert posterior.log_evidence == pytest.approx(log_evidence, abs=0.04)
    np.testing.assert_allclose(posterior.mean, mean, atol=0.02)
    np.testing.assert_allclose(covariance_of(posterior), covariance, atol=0.02)


@pytest.mark.parametrize("schedule", ["parallel", "sequential"])
def test_gaussian_likelihood_is_exact(schedule):
    prior, Phi, _, _ = toy()
    rng = np.random.default_rng(1)
    y, weights = rng.normal(size=len(Phi)), rng.integers(1, 4, len(Phi)).astype(float)
    ours = ep(Gaussian(2.0), prior, Phi, y, weights, schedule=schedule, tol=1e-10)
    truth = exact(Gaussian(2.0), prior, Phi, y, weights)
    np.testing.assert_allclose(ours.mean, truth.mean, atol=1e-10)
    np.testing.assert_allclose(ours.factor, truth.factor, atol=1e-10)
    assert ours.log_evidence == pytest.approx(truth.log_evidence, abs=1e-9)


@pytest.mark.parametrize("likelihood", [Probit(), Logit()])
@pytest.mark.parametrize("prior", PRIORS)
def test_both_schedules_reach_the_same_fixed_point(prior, likelihood):
    problem = toy(30, prior=prior, seed=4)
    parallel = ep(likelihood, *problem, schedule="parallel", tol=1e-9)
    sequential = ep(likelihood, *problem, schedule="sequential", tol=1e-9)
    assert (parallel.schedule, sequential.schedule) == ("parallel", "sequential")
    assert parallel.converged
    assert sequential.converged
    np.testing.assert_allclose(sequential.mean, parallel.mean, atol=1e-6)
    np.testing.assert_allclose(sequential.factor, parallel.factor, atol=1e-6)
    assert sequential.log_evidence == pytest.approx(parallel.log_evidence, abs=1e-6)


def test_the_fixed_point_does_not_depend_on_where_it_starts():
    problem = toy(30, prior="truncated", seed=5)
    cold = ep(Probit(), *problem, tol=1e-9)
    elsewhere = WarmStart(cold.mean, cold.all_sites * 1.5 + 0.1)
    warm = ep(Probit(), *problem, elsewhere, tol=1e-9)
    np.testing.assert_allclose(warm.mean, cold.mean, atol=1e-6)
    again = ep(Probit(), *problem, cold.warm_start(slice(None), 0), tol=1e-6)
    assert again.n_iter == 1


def test_sites_follow_the_columns_that_stay():
    prior, Phi, y, weights = toy(prior="truncated")
    posterior = ep(Probit(), prior, Phi, y, weights)
    start = posterior.warm_start(np.array([True, False, True]), 2)
    np.testing.assert_array_equal(start.sites[:, : len(y)], posterior.all_sites[:, : len(y)])
    kept = posterior.all_sites[:, len(y) :][:, [0, 2]]
    np.testing.assert_array_equal(start.sites[:, len(y) :], np.hstack([kept, np.zeros((2, 2))]))
    np.testing.assert_array_equal(start.mean, [*posterior.mean[[0, 2]], 0, 0])


@pytest.mark.parametrize("prior", PRIORS)
def test_a_row_of_weight_three_is_three_rows(prior):
    kind, Phi, y, _ = toy(prior=prior)
    weights = np.where(np.arange(len(y)) % 3 == 0, 3.0, 1.0)
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    once = ep(Probit(), kind, Phi, y, weights, tol=1e-10)
    thrice = ep(Probit(), kind, Phi[rows], y[rows], np.ones(len(rows)), tol=1e-10)
    np.testing.assert_allclose(once.mean, thrice.mean, atol=1e-7)
    assert once.log_evidence == pytest.approx(thrice.log_evidence, abs=1e-7)


@pytest.mark.parametrize("schedule", ["parallel", "sequential"])
def test_a_share_of_a_row_counts_as_its_power(schedule):
    prior, Phi, y, _ = toy()
    weights = np.linspace(0.1, 1.6, len(y))
    posterior = ep(Probit(), prior, Phi, y, weights, schedule=schedule, tol=1e-8)
    log_evidence, mean, _ = on_a_grid(prior, Phi, y, weights)
    assert posterior.converged
    assert posterior.log_evidence == pytest.approx(log_evidence, abs=0.02)
    np.testing.assert_allclose(posterior.mean, mean, atol=0.01)


@pytest.mark.parametrize("prior", PRIORS)
def test_slope_of_the_evidence_in_the_precisions(prior):
    """∂ log Z / ∂α_j = ½ (1/α_j − Σ_jj − μ_j²), with truncation or without."""
    kind, *rest = toy(25, prior=prior)
    posterior = ep(Probit(), kind, *rest, tol=1e-11)
    slope = 0.5 * (1 / kind.precision - posterior.variances - np.square(posterior.mean))
    for j in range(3):
        step = 1e-4 * np.eye(3)[j]
        above, below = (
            ep(Probit(), kind.with_precision(kind.precision + sign * step), *rest, tol=1e-11).log_evidence
            for sign in (1, -1)
        )
        assert (above - below) / 2e-4 == pytest.approx(slope[j], abs=1e-5)


@pytest.mark.parametrize("prior", PRIORS)
def test_slope_of_the_evidence_in_the_columns(prior):
    """∂ log Z / ∂Φ = e μᵀ − B Φ Σ."""
    kind, Phi, y, weights = toy(10, prior=prior)
    posterior = ep(Probit(), kind, Phi, y, weights, tol=1e-11)
    sites = posterior.sites
    slope = np.outer(sites.residual, posterior.mean) - sites.precision[:, None] * Phi @ covariance_of(
        posterior
    )
    for n, j in [(0, 1), (3, 2), (7, 0)]:
        step = np.zeros_like(Phi)
        step[n, j] = 1e-4
        above, below = (
            ep(Probit(), kind, Phi + sign * step, y, weights, tol=1e-11).log_evidence for sign in (1, -1)
        )
        assert (above - below) / 2e-4 == pytest.approx(slope[n, j], abs=1e-5)


@pytest.mark.parametrize("prior", PRIORS)
def test_leave_one_out_is_near_that_of_refits(prior):
    kind, Phi, y, weights = toy(40, seed=7, prior=prior)
    mean, var = leave_one_out(Phi, ep(Probit(), kind, Phi, y, weights, tol=1e-9))
    free = Probit().predict(y * mean, var)
    refits = []
    for n in range(len(y)):
        others = np.arange(len(y)) != n
        refit = ep(Probit(), kind, Phi[others], y[others], weights[others], tol=1e-9)
        latent_mean, latent_var = refit.latent(Phi[n : n + 1])
        refits.append(float(Probit().predict(y[n] * latent_mean, latent_var)[0]))
    assert spearmanr(free, refits).statistic > 0.99
    assert np.abs(free - refits).mean() < 0.01


@pytest.mark.parametrize("prior", PRIORS)
def test_the_order_of_the_rows_does_not_matter(prior):
    kind, Phi, y, weights = toy(25, prior=prior)
    order = np.random.default_rng(0).permutation(len(y))
    ours = ep(Probit(), kind, Phi, y, weights, schedule="sequential", tol=1e-9)
    theirs = ep(Probit(), kind, Phi[order], y[order], weights, schedule="sequential", tol=1e-9)
    np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-6)


@settings(max_examples=60)
@given(
    st.integers(2, 40),
    st.integers(1, 12),
    st.integers(0, 10**6),
    st.sampled_from(list(PRIORS)),
    st.floats(-3, 4),
    st.floats(-4, 4),
)
def test_always_finite_and_positive_definite(n_rows, n_weights, seed, prior, log_size, log_precision):
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(n_rows), 10**log_size * rng.normal(size=(n_rows, n_weights))])
    if seed % 3 == 0:
        Phi[:, -1] = Phi[:, 0]
    precision = 10 ** rng.uniform(log_precision - 1, log_precision + 1, n_weights + 1)
    y, weights = rng.choice([-1.0, 1.0], n_rows), rng.choice([0.3, 1.0, 5.0], n_rows)
    posterior = ep(Probit(), PRIORS[prior](precision), Phi, y, weights)
    assert np.isfinite(posterior.mean).all()
    assert np.isfinite(posterior.log_evidence)
    assert np.isfinite(posterior.factor).all()
    assert (np.diag(posterior.factor) > 0).all()
    assert (posterior.all_sites[0] >= 0).all()
    if prior == "truncated" and posterior.converged:
        assert (posterior.mean[1:] >= 0).all()
