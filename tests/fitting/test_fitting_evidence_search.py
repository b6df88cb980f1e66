"""Search over columns: the evidence rises, useless columns leave, and the path is recorded."""

from dataclasses import replace

import numpy as np
import pytest

from pauca.basis import RBF, CandidatePool, KernelBasis, PrecomputedBasis
from pauca.fitting import BIAS_PRECISION, Limits, Recipe
from pauca.fitting.fitters import EvidenceSearch
from pauca.inference import exact, laplace
from pauca.likelihoods import Gaussian, Logit
from pauca.priors import ARD

SEEDS = pytest.mark.parametrize("seed", range(4))
KINDS = pytest.mark.parametrize("kind", ["regression", "classification"])


def pooled(basis, **kwargs):
    return CandidatePool(basis, np.arange(basis.n_candidates), **kwargs)


def kernel_problem(kind, seed, n=60, weights=None):
    """A search among the columns of a kernel."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 2))
    f = np.sin(X[:, 0]) + 0.3 * X[:, 1] ** 2 - 1
    pool = pooled(KernelBasis(X, RBF(gamma=0.5)))
    weights = np.ones(n) if weights is None else weights
    if kind == "regression":
        y, recipe = f + 0.1 * rng.normal(size=n), Recipe(Gaussian(10.0, 1e6), exact)
    else:
        y, recipe = np.where(f + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0), Recipe(Logit(), laplace)
    return EvidenceSearch(pool, y, weights, recipe, Limits())


def matrix_problem(K, y):
    recipe = Recipe(Gaussian(10.0, 1e6), exact)
    return EvidenceSearch(pooled(PrecomputedBasis(K)), y, np.ones(len(y)), recipe, Limits())


def run(search, seed=0, start=None, **limits):
    return replace(search, limits=Limits(**limits)).run(np.random.default_rng(seed), start)


@KINDS
@SEEDS
def test_evidence_never_falls(kind, seed):
    fit = run(kernel_problem(kind, seed), seed=seed)
    assert len(fit.path) > 3
    assert (np.diff(fit.path["log_evidence"]) >= 0).all()
    assert fit.path["log_evidence"][-1] == fit.model.log_evidence
    assert fit.converged


@KINDS
@SEEDS
def test_path_adds_up(kind, seed):
    fit = run(kernel_problem(kind, seed), seed=seed)
    path = fit.path
    np.testing.assert_array_equal(np.diff(path["n_terms"]), path["n_added"][1:] - path["n_removed"][1:])
    assert path["n_terms"][-1] == len(fit.model.active)
    assert fit.n_iter == len(path) - 1


@KINDS
@SEEDS
def test_no_candidate_is_in_the_model_twice(kind, seed):
    problem = kernel_problem(kind, seed)
    model = run(problem, seed=seed).model
    assert len(np.unique(model.active)) == len(model.active)
    assert len(model.active) < 30
    expected = problem.pool.basis.columns(model.active)[0]
    np.testing.assert_allclose(model.Phi[:, 1:], expected, rtol=1e-12)
    np.testing.assert_array_equal(model.Phi[:, 0], 1)
    assert model.prior.precision.shape == model.posterior.mean.shape == (1 + len(model.active),)
    assert model.prior.precision[0] == BIAS_PRECISION


@KINDS
def test_model_is_what_its_parts_say(kind):
    problem = kernel_problem(kind, 3)
    model = run(problem).model
    again = problem.recipe.engine(model.likelihood, model.prior, model.Phi, problem.y, problem.weights)
    np.testing.assert_allclose(model.log_evidence, again.log_evidence, atol=1e-3)
    np.testing.assert_allclose(model.posterior.latent(model.Phi)[0], again.latent(model.Phi)[0], atol=1e-2)


@SEEDS
def test_end_is_a_local_maximum_of_the_exact_evidence(seed):
    problem = kernel_problem("regression", seed)
    model = run(problem, tol=1e-9, min_gain=0.0, max_iter=2000).model
    for j in range(1, len(model.prior.precision)):
        for factor in (0.7, 1.4):
            precision = model.prior.precision.copy()
            precision[j] *= factor
            other = problem.recipe.engine(
                model.likelihood, model.prior.with_precision(precision), model.Phi, problem.y, problem.weights
            )
            assert other.log_evidence < model.log_evidence + 1e-6


@KINDS
def test_start_from_the_end_stays_there(kind):
    problem = kernel_problem(kind, 2)
    first = run(problem)
    start = first.model.active, first.model.prior.precision[1:]
    recipe = replace(problem.recipe, likelihood=first.model.likelihood)
    again = run(replace(problem, recipe=recipe), start=start, seed=99)
    np.testing.assert_allclose(again.path["log_evidence"][0], first.model.log_evidence, atol=1e-3)
    assert again.n_iter <= 3
    assert set(again.model.active) == set(first.model.active)


@KINDS
def test_given_terms_are_taken_as_given(kind):
    problem = kernel_problem(kind, 4)
    candidates, precision = np.array([5, 2, 40]), np.array([0.5, 1.0, 2.0])
    fit = run(problem, start=(candidates, precision))
    model = problem.model_of(candidates, precision)
    assert fit.path["log_evidence"][0] == model.log_evidence
    assert fit.path["n_terms"][0] == 3
    np.testing.assert_array_equal(model.active, candidates)
    np.testing.assert_allclose(model.Phi[:, 1:], problem.pool.basis.columns(candidates)[0])
    np.testing.assert_array_equal(model.prior.precision[1:], precision)


@KINDS
def test_same_seed_same_path(kind):
    paths = [run(kernel_problem(kind, 5), seed=seed).path for seed in (7, 7)]
    np.testing.assert_array_equal(*paths)


@KINDS
@pytest.mark.parametrize("max_iter", [1, 2, 4])
def test_max_iter_is_respected(kind, max_iter):
    fit = run(kernel_problem(kind, 0), max_iter=max_iter)
    assert fit.n_iter <= max_iter
    assert len(fit.path) == fit.n_iter + 1
    assert not fit.converged
    assert np.isfinite(fit.model.log_evidence)


def test_min_gain_limits_the_model():
    sizes = [
        len(run(kernel_problem("regression", 6), min_gain=value).model.active) for value in (0.01, 3.0, 1e6)
    ]
    assert sizes[0] >= sizes[1] >= sizes[2]
    assert sizes[0] > sizes[2]


@pytest.mark.parametrize("value", [0.0, 1.0, -5e3])
@SEEDS
def test_constant_columns_never_enter(value, seed):
    rng = np.random.default_rng(seed)
    K = np.full((40, 12), value)
    K[:, [3, 7]] = rng.normal(size=(40, 2))
    problem = matrix_problem(K, 2 * K[:, 3] + 0.1 * rng.normal(size=40))
    model = run(problem, seed=seed).model
    assert 3 in model.active
    assert set(model.active) <= {3, 7}
    nothing = run(matrix_problem(np.full((40, 12), value), rng.normal(size=40)), seed=seed)
    assert len(nothing.model.active) == 0
    assert nothing.converged


@SEEDS
def test_equal_columns_enter_once(seed):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, 50))
    K = np.column_stack([x, -2 * x, x + 7, z, 3 * z, 0.5 * x, z, x, -z, x, x, z])
    problem = matrix_problem(K, x + z + 0.1 * rng.normal(size=50))
    model = run(problem, seed=seed).model
    assert len(model.active) == 2
    assert np.isin(model.active, [3, 4, 6, 8, 11]).sum() == 1


@SEEDS
def test_collinear_columns_do_not_pile_up(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(60, 2))
    K = root @ rng.normal(size=(2, 30))
    problem = matrix_problem(K, root @ [1.0, -1.0] + 0.1 * rng.normal(size=60))
    fit = run(problem, seed=seed)
    assert fit.converged
    assert len(fit.model.active) <= 4
    np.testing.assert_allclose(fit.model.posterior.latent(fit.model.Phi)[0], root @ [1.0, -1.0], atol=0.15)


@SEEDS
def test_true_columns_are_found(seed):
    rng = np.random.default_rng(seed)
    K = rng.normal(size=(80, 40))
    truth = [4, 17, 33]
    f = K[:, truth] @ [2.0, -1.0, 1.5]
    problem = matrix_problem(K, f + 0.2 * rng.normal(size=80))
    model = run(problem, seed=seed).model
    order = model.active[np.argsort(-np.abs(model.posterior.mean[1:]))]
    assert set(order[:3]) == set(truth)
    # Columns of pure noise that enter, half of them at most, fit little.
    assert len(model.active) <= 20
    np.testing.assert_allclose(model.likelihood.precision**-0.5, 0.2, rtol=0.35)
    assert np.sqrt(np.mean((model.posterior.latent(model.Phi)[0] - f) ** 2)) < 0.15


@SEEDS
def test_streamed_candidates_give_the_same_model(seed, monkeypatch):
    problem = kernel_problem("classification", seed)
    kept = run(problem, seed=seed)
    monkeypatch.setattr("pauca.basis.basis._BLOCK_BYTES", 8 * 60 * 7)
    streamed = run(replace(problem, pool=pooled(problem.pool.basis, cache_bytes=0)), seed=seed)
    np.testing.assert_array_equal(streamed.model.active, kept.model.active)
    np.testing.assert_allclose(streamed.model.log_evidence, kept.model.log_evidence, rtol=1e-9)


def test_empty_pool_gives_the_bias_alone():
    problem = kernel_problem("regression", 0)
    empty = CandidatePool(problem.pool.basis, np.empty(0, dtype=int))
    fit = run(replace(problem, pool=empty))
    assert fit.converged
    assert len(fit.model.active) == 0
    np.testing.assert_allclose(fit.model.posterior.mean[0], problem.y.mean(), rtol=1e-3)


@KINDS
def test_null_model_is_the_bias_alone(kind):
    problem = kernel_problem(kind, 0)
    model = problem.null_model()
    assert model.Phi.shape == (60, 1)
    if kind == "regression":
        np.testing.assert_allclose(model.posterior.mean, problem.y.mean(), rtol=1e-3)
        np.testing.assert_allclose(model.likelihood.precision**-0.5, problem.y.std(), rtol=0.05)
    else:
        share = np.mean(problem.y > 0)
        np.testing.assert_allclose(1 / (1 + np.exp(-model.posterior.mean[0])), share, atol=1e-3)


@KINDS
def test_only_pool_members_enter(kind):
    problem = kernel_problem(kind, 1)
    some = np.arange(0, 60, 4)
    part = replace(problem, pool=CandidatePool(problem.pool.basis, some))
    assert np.isin(run(part).model.active, some).all()


@KINDS
@SEEDS
@pytest.mark.parametrize("n_scales", [0, 3])
def test_shrinkage_raises_precisions_as_far_as_the_evidence_allows(kind, seed, n_scales):
    problem = kernel_problem(kind, seed)
    recipe = replace(problem.recipe, shrinkage_nats=0.4)
    plain, shrunk = run(problem), run(replace(problem, recipe=recipe, n_scales=n_scales))
    assert plain.predictor is plain.model
    np.testing.assert_array_equal(shrunk.model.posterior.mean, plain.model.posterior.mean)
    ratio = shrunk.predictor.prior.precision / shrunk.model.prior.precision
    assert ratio[0] == 1
    np.testing.assert_allclose(ratio[1:], ratio[1])
    assert ratio[1] > 1.4

    def loss(factor):
        model = shrunk.model
        precision = model.prior.precision * np.append(1.0, np.full(len(model.active), factor))
        posterior = problem.recipe.engine(
            model.likelihood, ARD(precision), model.Phi, problem.y, problem.weights
        )
        after = replace(model, prior=ARD(precision), posterior=posterior)
        return model.log_evidence - after.log_evidence - 0.5 * (model.size_penalty - after.size_penalty)

    allowed = 0.4 * (len(shrunk.model.active) + n_scales)
    assert loss(ratio[1]) <= allowed + 1e-3 < loss(1.5 * ratio[1])


def test_penalty_of_large_weights_is_the_logarithm_of_their_size():
    problem = kernel_problem("classification", 0)
    model = run(problem).model
    n = len(model.active)

    def cost(size):
        precision = np.append(BIAS_PRECISION, np.full(n, (size * model.likelihood.saturation) ** -2))
        return replace(model, prior=ARD(precision)).size_penalty

    assert cost(1e-3) == pytest.approx(0, abs=1e-4)
    assert cost(1.0) == pytest.approx(0.5 * n * np.log(2))
    assert cost(200.0) - cost(100.0) == pytest.approx(n * np.log(2), rel=1e-3)


@SEEDS
def test_weights_of_a_regression_have_any_size(seed):
    assert run(kernel_problem("regression", seed)).model.size_penalty == 0
