"""Sparse Gaussian process classification: dense processes, far from the data, copies, weights, kernels."""

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler, scale

from pauca import SparseGPClassifier
from pauca.basis import RBF
from pauca.datasets import make_ripley, make_spiral, make_twonorm
from pauca.fitting.processes import ProcessPosterior
from pauca.inference import DensePrior, latent_ep
from pauca.likelihoods import MultinomialProbit, Probit

ALL = {"max_vectors": 10_000, "min_gain": 0.0, "max_candidates": None}
MANY_ROWS = pytest.mark.parametrize("n_classes", [2, 3, 4])


def blobs(n_classes=3, n=60, spread=1.0, seed=0):
    """Overlapping classes around points of a circle."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    angles = 2 * np.pi * y / n_classes
    X = 2 * np.column_stack([np.cos(angles), np.sin(angles)]) + spread * rng.normal(size=(n, 2))
    return X, y


def prior_covariance(process, X, Z):
    return process.covariance(X, Z) + process.features(X) @ process.features(Z).T


@pytest.mark.parametrize("kernel", ["rbf", "matern32", "laplacian"])
def test_all_vectors_give_the_dense_process(kernel):
    X, y = make_ripley(60, random_state=0)
    machine = SparseGPClassifier(kernel, **ALL).fit(X, y)
    process, new = machine._posteriors[0].process, make_ripley(30, random_state=1)[0]
    rows, placed = (machine._standardised(part) for part in (X, new))
    offset, signs = process.constant[0], np.where(y == machine.classes_[1], 1.0, -1.0)
    C = prior_covariance(process, rows, rows) + 1e-9 * process.amplitude * np.eye(60)
    fit = latent_ep(Probit(), DensePrior(C), offset, signs, np.ones(60))
    cross = prior_covariance(process, placed, rows)
    mean = offset + cross @ fit.coef
    prior = np.diag(prior_covariance(process, placed, placed))
    var = prior - np.einsum("ij,jk,ik->i", cross, fit.posterior.precision, cross)
    expected = ndtr(mean / np.sqrt(1 + var))
    np.testing.assert_allclose(machine.predict_proba(new)[:, 1], expected, atol=2e-3)


def test_three_classes_by_importance_sampling():
    X, y = blobs(n=9)
    machine = SparseGPClassifier("rbf", 0.2, **ALL).fit(X, y)
    posteriors, rows = machine._posteriors, machine._standardised(X)
    new = rows[:3] + 0.3
    both = np.vstack([rows, new])
    process, rng = posteriors[0].process, np.random.default_rng(0)
    factor = np.linalg.cholesky(prior_covariance(process, both, both) + 1e-8 * np.eye(12))
    means = np.array([posterior.process.constant[0] for posterior in posteriors])
    draws = means + np.einsum("ij,sjk->sik", factor, rng.normal(size=(60_000, 12, 3)))
    labels, likelihood = np.tile(y, 60_000), MultinomialProbit()
    log_p = likelihood.log_prob(labels, draws[:, :9].reshape(-1, 3)).reshape(60_000, 9).sum(axis=1)
    share = np.exp(log_p - log_p.max())
    share /= share.sum()
    flat = draws[:, 9:].reshape(-1, 3)
    probabilities = likelihood.predict(flat, np.zeros(flat.shape)).reshape(60_000, 3, 3)
    expected = np.einsum("s,sik->ik", share, probabilities)
    np.testing.assert_allclose(
        machine.predict_proba(X[:3] + 0.3 * machine._standards[1]), expected, atol=0.08
    )


def test_two_classes_and_three_of_which_one_is_empty_agree():
    X, y = blobs(n_classes=2, n=100, spread=1.5)
    weights = np.append(np.ones(100), 0.0)
    two = SparseGPClassifier("rbf", 0.3).fit(X, y)
    three = SparseGPClassifier("rbf", 0.3).fit(np.vstack([X, X[:1]]), np.append(y, 2), weights)
    p = three.predict_proba(X)
    assert p[:, 2].mean() < 0.02
    assert np.abs(p[:, 1] / p[:, :2].sum(axis=1) - two.predict_proba(X)[:, 1]).mean() < 0.05


@MANY_ROWS
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_far_from_the_data_probabilities_are_the_base_rates(n_classes, share):
    X, y = blobs(n_classes, 200, 1.5)
    kept = (y != 0) | (np.random.default_rng(0).uniform(size=200) < share)
    X, y = X[kept], y[kept]
    far = SparseGPClassifier().fit(X, y).predict_proba([[1e3, 0.0], [-40.0, 1e4]])
    np.testing.assert_allclose(far, np.tile(np.bincount(y) / len(y), (2, 1)), atol=0.01)


@pytest.mark.parametrize("kernel", ["auto", "matern52"])
def test_a_class_that_surrounds_the_other_does_not_own_what_is_far(kernel):
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3 > 0
    X = np.where(y, 0.4, 2.0)[:, None] * rng.normal(size=(240, 4))
    machine = SparseGPClassifier(kernel).fit(X, y)
    assert machine.score(X, y) > 0.85
    far = machine.predict_proba(1e3 * rng.normal(size=(20, 4)))[:, 1]
    np.testing.assert_allclose(far, 2 / 3, atol=0.01)


@pytest.mark.parametrize("copies", [2, 10])
@pytest.mark.parametrize("noise", [0.0, 1e-6])
def test_copies_say_nothing_new(copies, noise):
    excess = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
        rows = np.repeat(X, copies, axis=0) + noise * rng.normal(size=(60 * copies, 2))
        machine = SparseGPClassifier().fit(rows, np.repeat(y, copies))
        p = machine.predict_proba(rng.normal(size=(500, 2)))
        excess.append(-0.5 * np.log(p).sum(axis=1).mean() - np.log(2))
    assert np.mean(excess) < (0.03 if copies == 2 else 0.04)


def test_few_noisy_rows_are_predicted_well():
    X, y = load_breast_cancer(return_X_y=True)
    losses = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[:80], order[80:]
        machine = SparseGPClassifier().fit(scale(X)[train], y[train])
        losses.append(log_loss(y[test], machine.predict_proba(scale(X)[test])))
    assert np.mean(losses) < 0.17


def test_probabilities_of_rows_that_were_not_seen():
    for load, error, loss in ((load_iris, 0.07, 0.2), (load_wine, 0.06, 0.2)):
        X, y = load(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        half = np.random.default_rng(0).permutation(len(y)) < len(y) // 2
        machine = SparseGPClassifier().fit(X[half], y[half])
        assert np.mean(machine.predict(X[~half]) != y[~half]) < error
        assert log_loss(y[~half], machine.predict_proba(X[~half])) < loss


def test_classes_that_separate_leave_some_doubt():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(20, 2)) - 4, rng.normal(size=(20, 2)) + 4]
    y = np.repeat([0, 1], 20)
    p = SparseGPClassifier().fit(X, y).predict_proba(X)
    assert 0.8 < p[np.arange(40), y].min() < p.max() < 1


@MANY_ROWS
def test_integer_weights_are_repeated_rows(n_classes):
    X, y = blobs(n_classes, n=60)
    weights = np.random.default_rng(0).integers(0, 3, 60)
    weighted = SparseGPClassifier(gamma=0.5).fit(X, y, weights)
    repeated = SparseGPClassifier(gamma=0.5).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-3)


def test_names_of_classes_do_not_matter():
    X, y = blobs(n=90)
    names = np.array(["b", "c", "a"])
    plain, renamed = SparseGPClassifier().fit(X, y), SparseGPClassifier().fit(X, names[y])
    order = np.argsort(names)
    np.testing.assert_allclose(renamed.predict_proba(X), plain.predict_proba(X)[:, order], atol=2e-2)


def test_rare_classes_count_as_much_when_balanced():
    X, y = blobs(n=300, spread=1.5)
    kept = (y != 0) | (np.arange(300) % 30 == 0)
    X, y = X[kept], y[kept]
    plain, balanced = SparseGPClassifier().fit(X, y), SparseGPClassifier(class_weight="balanced").fit(X, y)
    rare = y == 0
    assert balanced.predict_proba(X)[rare, 0].mean() > plain.predict_proba(X)[rare, 0].mean() + 0.05


def test_classes_in_a_row_need_each_other():
    """The middle class has no linear boundary with the rest, but a flat latent function beside the others."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = np.column_stack([4.0 * y, rng.normal(size=120)]) + 0.5 * rng.normal(size=(120, 2))
    machine = SparseGPClassifier("linear").fit(X, y)
    assert machine.score(X, y) > 0.98
    assert log_loss(y, machine.predict_proba(X)) < 0.2


@pytest.mark.parametrize("inference", ["laplace", "ep"])
@pytest.mark.parametrize(
    "kernel", ["laplacian", "poly", "linear", "cosine", "rational_quadratic", RBF() + RBF(9.0)]
)
@pytest.mark.parametrize("make", [make_ripley, make_spiral])
def test_other_kernels(make, kernel, inference):
    X, y = make(150, random_state=1)
    machine = SparseGPClassifier(kernel, inference=inference).fit(X, y)
    p = machine.predict_proba(X)
    assert np.isfinite(p).all()
    assert log_loss(y, p) < 0.7
    assert machine.dual_coef_.shape == (1, len(machine.relevance_))
    if kernel != "linear":
        assert not hasattr(machine, "coef_")


def test_weights_of_features_of_a_linear_kernel():
    X, y = blobs(2, 80)
    machine = SparseGPClassifier("linear").fit(X, y)
    f = machine.intercept_ + X @ machine.coef_.T
    # The envelope of the constant is nearly one inside the data.
    np.testing.assert_allclose(f, machine._latent(X)[0], atol=0.1 * np.abs(f).max())


@MANY_ROWS
def test_a_kernel_matrix_is_its_kernel(n_classes):
    X, y = blobs(n_classes, 90)
    K = RBF(0.4)(X, X)
    by_matrix = SparseGPClassifier("precomputed").fit(K, y)
    by_kernel = SparseGPClassifier(RBF(), 0.4).fit(X, y)
    np.testing.assert_allclose(by_matrix.predict_proba(K), by_kernel.predict_proba(X), atol=0.02)
    new = X[:5] + 0.1
    p = by_matrix.predict_proba(RBF(0.4)(new, X))
    np.testing.assert_allclose(p, by_kernel.predict_proba(new), atol=0.02)


def test_the_unit_of_the_kernel_does_not_matter():
    X, y = make_ripley(100, random_state=0)
    here, there = (
        SparseGPClassifier(lambda A, B, unit=unit: unit * (1 + A @ B.T) ** 2).fit(X, y).predict_proba(X)
        for unit in (1.0, 1e4)
    )
    np.testing.assert_allclose(here, there, atol=5e-3)


def test_a_kernel_that_is_no_covariance_does_no_harm():
    X, y = make_ripley(100, random_state=0)
    machine = SparseGPClassifier(lambda A, B: np.tanh(A @ B.T - 1)).fit(X, y)
    assert np.isfinite(machine.predict_proba(X)).all()


def test_larger_min_gain_gives_fewer_vectors():
    X, y = make_ripley(250, random_state=0)
    sizes = [
        len(SparseGPClassifier(gamma=1.0, min_gain=gain).fit(X, y).relevance_) for gain in (0.01, 0.1, 2.0)
    ]
    assert sizes[0] > sizes[1] > sizes[2] > 0


@pytest.mark.parametrize(("most", "n_vectors"), [(5, 5), (0.1, 20)])
def test_the_number_of_vectors_is_limited(most, n_vectors):
    X, y = make_spiral(200, random_state=0)
    machine = SparseGPClassifier(gamma=10.0, max_vectors=most).fit(X, y)
    assert len(machine.relevance_) == n_vectors
    assert not machine.converged_


def test_many_rows_are_refined_with_vectors():
    X, y = make_twonorm(700, random_state=0)
    machine = SparseGPClassifier(max_candidates=150).fit(X, y)
    new, labels = make_twonorm(1000, random_state=1)
    assert machine.score(new, labels) > 0.96
    assert log_loss(labels, machine.predict_proba(new)) < 0.09


def test_the_same_seed_gives_the_same_machine():
    X, y = make_twonorm(400, random_state=0)
    first, second = (SparseGPClassifier(max_candidates=100, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.relevance_, second.relevance_)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_posteriors_share_vectors_and_root():
    X, y = blobs()
    posteriors = SparseGPClassifier().fit(X, y)._posteriors
    assert all(isinstance(posterior, ProcessPosterior) for posterior in posteriors)
    assert all(posterior.root is posteriors[0].root for posterior in posteriors)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kernel": "sinc"}, "kernel must be one of 'auto'"),
        ({"gamma": "loo"}, "gamma must be a positive number or one of 'evidence', 'scale'"),
        ({"inference": "hmc"}, "inference must be one of 'laplace', 'ep'"),
        ({"max_vectors": 0}, "max_vectors"),
        ({"max_vectors": 1.5}, "max_vectors"),
        ({"min_gain": -1}, "min_gain"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        SparseGPClassifier(**arguments).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_trend_is_a_linear_kernel_that_ends_far_away(n_classes):
    X, y = blobs(n_classes, n=90, spread=1.5)
    options = {"gamma": 0.2, "min_gain": 0.0, "max_candidates": None}
    machine = SparseGPClassifier("rbf", trend=True, **options).fit(X, y)
    process = machine._posteriors[0].process
    assert process.trend > 0
    assert machine.trials_["trend"].all()
    far = machine.predict_proba(1e3 * X[:3])
    np.testing.assert_allclose(far, np.tile(np.bincount(y) / len(y), (3, 1)), atol=0.02)
    chosen = SparseGPClassifier("rbf", trend="evidence").fit(X, y)
    assert set(chosen.trials_["trend"]) == {False, True}


def test_a_trend_needs_features():
    with pytest.raises(ValueError, match="trend needs features"):
        SparseGPClassifier("precomputed", trend=True).fit(np.eye(6), [0, 1] * 3)
    with pytest.raises(ValueError, match="trend"):
        SparseGPClassifier(trend="always").fit(np.eye(6), [0, 1] * 3)
