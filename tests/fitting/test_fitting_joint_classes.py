"""Many classes learned together: signs, symmetry, other models they must agree with, estimates of rows."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

from pauca import SparseGPClassifier
from pauca.basis import RBF, KernelBasis
from pauca.fitting import BIAS_PRECISION, Limits, Recipe, one_vs_rest
from pauca.fitting.classes import Binary, Joint
from pauca.fitting.fitters.kernel_expansion import ExpansionSearch, select_vectors
from pauca.inference import ep
from pauca.likelihoods import MultinomialProbit, Probit, Softmax

GAMMA, AMPLITUDE = 0.5, 6.0


def blobs(n_classes=3, n=60, spread=1.0, seed=0):
    """Overlapping classes around points of a circle."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    angles = 2 * np.pi * y / n_classes
    X = 2 * np.column_stack([np.cos(angles), np.sin(angles)]) + spread * rng.normal(size=(n, 2))
    return X, y


RECIPE = Recipe(Probit(), ep, joint=True)


def joint(y):
    return Joint(RECIPE, one_vs_rest(y, y.max() + 1), np.ones(len(y)))


def test_the_mode_of_all_vectors_is_that_of_the_gaussian_processes():
    X, y = blobs()
    basis, classes = KernelBasis(X, RBF(gamma=GAMMA)), joint(y)
    search = ExpansionSearch(basis, np.arange(60), classes, [AMPLITUDE] * 3, 0.0)
    models = search.models([np.arange(60)] * 3, classes.approximate)
    found = np.column_stack([model.Phi @ model.posterior.mean for model in models])
    # Columns of models are centred; the bias takes up what that leaves.
    plain = basis.plain(np.arange(60)) - basis.plain(np.arange(60)).mean(axis=0)
    likelihood, precision = Softmax.like_probit(3), basis.gram(np.arange(60)) / AMPLITUDE

    def cost(stacked):
        bias, a = stacked[:3], stacked[3:].reshape(60, 3)
        F = bias + plain @ a
        slopes = likelihood.derivatives(y, F)[0]
        value = likelihood.log_prob(y, F).sum() - 0.5 * np.sum(a * (precision @ a))
        gradient = np.append(
            slopes.sum(axis=0) - BIAS_PRECISION * bias, (plain.T @ slopes - precision @ a).ravel()
        )
        return -(value - 0.5 * BIAS_PRECISION * bias @ bias), -gradient

    best = minimize(
        cost, np.zeros(183), jac=True, method="L-BFGS-B", options={"maxiter": 5000, "maxfun": 9999}
    )
    expected = best.x[:3] + plain @ best.x[3:].reshape(60, 3)
    np.testing.assert_allclose(found, expected, atol=0.05)


def test_few_vectors_approximate_all_of_them():
    X, y = blobs(n=150)
    basis, classes = KernelBasis(X, RBF(gamma=GAMMA)), joint(y)
    fits = select_vectors(basis, np.arange(150), classes, [AMPLITUDE] * 3, Limits(0.1))
    search = ExpansionSearch(basis, np.arange(150), classes, [AMPLITUDE] * 3, 0.0)
    everything = search.models([np.arange(150)] * 3, classes.approximate)
    few = [fit.model for fit in fits]
    assert all(fit.converged for fit in fits)
    assert 0 < sum(len(model.active) for model in few) < 60

    def probabilities(models):
        moments = [model.posterior.latent(model.Phi) for model in models]
        return Softmax.like_probit(3).derivatives(y, np.column_stack([mean for mean, _ in moments]))[0]

    assert np.abs(probabilities(few) - probabilities(everything)).mean() < 0.06


def test_two_joint_classes_equal_one_latent_function():
    X, y = blobs(n_classes=2, n=100, spread=1.5)
    target = np.where(y == 1, 1.0, -1.0)
    basis, limits = KernelBasis(X, RBF(gamma=GAMMA)), Limits(0.01)
    both = Joint(RECIPE, [-target, target], np.ones(100))
    fits = select_vectors(basis, np.arange(100), both, [AMPLITUDE] * 2, limits)
    moments = [fit.model.posterior.latent(fit.model.Phi) for fit in fits]
    together = MultinomialProbit().predict(*(np.column_stack(part) for part in zip(*moments, strict=True)))
    alone = Binary(RECIPE, target, np.ones(100))
    (fit,) = select_vectors(basis, np.arange(100), alone, [AMPLITUDE], limits)
    expected = Probit().predict(*fit.model.posterior.latent(fit.model.Phi))
    np.testing.assert_allclose(together[:, 1], expected, atol=0.1)
    assert np.abs(together[:, 1] - expected).mean() < 0.03


@pytest.mark.parametrize("inference", ["laplace", "ep"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "linear"])
def test_weights_have_the_signs_of_their_labels(kernel, inference):
    X, y = blobs(n_classes=4, n=120)
    machine = SparseGPClassifier(kernel, inference=inference).fit(X, y)
    own = np.arange(4)[:, None] == y[machine.relevance_]
    assert (machine.dual_coef_[own] >= 0).all()
    assert (machine.dual_coef_[~own] <= 0).all()
    assert (np.abs(machine.dual_coef_).max(axis=0) > 0).all()


def test_names_of_classes_do_not_matter():
    X, y = blobs(n=90)
    names = np.array(["b", "c", "a"])
    plain, renamed = SparseGPClassifier().fit(X, y), SparseGPClassifier().fit(X, names[y])
    order = np.argsort(names)
    np.testing.assert_allclose(renamed.predict_proba(X), plain.predict_proba(X)[:, order], atol=1e-2)


def test_classes_in_a_row_need_each_other():
    """The middle class has no linear boundary with the rest, but a flat latent function beside the others."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = np.column_stack([4.0 * y, rng.normal(size=120)]) + 0.5 * rng.normal(size=(120, 2))
    machine = SparseGPClassifier("linear").fit(X, y)
    assert machine.score(X, y) > 0.98
    assert log_loss(y, machine.predict_proba(X)) < 0.2


def test_probabilities_of_rows_that_were_not_seen():
    for load, error, loss in ((load_iris, 0.06, 0.2), (load_wine, 0.06, 0.2)):
        X, y = load(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        half = np.random.default_rng(0).permutation(len(y)) < len(y) // 2
        machine = SparseGPClassifier().fit(X[half], y[half])
        assert np.mean(machine.predict(X[~half]) != y[~half]) < error
        assert log_loss(y[~half], machine.predict_proba(X[~half])) < loss


def test_one_path_and_one_evidence():
    X, y = blobs(n=90)
    machine = SparseGPClassifier(inference="ep", gamma=GAMMA).fit(X, y)
    path = machine.path_
    assert set(path["machine"]) == {0}
    assert path["log_evidence"][-1] == machine.log_evidence_
    assert path["n_terms"][-1] == np.count_nonzero(machine.dual_coef_)
    np.testing.assert_array_equal(np.diff(path["n_terms"]), (path["n_added"] - path["n_removed"])[1:])
    p = machine.predict_proba(X)
    assert np.mean(p.argmax(axis=1) != y) <= path["loo_error"][-1] < 0.3
    assert path["loo_log_density"][-1] < -log_loss(y, p)


def test_bounds_of_classes_against_the_rest():
    X, y = blobs(n=90)
    machine = SparseGPClassifier().fit(X, y)
    bounds = machine.generalization_bound()
    assert bounds.shape == (3,)
    assert (bounds > np.mean(machine.predict(X) != y)).all()
    assert (machine.generalization_bound(delta=0.5) < bounds).all()


def test_integer_weights_are_repeated_rows():
    X, y = blobs(n=60)
    weights = np.random.default_rng(0).integers(0, 3, 60)
    weighted = SparseGPClassifier(gamma=GAMMA).fit(X, y, weights)
    repeated = SparseGPClassifier(gamma=GAMMA).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


def test_rare_classes_count_as_much_when_balanced():
    X, y = blobs(n=300, spread=1.5)
    kept = (y != 0) | (np.arange(300) % 30 == 0)
    X, y = X[kept], y[kept]
    plain, balanced = SparseGPClassifier().fit(X, y), SparseGPClassifier(class_weight="balanced").fit(X, y)
    rare = y == 0
    assert balanced.predict_proba(X)[rare, 0].mean() > plain.predict_proba(X)[rare, 0].mean() + 0.05


def test_a_class_without_weight_is_possible_but_unlikely():
    X, y = blobs(n=90)
    machine = SparseGPClassifier(gamma=GAMMA).fit(X, y, sample_weight=(y != 2) * 1.0)
    assert machine.predict_proba(X).shape == (90, 3)
    assert (machine.predict_proba(X)[y != 2, 2] < 0.2).all()
