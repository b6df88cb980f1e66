"""Sparse Gaussian processes: few vectors beside the whole process, amplitudes, gradients, signs."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.metrics import log_loss
from sklearn.preprocessing import scale

from pauca import EPCVMClassifier, SparseGPClassifier
from pauca.basis import KernelBasis, as_kernel
from pauca.datasets import make_ripley, make_spiral, make_twonorm
from pauca.fitting import BIAS_PRECISION, FitProblem, Limits, Recipe, training_rows
from pauca.fitting.classes import Binary
from pauca.fitting.fitters import GaussianProcessFitter
from pauca.fitting.fitters.kernel_expansion import ExpansionEvidence, ExpansionSearch, select_vectors
from pauca.inference import ep, exact, laplace
from pauca.likelihoods import Gaussian, Logit, Probit
from pauca.machines.bases.generalization import correlated_divergence

GAMMA, AMPLITUDE = 1.5, 4.0
# Every vector with a positive weight stays.
KEEP_ALL = {"min_gain": 0.0}


def everything(seed=0, n=40):
    """Rows, labels in {-1, +1}, and the basis of all rows."""
    X, y = make_ripley(n, random_state=seed)
    return X, np.where(y == y.max(), 1.0, -1.0), KernelBasis(X, as_kernel("rbf", gamma=GAMMA))


def binary_search(basis, y, recipe):
    """Search of one latent function among all candidates, and its candidates."""
    search = ExpansionSearch(basis, np.arange(len(y)), Binary(recipe, y, np.ones(len(y))), [AMPLITUDE], 0.1)
    return search, search.parts[0]


def selected(basis, y, recipe, min_gain=0.1):
    """Fit of one latent function to few of all candidates."""
    classes, limits = Binary(recipe, y, np.ones(len(y))), Limits(min_gain)
    (fit,) = select_vectors(basis, np.arange(len(y)), classes, [AMPLITUDE], limits)
    return fit


def gaussian_process(X, y):
    """Gaussian process of scikit-learn with the bias in its covariance."""
    kernel = ConstantKernel(1 / BIAS_PRECISION) + ConstantKernel(AMPLITUDE) * RBF((2 * GAMMA) ** -0.5)
    return GaussianProcessClassifier(kernel, optimizer=None).fit(X, y)


@pytest.mark.parametrize("seed", range(3))
def test_all_vectors_together_are_the_gaussian_process(seed):
    X, y, basis = everything(seed)
    fit = selected(basis, y, Recipe(Logit(), laplace), **KEEP_ALL)
    process = gaussian_process(X, y)
    expected = process.predict_proba(X)[:, 1]
    found = fit.model.likelihood.predict(*fit.model.posterior.latent(fit.model.Phi))
    np.testing.assert_allclose(found, expected, atol=1e-2)
    np.testing.assert_allclose(fit.model.log_evidence, process.log_marginal_likelihood_value_, atol=0.05)


def test_the_weights_of_the_process_have_the_signs_of_their_labels():
    X, y, basis = everything()
    model = selected(basis, y, Recipe(Logit(), laplace), **KEEP_ALL).model
    f = model.Phi @ model.posterior.mean
    _, _, scales = basis.columns(model.active)
    plain = y[model.active] * model.posterior.mean[1:] / scales
    fitted = KernelBasis(X, as_kernel("rbf", gamma=GAMMA)).plain(model.active) @ plain
    everyone = (
        AMPLITUDE * KernelBasis(X, as_kernel("rbf", gamma=GAMMA)).plain(np.arange(40)) @ (y * expit(-y * f))
    )
    np.testing.assert_allclose(fitted - fitted.mean(), everyone - everyone.mean(), atol=2e-2)


@pytest.mark.parametrize("recipe", [Recipe(Logit(), laplace), Recipe(Probit(), ep)], ids=["laplace", "ep"])
def test_few_vectors_approximate_the_process(recipe):
    X, y, basis = everything(n=200)
    few = selected(basis, y, recipe).model
    assert 0 < len(few.active) < 30
    assert (few.posterior.mean[1:] > 0).all()
    probabilities = few.likelihood.predict(*few.posterior.latent(few.Phi))
    if recipe.engine is laplace:
        np.testing.assert_allclose(probabilities, gaussian_process(X, y).predict_proba(X)[:, 1], atol=0.06)
    else:
        assert np.mean((probabilities > 0.5) == (y > 0)) > 0.85


def test_gains_are_small_outside_the_model_and_large_inside():
    _, y, basis = everything(n=150)
    search, part = binary_search(basis, y, Recipe(Logit(), laplace))
    model = selected(basis, y, Recipe(Logit(), laplace)).model

    def joint(places):
        (model,) = search.models([places], search.classes.final)
        R, w = part.precision[np.ix_(places, places)], model.posterior.mean[1:]
        f = model.Phi @ model.posterior.mean
        return (
            Logit().log_prob(y, f).sum()
            - 0.5 * w @ R @ w
            - 0.5 * BIAS_PRECISION * model.posterior.mean[0] ** 2
        )

    inside = joint(model.active)
    for vector in model.active:
        assert inside - joint(model.active[model.active != vector]) > 0.05
    gains = [
        joint(np.append(model.active, other)) - inside for other in np.setdiff1d(np.arange(150), model.active)
    ]
    assert np.median(gains) < 0.1


def test_rounds_of_many_vectors_find_what_single_steps_find(monkeypatch):
    _, y, basis = everything(n=120)
    recipe = Recipe(Logit(), laplace)
    many = selected(basis, y, recipe).model
    monkeypatch.setattr("pauca.selection.kernel_expansion.MAX_ENTERING", 1)
    single = selected(basis, y, recipe).model
    probabilities = [model.likelihood.predict(*model.posterior.latent(model.Phi)) for model in (many, single)]
    np.testing.assert_allclose(*probabilities, atol=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_the_amplitude_is_that_of_the_largest_evidence(seed):
    X, y, _ = everything(seed, n=80)
    problem = FitProblem(
        training_rows(X, y, np.ones(80), merge=False),
        [y],
        lambda gamma, scales=None: KernelBasis(X, as_kernel("rbf", gamma=gamma)),
        Recipe(Logit(), laplace, signed=True),
        Limits(),
    )
    found = GaussianProcessFitter(problem).fit(GAMMA)
    saturation = Logit().saturation ** 2

    def score(amplitude):
        kernel = ConstantKernel(1 / BIAS_PRECISION) + ConstantKernel(amplitude) * RBF((2 * GAMMA) ** -0.5)
        process = GaussianProcessClassifier(kernel, optimizer=None).fit(X, y)
        return process.log_marginal_likelihood_value_ - np.log1p(amplitude / saturation)

    best = found.amplitudes.values[0]
    np.testing.assert_allclose(found.score, score(best), atol=0.02)
    assert score(best) > max(score(best / 1.7), score(best * 1.7))


@pytest.mark.parametrize(
    ("likelihood", "engine"), [(Gaussian(20.0), exact), (Probit(), lambda *a: ep(*a, tol=1e-8))]
)
def test_gradient_of_the_evidence_in_the_scales(likelihood, engine):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=30)
    y = y if isinstance(likelihood, Gaussian) else np.sign(y)
    basis, active = KernelBasis(X, as_kernel("rbf", gamma=0.3)), np.array([2, 7, 11, 20])
    search, _ = binary_search(basis, y, Recipe(likelihood, engine))
    (model,) = search.models([active], search.classes.final)
    evidence = ExpansionEvidence(basis.signed(np.sign(y)), active, AMPLITUDE, search.classes.final)
    np.testing.assert_allclose(evidence(np.ones(3))[0], model.log_evidence, rtol=1e-4)
    logs = rng.normal(scale=0.4, size=3)
    numeric = approx_fprime(logs, lambda x: evidence(np.exp(x / 2))[0], 1e-5)
    np.testing.assert_allclose(evidence(np.exp(logs / 2))[1], numeric, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("inference", ["laplace", "ep"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "linear", "cosine"])
@pytest.mark.parametrize("make", [make_ripley, make_spiral])
def test_weights_have_the_signs_of_their_labels(make, kernel, inference):
    X, y = make(150, random_state=1)
    machine = SparseGPClassifier(kernel, inference=inference).fit(X, y)
    labels = np.where(y[machine.relevance_] == machine.classes_[1], 1, -1)
    assert (machine.dual_coef_[0] * labels > 0).all()
    assert np.isfinite(machine.generalization_bound()).all()


def test_few_noisy_rows_are_predicted_better_than_with_precisions_of_their_own():
    X, y = load_breast_cancer(return_X_y=True)
    losses = {}
    for kind in (SparseGPClassifier, EPCVMClassifier):
        losses[kind] = []
        for seed in range(6):
            order = np.random.default_rng(seed).permutation(len(y))
            train, test = order[:80], order[80:]
            machine = kind().fit(scale(X)[train], y[train])
            losses[kind].append(log_loss(y[test], machine.predict_proba(scale(X)[test])))
    assert np.mean(losses[SparseGPClassifier]) < np.mean(losses[EPCVMClassifier])


def test_the_unit_of_the_kernel_does_not_matter():
    X, y = make_ripley(100, random_state=0)
    here, there = (
        SparseGPClassifier(lambda A, B, unit=unit: unit * (1 + A @ B.T) ** 2).fit(X, y).predict_proba(X)
        for unit in (1.0, 1e4)
    )
    np.testing.assert_allclose(here, there, atol=1e-4)


def test_classes_that_separate_leave_some_doubt():
    X = np.r_[
        np.random.default_rng(0).normal(size=(20, 2)) - 4, np.random.default_rng(1).normal(size=(20, 2)) + 4
    ]
    y = np.repeat([0, 1], 20)
    p = SparseGPClassifier().fit(X, y).predict_proba(X)
    assert 0.8 < p[np.arange(40), y].min() < p.max() < 1


def test_many_classes_are_signed_too():
    X, y = load_iris(return_X_y=True)
    machine = SparseGPClassifier(feature_scales=None).fit(X, y)
    assert machine.score(X, y) > 0.95
    own = np.arange(3)[:, None] == y[machine.relevance_]
    assert (machine.dual_coef_[own] >= 0).all()
    assert (machine.dual_coef_[~own] <= 0).all()


def test_a_kernel_that_is_no_covariance_does_no_harm():
    X, y = make_ripley(100, random_state=0)
    machine = SparseGPClassifier(lambda A, B: np.tanh(A @ B.T - 1)).fit(X, y)
    assert np.isfinite(machine.predict_proba(X)).all()


def test_large_tables_are_searched_in_part(monkeypatch):
    monkeypatch.setattr("pauca.fitting.kernel_choice.SEARCH_ROWS", 100)
    X, y = make_twonorm(400, random_state=0)
    machine = SparseGPClassifier(max_candidates=150).fit(X, y)
    assert machine.score(*make_twonorm(1000, random_state=1)) > 0.95


def test_larger_min_gain_gives_fewer_vectors():
    X, y = make_ripley(250, random_state=0)
    sizes = [
        len(SparseGPClassifier(gamma=1.0, min_gain=gain).fit(X, y).relevance_) for gain in (0.01, 0.1, 2.0)
    ]
    assert sizes[0] > sizes[1] > sizes[2] > 0


def test_rounds_are_limited():
    X, y = make_spiral(200, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        machine = SparseGPClassifier(gamma=10.0, max_iter=3).fit(X, y)
    assert not machine.converged_
    assert machine.n_iter_ <= 4


def test_the_path_ends_with_the_machine():
    X, y = make_ripley(200, random_state=0)
    for inference in ("laplace", "ep"):
        machine = SparseGPClassifier(gamma=1.0, inference=inference).fit(X, y)
        assert machine.path_["n_terms"][-1] == len(machine.relevance_)
        growth = machine.path_["n_added"] - machine.path_["n_removed"]
        np.testing.assert_array_equal(np.diff(machine.path_["n_terms"]), growth[1:])
        assert machine.path_["log_evidence"][-1] == machine.log_evidence_
    assert "loo_error" in machine.path_.dtype.names


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"gamma": "loo"}, "gamma must be a positive number or one of 'evidence', 'scale'"),
        ({"inference": "hmc"}, "inference must be one of 'laplace', 'ep'"),
    ],
)
def test_options_of_other_classifiers_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        SparseGPClassifier(**arguments).fit([[0.0], [1.0]], [0, 1])


def test_divergence_of_correlated_gaussians():
    rng = np.random.default_rng(0)
    mean, A, P = rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    precision, prior = A @ A.T + np.eye(3), P @ P.T + 0.5 * np.eye(3)
    q = multivariate_normal(mean, np.linalg.inv(precision))
    p = multivariate_normal(np.zeros(3), np.linalg.inv(prior))
    draws = q.rvs(size=400_000, random_state=1)
    sampled = np.mean(q.logpdf(draws) - p.logpdf(draws))
    found = correlated_divergence(mean, np.linalg.cholesky(precision), prior)
    np.testing.assert_allclose(found, sampled, rtol=0.02)
    np.testing.assert_allclose(
        correlated_divergence(np.zeros(3), np.linalg.cholesky(prior), prior), 0, atol=1e-10
    )
