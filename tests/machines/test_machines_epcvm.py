"""Classifiers whose weights have the signs of the labels."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel

from pauca import EPCVMClassifier
from pauca.datasets import make_ripley, make_spiral
from pauca.inference import laplace
from pauca.likelihoods import Logit
from pauca.machines.bases.generalization import (
    error_bound,
    gaussian_divergence,
    margin_loss,
    truncated_divergence,
)
from pauca.priors import ARD, SoftTruncated

MACHINES = pytest.mark.parametrize("kind", [EPCVMClassifier])
SEEDS = pytest.mark.parametrize("seed", range(4))


def small_problem(seed, n=40, m=5):
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(n), rng.normal(size=(n, m))])
    y = np.where(Phi @ rng.normal(size=m + 1) + rng.logistic(size=n) > 0, 1.0, -1.0)
    return Phi, y, 10 ** rng.uniform(-1, 1, size=m + 1)


@SEEDS
def test_mode_by_an_independent_optimiser(seed):
    Phi, y, precision = small_problem(seed)
    likelihood, prior = Logit(np.sqrt(8 / np.pi)), SoftTruncated(precision)
    found = minimize(
        lambda w: -likelihood.log_prob(y, Phi @ w).sum() - prior.log_density(w), np.zeros(6), tol=1e-10
    )
    posterior = laplace(likelihood, prior, Phi, y, np.ones(len(y)))
    np.testing.assert_allclose(posterior.mean, found.x, atol=2e-3)


@pytest.mark.parametrize("steepness", [0.5, 3.0, 30.0])
@pytest.mark.parametrize("precision", [0.1, 1.0, 50.0])
def test_the_soft_prior_is_a_density(steepness, precision):
    prior = SoftTruncated(np.array([1.0, precision]), steepness)
    reach = 12 / np.sqrt(precision)
    mass = quad(lambda w: np.exp(prior.log_density(np.array([0.0, w]))), -reach, reach, limit=200)[0]
    np.testing.assert_allclose(mass, norm.pdf(0), rtol=1e-6)


def test_a_steep_prior_is_the_half_normal():
    w = np.array([0.3, 0.5, 2.0])
    steep, plain = SoftTruncated(np.ones(3), 1e3), ARD(np.ones(3))
    np.testing.assert_allclose(steep.log_density(w), plain.log_density(w) + 2 * np.log(2))
    assert steep.log_density(np.array([0.3, -0.5, 2.0])) < -400


@MACHINES
@pytest.mark.parametrize("gamma", ["evidence", 0.3, 3.0, 30.0])
@pytest.mark.parametrize("make", [make_ripley, make_spiral])
def test_weights_have_the_signs_of_their_labels(kind, make, gamma):
    X, y = make(150, random_state=1)
    machine = kind(gamma=gamma).fit(X, y)
    labels = np.where(y[machine.relevance_] == machine.classes_[1], 1, -1)
    assert len(labels) > 0
    assert (machine.dual_coef_[0] * labels > 0).all()


@MACHINES
def test_signs_with_many_classes(kind):
    X, y = load_iris(return_X_y=True)
    machine = kind(gamma=0.3).fit(X, y)
    own = np.arange(3)[:, None] == y[machine.relevance_]
    coef = machine.dual_coef_
    assert (coef[own] >= 0).all()
    assert (coef[~own] <= 0).all()
    assert (coef != 0).any(axis=1).all()
    np.testing.assert_allclose(machine.predict_proba(X).sum(axis=1), 1)
    assert machine.score(X, y) > 0.95


@MACHINES
def test_a_row_with_both_labels_may_have_a_weight_of_either_sign(kind):
    X = np.repeat([[0.0], [1.0], [2.0]], 10, axis=0)
    y = np.repeat([0, 1, 0, 1, 0, 1], [9, 1, 5, 5, 2, 8])
    machine = kind(gamma=1.0).fit(X, y)
    labels = 2 * y[machine.relevance_] - 1
    assert (machine.dual_coef_[0] * labels > 0).all()
    p = machine.predict_proba([[0.0], [1.0], [2.0]])[:, 1]
    assert p[0] < p[1] < p[2]


@MACHINES
def test_swapped_labels_swap_probabilities(kind):
    X, y = make_ripley(120, random_state=3)
    here, there = (kind().fit(X, labels).predict_proba(X) for labels in (y, -y))
    np.testing.assert_allclose(there, here[:, ::-1], atol=1e-6)


@MACHINES
def test_a_precomputed_kernel_gives_the_same_machine(kind):
    X, y = make_ripley(100, random_state=0)
    order = np.argsort(np.linalg.norm(X - X.mean(axis=0), axis=1))
    X, y = X[order], y[order]  # the order in which the machine takes rows, so that both begin alike
    by_name = kind(gamma=2.0).fit(X, y)
    K = rbf_kernel(X, gamma=2.0)
    given = kind(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(given.predict_proba(K), by_name.predict_proba(X), atol=1e-6)
    weights = np.where(np.arange(100) < 30, 0.0, 1.0)
    assert (kind(kernel="precomputed").fit(K, y, weights).relevance_ >= 30).all()


@MACHINES
def test_integer_weights_are_repeated_rows(kind):
    X, y = make_ripley(60, random_state=5)
    weights = np.random.default_rng(0).integers(0, 4, size=60)
    rows = np.repeat(np.arange(60), weights)
    weighted = kind(gamma=2.0).fit(X, y, weights).predict_proba(X)
    np.testing.assert_allclose(weighted, kind(gamma=2.0).fit(X[rows], y[rows]).predict_proba(X))


@pytest.mark.parametrize("mean", [-0.7, 0.0, 0.4, 2.5])
@pytest.mark.parametrize(("precision", "prior"), [(3.0, 0.5), (0.4, 0.5), (20.0, 2.0)])
def test_divergence_of_truncated_gaussians(mean, precision, prior):
    mass = norm.cdf(mean * np.sqrt(precision))

    def integrand(w):
        log_q = norm.logpdf(w, mean, precision**-0.5) - np.log(mass)
        return np.exp(log_q) * (log_q - np.log(2) - norm.logpdf(w, 0, prior**-0.5))

    direct = quad(integrand, 0, max(mean, 0) + 10 / np.sqrt(precision), limit=200)[0]
    np.testing.assert_allclose(truncated_divergence(mean, precision, prior), direct, atol=1e-8)
    both = truncated_divergence(40.0, precision, prior) - gaussian_divergence(40.0, precision, prior)
    np.testing.assert_allclose(both, -np.log(2), atol=1e-8)


def test_error_bound_falls_with_rows_and_delta_and_rises_with_divergence():
    assert error_bound(0.1, 5.0, 1000, 0.05) > error_bound(0.1, 5.0, 4000, 0.05) > 0.1
    assert error_bound(0.1, 5.0, 1000, 0.01) > error_bound(0.1, 5.0, 1000, 0.05)
    assert error_bound(0.1, 50.0, 1000, 0.05) > error_bound(0.1, 5.0, 1000, 0.05)
    margins, weights = np.array([-1.0, 0.0, 0.25, 1.0]), np.array([1.0, 1.0, 2.0, 4.0])
    np.testing.assert_allclose(margin_loss(margins, weights), 3.5 / 8)


@MACHINES
def test_generalization_bound_of_a_machine(kind):
    X, y = make_ripley(1500, random_state=0)
    machine = kind(gamma=1.0).fit(X, y)
    bound = machine.generalization_bound()
    assert bound.shape == (1,)
    assert np.mean(machine.predict(X) != y) < bound[0] < 10
    assert machine.generalization_bound(delta=0.001)[0] > bound[0]
    for delta in (0, 1, -0.1, "low"):
        with pytest.raises(ValueError, match="delta"):
            machine.generalization_bound(delta)


@MACHINES
def test_the_same_seed_gives_the_same_machine(kind):
    X, y = make_ripley(200, random_state=7)
    first, second = (kind(max_candidates=50, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.dual_coef_, second.dual_coef_)
    np.testing.assert_array_equal(first.relevance_, second.relevance_)
