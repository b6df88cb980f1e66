"""Sums over blocks, expectations, posteriors and evidence, against dense formulas and finite differences."""

import pickle

import numpy as np
import pytest
from scipy.optimize import minimize

from pauca.basis import RBF, ArrayBlocks, HeldBlocks, Linear, Matern52
from pauca.fitting.processes import Hyperparameters, Process
from pauca.fitting.streaming import evidence as evidence_module
from pauca.fitting.streaming.evidence import BoundEvidence
from pauca.fitting.streaming.expectations import expansion_by_quadrature, expected_expansion
from pauca.fitting.streaming.posterior import Weights, infer
from pauca.fitting.streaming.projection import JITTER, Projection
from pauca.fitting.streaming.sums import Design, SumsPass
from pauca.fitting.streaming.vectors import choose_vectors
from pauca.likelihoods import Gaussian, Logit, Poisson, Probit

N_ROWS = 300


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 3))
    f = np.sin(2 * X[:, 0]) + X[:, 1]
    y = np.where(rng.uniform(size=N_ROWS) < 1 / (1 + np.exp(-2 * f)), 1.0, -1.0)
    return X, y, rng.uniform(0.5, 2, N_ROWS)


def process(kernel=None):
    """Process with every hyperparameter away from its default."""
    scales, groups = np.array([1.2, 0.7]), np.array([0, 1, 1])
    kernel = kernel or RBF(0.4)
    return Process(kernel, 1.7, 0.3, scales, groups, constant=(0.2, 0.8), reach=5.0)


@pytest.mark.parametrize("likelihood", [Logit(), Logit.like_probit(), Probit(), Poisson()])
@pytest.mark.parametrize("sd", [0.0, 0.15, 0.3, 0.5, 0.6, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 8.0])
def test_expectations_are_those_of_a_fine_grid(likelihood, sd):
    if isinstance(likelihood, Poisson) and sd > 1:
        pytest.skip("exp(f) of so wide a Gaussian has no finite grid")
    unit = likelihood.saturation / 3 if np.isfinite(likelihood.saturation) else 1.0
    mean = np.linspace(-4, 4, 41) * unit
    y = np.where(np.arange(41) % 2, 1.0, -1.0) if np.isfinite(likelihood.saturation) else np.arange(41) % 5
    points = np.linspace(-10, 10, 4001)
    weights = np.exp(-0.5 * np.square(points))
    f = mean[:, None] + sd * unit * points
    first, curvature = likelihood.derivatives(y[:, None], f)
    found = expected_expansion(likelihood, y, mean, np.full(41, (sd * unit) ** 2))
    for value, whole in zip(found, (likelihood.log_prob(y[:, None], f), first, curvature), strict=True):
        right = whole @ weights / weights.sum()
        np.testing.assert_allclose(value, right, atol=2e-5 * np.abs(right).max(), rtol=0)


@pytest.mark.parametrize("likelihood", [Logit(), Logit.like_probit(), Probit()])
def test_the_table_of_labels_agrees_with_quadrature_everywhere(likelihood):
    unit, rng = likelihood.saturation / 3, np.random.default_rng(0)
    sd = np.append(np.exp(rng.uniform(-4, 3.5, 3000)), [0.0, 1e-12, 19.9, 20.1, 300.0]) * unit
    mean = rng.uniform(-14, 14, len(sd)) * np.sqrt(unit**2 + sd**2)
    y = np.where(rng.random(len(sd)) < 0.5, 1.0, -1.0)
    found = expected_expansion(likelihood, y, mean, np.square(sd))
    right = expansion_by_quadrature(likelihood, y, mean, np.square(sd))
    for value, other in zip(found, right, strict=True):
        np.testing.assert_allclose(value, other, atol=5e-5, rtol=1e-4)


def test_expectations_under_gaussian_noise_are_closed_forms():
    likelihood, rng = Gaussian(3.0), np.random.default_rng(0)
    y, mean, var = rng.normal(size=50), rng.normal(size=50), rng.random(50)
    found = expected_expansion(likelihood, y, mean, var)
    right = expansion_by_quadrature(likelihood, y, mean, var)
    for value, other in zip(found, right, strict=True):
        np.testing.assert_allclose(value, other, rtol=1e-6)


def block_of(X):
    """All rows as one block."""
    return next(ArrayBlocks(X).blocks())


@pytest.mark.parametrize("block_rows", [1, 7, 64, 1000])
def test_sums_do_not_depend_on_the_blocks(rows, block_rows):
    projection = Projection.of(process(), rows[0][:20])
    rng = np.random.default_rng(1)
    mean, half = rng.normal(size=projection.n_weights), rng.normal(size=(projection.n_weights, 40))
    factor = np.linalg.cholesky(np.eye(projection.n_weights) + half @ half.T)
    function = SumsPass.at(projection, Logit(), mean, factor)
    whole = ArrayBlocks(*rows).total(function)
    parts = list(ArrayBlocks(*rows, block_rows=block_rows).blocks())
    rng.shuffle(parts)
    total = function(parts[0])
    for part in parts[1:]:
        total = total + function(part)
    for name in ("weight", "log_likelihood", "gradient", "precision"):
        np.testing.assert_allclose(getattr(total, name), getattr(whole, name), rtol=1e-11, atol=1e-10)


def dense_bound(process_, vectors, likelihood, X, y, weights, parameters):
    """Variational bound on the log evidence, with the inducing values in the kernel's own coordinates."""
    n = process_.features(X).shape[1] + len(vectors)
    mean, half = parameters[:n], np.zeros((n, n))
    half[np.tril_indices(n)] = parameters[n:]
    K = process_.covariance(vectors, vectors) + JITTER * process_.amplitude * np.eye(len(vectors))
    columns = process_.covariance(X, vectors) @ np.linalg.inv(np.linalg.cholesky(K)).T
    Phi = np.hstack([process_.features(X), columns])
    cov = half @ half.T
    left = process_.variance(X) - np.square(columns).sum(axis=1)
    f, var = process_.constant[0] + Phi @ mean, np.einsum("ij,jk,ik->i", Phi, cov, Phi) + left
    divergence = 0.5 * (np.trace(cov) + mean @ mean - n - np.linalg.slogdet(cov)[1])
    return weights @ likelihood.expected_log_prob(y, f, var) - divergence


def test_the_posterior_is_the_maximum_of_the_bound(rows):
    X, y, weights = (part[:60] for part in rows)
    vectors, n = X[:4], 8
    start = np.append(np.zeros(n), np.eye(n)[np.tril_indices(n)])
    found = minimize(
        lambda parameters: -dense_bound(process(), vectors, Probit(), X, y, weights, parameters),
        start,
        method="L-BFGS-B",
        options={"maxiter": 2000, "maxfun": 200_000, "ftol": 1e-13},
    )
    weights_ = infer(ArrayBlocks(X, y, weights), Projection.of(process(), vectors), Probit(), tol=1e-10)
    assert weights_.converged
    assert weights_.bound == pytest.approx(-found.fun, abs=1e-4)
    np.testing.assert_allclose(weights_.mean, found.x[:n], atol=2e-3)


def test_gaussian_noise_is_exact(rows):
    """With all rows as vectors the bound is the evidence of the whole process, whatever the start."""
    X, y, weights = (part[:50] for part in rows)
    process_ = process(Matern52(0.5))
    found = infer(ArrayBlocks(X, y, weights), Projection.of(process_, X), Gaussian(4.0), tol=1e-9)
    F = process_.features(X)
    K = process_.covariance(X, X) + F @ F.T + JITTER * process_.amplitude * np.eye(50)
    C = K + np.diag(1 / (4.0 * weights))
    r = y - process_.constant[0]
    evidence = -0.5 * (r @ np.linalg.solve(C, r) + np.linalg.slogdet(2 * np.pi * C)[1])
    # A row of weight w is w observations: the same mean, with constants of their spread around it.
    evidence += 0.5 * ((weights - 1) * np.log(4.0 / (2 * np.pi))).sum() - 0.5 * np.log(weights).sum()
    assert found.bound == pytest.approx(evidence, abs=1e-3)
    function = SumsPass.at(Projection.of(process_, X), Gaussian(4.0), found.mean, found.factor)
    mean = function.latent(block_of(X))[3]
    np.testing.assert_allclose(mean, process_.constant[0] + K @ np.linalg.solve(C, r), atol=1e-4)


def test_weights_are_repetitions(rows):
    X, y = rows[0][:80], rows[1][:80]
    counts = np.arange(80) % 3 + 1
    projection = Projection.of(process(), X[:10])
    weighted = infer(ArrayBlocks(X, y, counts), projection, Logit(), tol=1e-10)
    repeated = infer(
        ArrayBlocks(np.repeat(X, counts, axis=0), np.repeat(y, counts)), projection, Logit(), tol=1e-10
    )
    np.testing.assert_allclose(weighted.mean, repeated.mean, atol=1e-6)
    assert weighted.bound == pytest.approx(repeated.bound, abs=1e-7)


def test_single_precision_of_features_changes_little(rows):
    """Means solve an equation in double precision, so that they are far better than the features."""
    projection = Projection.of(process(), rows[0][:60])
    double, single = (
        infer(ArrayBlocks(*rows), projection, Logit(), tol=1e-9, dtype=dtype)
        for dtype in (np.float64, np.float32)
    )
    passes = [SumsPass.at(projection, Logit(), each.mean, each.factor) for each in (double, single)]
    moments = [function.latent(block_of(rows[0]))[3:] for function in passes]
    np.testing.assert_allclose(moments[0][0], moments[1][0], atol=1e-5)
    np.testing.assert_allclose(moments[0][1], moments[1][1], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("memory", [0.0, 40_000.0, 1e9])
def test_columns_that_are_kept_between_passes_change_nothing(rows, memory):
    """None, some or all of the columns of three hundred rows are kept, in blocks of any order."""
    projection, blocks = (
        Projection.of(process(), rows[0][:20]),
        list(ArrayBlocks(*rows, block_rows=90).blocks()),
    )
    design = Design(projection, np.float64, memory)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        moments = rng.normal(size=projection.n_weights), (1 + seed) * np.eye(projection.n_weights)
        for block in rng.permutation(len(blocks)):
            found = SumsPass.at(projection, Logit(), *moments, design=design)(blocks[block])
            right = SumsPass.at(projection, Logit(), *moments)(blocks[block])
            np.testing.assert_array_equal(found.precision, right.precision)
            np.testing.assert_array_equal(found.gradient, right.gradient)
    assert design.memory >= 0
    assert (design.memory < memory) == (memory > 0)
    assert len(pickle.dumps(design)) == len(pickle.dumps(Design(projection)))


def test_other_rows_of_the_same_first_number_are_not_confused(rows):
    design, block = Design(Projection.of(process(), rows[0][:9]), memory=1e9), block_of(rows[0])
    design.of(block)
    few = block.part(slice(0, 30, 2))
    np.testing.assert_array_equal(design.of(few)[1], Design(design.projection).of(few)[1])


def test_a_prior_from_other_rows_gives_the_posterior_of_all(rows):
    """Gaussian noise: exact. Rows in two parts, the first posterior being the prior of the second."""
    X, y, weights = rows
    projection = Projection.of(process(), X[:15])
    whole = infer(ArrayBlocks(X, y, weights), projection, Gaussian(2.0), tol=1e-10)
    first = infer(ArrayBlocks(X[:200], y[:200], weights[:200]), projection, Gaussian(2.0), tol=1e-10)
    second = ArrayBlocks(X[200:], y[200:], weights[200:])
    both = infer(second, projection, Gaussian(2.0), prior=first, tol=1e-10)
    np.testing.assert_allclose(both.mean, whole.mean, atol=1e-9)
    np.testing.assert_allclose(both.precision, whole.precision, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernel", [RBF(0.4), RBF(0.4) * Linear() + Matern52(0.2)])
@pytest.mark.parametrize("likelihood", [Logit(), Gaussian(3.0)])
def test_the_gradient_is_that_of_finite_differences(rows, kernel, likelihood, monkeypatch):
    monkeypatch.setattr(evidence_module, "_TOL", 1e-11)
    monkeypatch.setattr(evidence_module, "_MAX_PASSES", 60)
    known = Hyperparameters(process(kernel), likelihood, kernel, base=0.2, learns_constant=True, n_features=3)
    source = ArrayBlocks(*(part[:100] for part in rows))
    evidence = BoundEvidence(source, rows[0][:12], known)
    gradient = evidence(known.logs)[1]
    for k, direction in enumerate(np.eye(len(gradient))):
        above, below = (evidence(known.logs + step * direction)[0] for step in (1e-4, -1e-4))
        assert gradient[k] == pytest.approx((above - below) / 2e-4, abs=2e-3), k


def test_steps_never_lower_the_bound(rows):
    """From a start that is far too sure, by halved steps."""
    bounds = []
    projection = Projection.of(process(), rows[0][:30])
    start = Weights(np.full(projection.n_weights, 5.0), 100 * np.eye(projection.n_weights))
    found = infer(
        ArrayBlocks(*rows),
        projection,
        Logit(),
        start=start,
        tol=1e-8,
        report=lambda _, bound: bounds.append(bound),
    )
    assert found.converged
    assert (np.diff(bounds) > -1e-6).all()
    assert found.bound == pytest.approx(
        infer(ArrayBlocks(*rows), projection, Logit(), tol=1e-8).bound, abs=1e-6
    )


@pytest.mark.parametrize("n_vectors", [10, 40])
def test_greedy_vectors_take_the_largest_rise_of_the_explained_variance(rows, n_vectors):
    X, weights = rows[0][:60], rows[2][:60]
    chosen = choose_vectors(process(), X, weights, n_vectors)
    C = process().covariance(X, X)

    def explained(places):
        columns = C[:, places]
        return weights @ np.einsum("ij,ji->i", columns, np.linalg.pinv(C[np.ix_(places, places)]) @ columns.T)

    for k in (0, 3, n_vectors - 1):
        best = max(explained([*chosen[:k], j]) for j in range(60) if j not in chosen[:k])
        assert explained(chosen[: k + 1]) == pytest.approx(best, rel=1e-6)


def test_many_vectors_are_random_pivots_of_a_cholesky_factorisation(monkeypatch, rows):
    from pauca.fitting.streaming import vectors

    monkeypatch.setattr(vectors, "_RANDOM_FROM", 5)
    X = rows[0][:100]
    first, second = (choose_vectors(process(), X, np.ones(100), 30, seed) for seed in (0, 1))
    assert len(set(first)) == 30
    assert set(first) != set(second)
    # Repeated candidates leave no variance for their copies.
    assert len(choose_vectors(process(), np.repeat(X[:6], 5, axis=0), np.ones(30), 20)) == 6
    # In proportion to the weights: rows of no weight are never pivots.
    weights = np.where(np.arange(100) < 50, 1.0, 0.0)
    assert choose_vectors(process(), X, weights, 20).max() < 50


def test_held_rows_give_the_same_as_the_table(rows):
    source = ArrayBlocks(*rows)
    held = HeldBlocks(source.gathered(1.0, 0))
    projection = Projection.of(process(), rows[0][:10])
    assert infer(held, projection, Logit()).bound == pytest.approx(
        infer(source, projection, Logit()).bound, abs=1e-9
    )
