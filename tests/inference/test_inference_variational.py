"""The lower bound of variational inference: its value, its maximum, and that it is one."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import log_expit, logsumexp

from pauca.basis import CandidatePool, PrecomputedBasis
from pauca.fitting import BIAS_PRECISION, Limits, Recipe
from pauca.fitting.fitters import EvidenceSearch
from pauca.fitting.fitters.refinement import updated
from pauca.inference import WarmStart, exact, expanded_at_mean, laplace, variational
from pauca.likelihoods import GammaGaussian, Gaussian, Logit, Probit
from pauca.priors import ARD, Gamma, GammaARD

KINDS = pytest.mark.parametrize("kind", ["regression", "classification"])
SEEDS = pytest.mark.parametrize("seed", range(3))
HYPER, NOISE = Gamma(0.6, 0.3), Gamma(1.5, 0.8)
some = settings(max_examples=15, suppress_health_check=list(HealthCheck))


def make_problem(kind, seed, n=12, m=2, hyper=HYPER, noise=NOISE, weights=None):
    """A problem with m columns, and the likelihood to begin with."""
    rng = np.random.default_rng(seed)
    K = rng.normal(size=(n, m))
    f = K @ rng.normal(size=m) + 0.5 * rng.normal(size=n)
    y = f if kind == "regression" else np.where(f + 1.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    pool = CandidatePool(PrecomputedBasis(K, np.full(m, -1)), np.arange(m))
    weights = np.ones(n) if weights is None else weights
    prior = partial(GammaARD, hyperprior=hyper)
    if kind == "regression":
        likelihood = GammaGaussian(2.0, 1e6, noise.shape + 0.5 * weights.sum(), noise)
        recipe = Recipe(likelihood, exact, prior)
    else:
        recipe = Recipe(Logit(), partial(variational, tol=1e-9), prior)
    return EvidenceSearch(pool, y, weights, recipe, Limits()), recipe.likelihood


def all_columns(problem, likelihood):
    m = len(problem.pool.candidates)
    return problem.model_of(np.arange(m), np.ones(m), likelihood)


def check_that_cycles_raise_the_bound(problem, likelihood, tolerance):
    model = all_columns(problem, likelihood)
    for _ in range(12):
        before, model = model.log_evidence, updated(problem, model)
        assert model.log_evidence >= before - tolerance * max(1.0, abs(before))


def settled(problem, likelihood, cycles=150):
    model = all_columns(problem, likelihood)
    for _ in range(cycles):
        before, model = model.log_evidence, updated(problem, model)
        if model.log_evidence - before < 1e-12:
            break
    return model


def factors(model):
    """All factors of Q: mean and covariance of w, the Gammas of α and τ, and ξ² for each row."""
    covariance = np.linalg.inv(model.posterior.factor @ model.posterior.factor.T)
    tau = getattr(model.likelihood, "posterior", None)
    f, var = model.posterior.latent(model.Phi)
    return {
        "mean": model.posterior.mean,
        "covariance": covariance,
        "alpha": model.prior.posterior,
        "tau": tau,
        "squares": f**2 + var,
    }


def bound_of(problem, model, mean, covariance, alpha, tau, squares):
    """The lower bound term by term (Bishop & Tipping 2000, eq. 39-46 and 59-64, signs corrected)."""
    Phi, y, c = model.Phi, problem.y, problem.weights
    f, var = Phi @ mean, np.einsum("nm,mk,nk->n", Phi, covariance, Phi)
    second = mean**2 + np.diag(covariance)
    mean_alpha = np.append(BIAS_PRECISION, alpha.mean)
    mean_log_alpha = np.append(np.log(BIAS_PRECISION), alpha.mean_log)
    value = 0.5 * np.sum(mean_log_alpha - np.log(2 * np.pi) - mean_alpha * second)
    value += np.sum(alpha.expected_log(HYPER) + alpha.entropy)
    value += 0.5 * len(mean) * (1 + np.log(2 * np.pi)) + 0.5 * np.linalg.slogdet(covariance)[1]
    if tau is None:
        xi = np.sqrt(squares)
        slope = np.tanh(xi / 2) / (4 * xi)
        return value + c @ (log_expit(xi) + 0.5 * (y * f - xi) - slope * (f**2 + var - squares))
    value += 0.5 * c.sum() * (tau.mean_log - np.log(2 * np.pi)) - 0.5 * tau.mean * (c @ ((y - f) ** 2 + var))
    return value + tau.expected_log(NOISE) + tau.entropy


@KINDS
@SEEDS
def test_bound_term_by_term(kind, seed):
    weights = np.random.default_rng(seed).uniform(0.2, 3, size=12)
    for given_weights in (None, weights):
        problem, likelihood = make_problem(kind, seed, weights=given_weights)
        for model in (all_columns(problem, likelihood), settled(problem, likelihood)):
            direct = bound_of(problem, model, **factors(model))
            np.testing.assert_allclose(model.log_evidence, direct, rtol=1e-7, atol=1e-7)


@KINDS
@SEEDS
def test_bound_is_an_expectation(kind, seed):
    # ⟨log joint − log Q⟩ over draws of Q; the likelihood of a class is replaced by its quadratic bound.
    problem, likelihood = make_problem(kind, seed)
    model, rng, n = settled(problem, likelihood), np.random.default_rng(seed), 20_000
    q = factors(model)
    w = rng.multivariate_normal(q["mean"], q["covariance"], size=n)
    alpha_q = stats.gamma(q["alpha"].shape, scale=1 / q["alpha"].rate)
    alpha = alpha_q.rvs(size=(n, 2), random_state=rng)
    f = w @ model.Phi.T
    values = stats.norm(0, BIAS_PRECISION**-0.5).logpdf(w[:, 0])
    values += stats.norm(0, alpha**-0.5).logpdf(w[:, 1:]).sum(axis=1)
    values += stats.gamma(HYPER.shape, scale=1 / HYPER.rate).logpdf(alpha).sum(axis=1)
    values -= alpha_q.logpdf(alpha).sum(axis=1)
    values -= stats.multivariate_normal(q["mean"], q["covariance"]).logpdf(w)
    if kind == "regression":
        tau_q = stats.gamma(q["tau"].shape, scale=1 / q["tau"].rate)
        tau = tau_q.rvs(size=n, random_state=rng)
        values += stats.norm(f, tau[:, None] ** -0.5).logpdf(problem.y).sum(axis=1)
        values += stats.gamma(NOISE.shape, scale=1 / NOISE.rate).logpdf(tau) - tau_q.logpdf(tau)
    else:
        b, h, c = likelihood.quadratic_bound(problem.y, q["squares"])
        values += (c + h * f - 0.5 * b * f**2).sum(axis=1)
    error = values.std() / np.sqrt(n)
    assert abs(values.mean() - model.log_evidence) < 5 * error


def log_evidence_by_quadrature(problem, model, kind):
    """log p(y) of one column: weights exactly or on a grid, log α and log τ on a grid."""
    grid = np.linspace(-40, 40, 161)
    w = np.stack(np.meshgrid(grid / 4, grid / 4, indexing="ij"), axis=-1).reshape(-1, 2)
    log_likelihood = log_expit(problem.y * (w @ model.Phi.T)).sum(axis=1)
    cell = 2 * np.log(grid[1] / 4 - grid[0] / 4)

    def given_alpha(log_alpha, log_tau):
        prior = ARD(np.array([BIAS_PRECISION, np.exp(log_alpha)]))
        hyper = stats.loggamma(HYPER.shape, -np.log(HYPER.rate)).logpdf(log_alpha)
        if kind == "classification":
            log_prior = 0.5 * (np.log(prior.precision / (2 * np.pi)) - prior.precision * w**2).sum(axis=1)
            return np.exp(hyper + cell + logsumexp(log_likelihood + log_prior))
        hyper += stats.loggamma(NOISE.shape, -np.log(NOISE.rate)).logpdf(log_tau)
        noise = Gaussian(np.exp(log_tau))
        return np.exp(hyper + exact(noise, prior, model.Phi, problem.y, problem.weights).log_evidence)

    alphas, taus = np.linspace(-12, 8, 50), np.linspace(-6, 8, 50)
    if kind == "regression":
        return np.log(
            np.trapezoid([np.trapezoid([given_alpha(a, t) for t in taus], taus) for a in alphas], alphas)
        )
    return np.log(np.trapezoid([given_alpha(a, 0.0) for a in alphas], alphas))


@KINDS
@SEEDS
def test_bound_lies_below_the_log_evidence(kind, seed):
    problem, likelihood = make_problem(kind, seed, n=8, m=1)
    model = settled(problem, likelihood, cycles=100)
    truth = log_evidence_by_quadrature(problem, model, kind)
    assert model.log_evidence < truth
    assert model.log_evidence > truth - 2.0


@KINDS
@SEEDS
def test_every_factor_is_stationary(kind, seed):
    problem, likelihood = make_problem(kind, seed)
    model, rng = settled(problem, likelihood), np.random.default_rng(seed)
    q, top = factors(model), model.log_evidence
    for size in (1e-3, 1e-1):
        for _ in range(4):
            shift, twist = rng.normal(size=(2, 3))
            factor = 1 + size * rng.uniform(-1, 1, size=2)
            changes = {
                "mean": q["mean"] + size * shift,
                "covariance": q["covariance"]
                + size * np.outer(twist, twist) * np.diag(q["covariance"]).min(),
                "alpha": Gamma(q["alpha"].shape * factor, q["alpha"].rate * factor[::-1]),
                "squares": q["squares"] * (1 + size * rng.uniform(-1, 1, size=12)),
            }
            if kind == "regression":
                changes["tau"] = Gamma(q["tau"].shape * factor[0], q["tau"].rate * factor[1])
            for name, value in changes.items():
                assert bound_of(problem, model, **{**q, name: value}) <= top + 1e-7, name


@KINDS
@some
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 40),
    m=st.integers(1, 6),
    shape=st.floats(1e-6, 3),
    rate=st.floats(1e-6, 3),
)
def test_cycles_never_lower_the_bound(kind, seed, n, m, shape, rate):
    weights = np.random.default_rng(seed).uniform(0.1, 3, size=n)
    problem, likelihood = make_problem(kind, seed, n, m, Gamma(shape, rate), Gamma(rate, shape), weights)
    check_that_cycles_raise_the_bound(problem, likelihood, 1e-7)


@KINDS
@SEEDS
def test_trace_of_a_search_rises_while_the_columns_stay(kind, seed):
    problem, _ = make_problem(kind, seed, n=40, m=15, hyper=Gamma(1e-6, 1e-6))
    fit = replace(problem, limits=Limits(min_weight=1e-3)).run(np.random.default_rng(seed))
    same = (fit.path["n_added"] + fit.path["n_removed"])[1:] == 0
    assert same.sum() > 2
    assert (np.diff(fit.path["log_evidence"])[same] >= 0).all()
    assert fit.path["log_evidence"][-1] == fit.model.log_evidence
    assert fit.converged


@SEEDS
@pytest.mark.parametrize("tau", [0.3, 30.0])
def test_known_hyperparameters_give_the_exact_posterior(seed, tau):
    problem, _ = make_problem("regression", seed)
    certain = 1e12
    alpha = np.array([0.3, 4.0])
    prior = partial(GammaARD, hyperprior=Gamma(certain, 1.0))
    noise = GammaGaussian(tau, np.inf, certain, Gamma(certain, certain / tau))
    model = replace(problem, recipe=Recipe(noise, exact, prior)).model_of(np.arange(2), alpha)
    reference = exact(Gaussian(tau), ARD(np.append(BIAS_PRECISION, alpha)), model.Phi, problem.y, np.ones(12))
    np.testing.assert_allclose(model.posterior.mean, reference.mean, rtol=1e-9)
    np.testing.assert_allclose(model.posterior.factor, reference.factor, rtol=1e-9)
    again = model.likelihood.reestimate(problem.y, model.Phi, model.posterior, model.prior, problem.weights)
    np.testing.assert_allclose(again.precision, tau, rtol=1e-6)
    np.testing.assert_allclose(noise.bound_penalty(problem.weights), 0.0, atol=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_posterior_of_the_noise_covers_the_truth(seed):
    rng = np.random.default_rng(seed)
    n, tau, flat = 300, 4.0, Gamma(1e-6, 1e-6)
    K = rng.normal(size=(n, 2))
    y = K @ [1.0, -0.5] + tau**-0.5 * rng.normal(size=n)
    pool = CandidatePool(PrecomputedBasis(K, np.full(2, -1)), np.arange(2))
    recipe = Recipe(GammaGaussian(1.0, 1e6, 1.0, flat), exact, partial(GammaARD, hyperprior=flat))
    problem = EvidenceSearch(pool, y, np.ones(n), recipe, Limits())
    noise = settled(problem, recipe.likelihood, cycles=50).likelihood.posterior
    low, high = stats.gamma(noise.shape, scale=1 / noise.rate).ppf([5e-4, 1 - 5e-4])
    assert low < tau < high
    assert noise.shape == pytest.approx(n / 2, rel=1e-6)


@KINDS
def test_leaps_and_plain_cycles_have_the_same_end(kind):
    problem, likelihood = make_problem(kind, 1, n=40, m=3, hyper=Gamma(1e-3, 1e-3))
    plain, leaping = settled(problem, likelihood), all_columns(problem, likelihood)
    for _ in range(60):
        leaping = updated(problem, leaping, accelerate=True)
    np.testing.assert_allclose(leaping.prior.precision, plain.prior.precision, rtol=1e-3)
    np.testing.assert_allclose(leaping.log_evidence, plain.log_evidence, atol=1e-6)


@SEEDS
@pytest.mark.parametrize("scale", [1.0, 1.7])
def test_quadratic_bound_touches_and_lies_below(seed, scale):
    rng = np.random.default_rng(seed)
    f, squares, y = rng.normal(scale=5, size=(3, 200))
    y, squares = np.sign(y), np.append(squares[:-1] ** 2, 0.0)
    likelihood = Logit(scale)
    b, h, c = likelihood.quadratic_bound(y, squares)
    assert (b > 0).all()
    assert (c + h * f - 0.5 * b * f**2 <= likelihood.log_prob(y, f) + 1e-12).all()
    for sign in (-1, 1):
        g = sign * np.sqrt(squares)
        np.testing.assert_allclose(c + h * g - 0.5 * b * g**2, likelihood.log_prob(y, g), atol=1e-10)


def test_a_likelihood_without_a_bound_is_named():
    problem, _ = make_problem("classification", 0)
    with pytest.raises(TypeError, match=r"Probit has no quadratic_bound"):
        variational(Probit(), ARD(np.ones(2)), np.ones((12, 2)), problem.y, problem.weights)


@SEEDS
def test_where_the_search_begins_makes_no_difference(seed):
    problem, likelihood = make_problem("classification", seed, n=40, m=4)
    model = all_columns(problem, likelihood)
    begun = variational(
        likelihood,
        model.prior,
        model.Phi,
        problem.y,
        problem.weights,
        WarmStart(np.ones(5), np.full(40, 3.0)),
        tol=1e-9,
    )
    np.testing.assert_allclose(begun.log_evidence, model.posterior.log_evidence, atol=1e-7)
    np.testing.assert_allclose(begun.mean, model.posterior.mean, atol=1e-4)


@SEEDS
def test_a_search_that_goes_on_is_short(seed):
    problem, likelihood = make_problem("classification", seed, n=40, m=4)
    model = all_columns(problem, likelihood)
    posterior = model.posterior
    np.testing.assert_array_equal(posterior.latent_variances, posterior.latent(model.Phi)[1])
    again = variational(
        likelihood,
        model.prior,
        model.Phi,
        problem.y,
        problem.weights,
        posterior.warm_start(slice(None), 0),
        1e-9,
    )
    assert again.n_iter <= 2 < posterior.n_iter


@KINDS
@some
@given(seed=st.integers(0, 10_000), tol=st.floats(1e-6, 1.0))
def test_cycles_of_unfinished_searches_never_lower_the_bound(kind, seed, tol):
    problem, likelihood = make_problem(kind, seed, n=30, m=5, hyper=Gamma(1e-6, 1e-6))
    if kind == "classification":
        recipe = replace(problem.recipe, engine=partial(variational, tol=tol))
        problem = replace(problem, recipe=recipe)
    check_that_cycles_raise_the_bound(problem, likelihood, 1e-9)


@SEEDS
def test_the_curvature_of_the_likelihood_at_the_mean(seed):
    problem, likelihood = make_problem("classification", seed, n=40, m=4)
    model = all_columns(problem, likelihood)
    arguments = likelihood, model.prior, model.Phi, problem.y, problem.weights
    wide = expanded_at_mean(*arguments, model.posterior)
    np.testing.assert_array_equal(wide.mean, model.posterior.mean)
    assert wide.log_evidence == model.posterior.log_evidence
    assert wide.variances.sum() > model.posterior.variances.sum()
    residual, curvature = likelihood.derivatives(problem.y, model.Phi @ wide.mean)
    np.testing.assert_array_equal(wide.sites.precision, curvature)
    np.testing.assert_array_equal(wide.sites.residual, residual)
    mode = laplace(*arguments)
    np.testing.assert_allclose(expanded_at_mean(*arguments, mode).factor, mode.factor)


@SEEDS
def test_the_wider_posterior_is_nearer_the_truth(seed):
    # Variances of the weights of two columns by a grid over weights, the bias left out of the comparison.
    problem, likelihood = make_problem("classification", seed, n=12, m=1)
    model = all_columns(problem, likelihood)
    arguments = likelihood, model.prior, model.Phi, problem.y, problem.weights
    spread = 8 * np.sqrt(laplace(*arguments).variances)
    axes = [
        centre + np.linspace(-1, 1, 201) * s for centre, s in zip(model.posterior.mean, spread, strict=True)
    ]
    w = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    log_joint = log_expit(problem.y * (w @ model.Phi.T)).sum(axis=1) - 0.5 * w**2 @ model.prior.precision
    share = np.exp(log_joint - logsumexp(log_joint))
    truth = share @ np.square(w - share @ w)
    narrow, wide = model.posterior.variances, expanded_at_mean(*arguments, model.posterior).variances
    assert (np.abs(np.log(wide / truth)) < np.abs(np.log(narrow / truth))).all()


@SEEDS
def test_leaps_of_the_noise_have_the_same_end(seed):
    problem, likelihood = make_problem("regression", seed, n=40, m=3)
    model = settled(problem, likelihood)
    arguments = problem.y, model.Phi, model.posterior, model.prior, problem.weights
    slow, leaping = (
        model.likelihood.reestimate(*arguments, accelerate=accelerate) for accelerate in (False, True)
    )
    np.testing.assert_allclose(leaping.precision, slow.precision, rtol=1e-5)
    assert leaping.shape == slow.shape == NOISE.shape + 20


def test_the_search_starts_from_the_columns_of_the_warm_start_engine():
    problem, _ = make_problem("classification", 0, n=60, m=20, hyper=Gamma(1e-6, 1e-6))
    rng, limits = np.random.default_rng, Limits(min_weight=1e-3)
    plain = replace(problem.recipe, engine=laplace, prior=ARD)
    first = replace(problem, recipe=plain).run(rng(0))
    warm = replace(problem.recipe, warm_start_engine=laplace)
    fit = replace(problem, recipe=warm, limits=limits).run(rng(0))
    assert fit.path["n_terms"][0] == len(first.terms[0])
    assert fit.path["log_evidence"][0] == problem.model_of(*first.terms).log_evidence
