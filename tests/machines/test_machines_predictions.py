"""Predictions against the stored posterior: Monte Carlo, dual and primal coefficients, many classes."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.metrics.pairwise import (
    cosine_similarity,
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
)

from pauca import RVMClassifier, RVMRegressor
from pauca.datasets import make_ripley, make_sinc, make_waveform

KERNELS = {
    "rbf": lambda a, b, gamma: rbf_kernel(a, b, gamma=gamma),
    "laplacian": lambda a, b, gamma: laplacian_kernel(a, b, gamma=gamma),
    "poly": lambda a, b, gamma: polynomial_kernel(a, b, gamma=gamma, degree=3, coef0=1.0),
    "linear": lambda a, b, gamma: linear_kernel(a, b),
    "cosine": lambda a, b, gamma: cosine_similarity(a, b),
}
every_kernel = pytest.mark.parametrize("kernel", KERNELS)
every_machine = pytest.mark.parametrize("Machine", [RVMClassifier, RVMRegressor])


def fitted(Machine, kernel="rbf", seed=0, gamma=0.6, **arguments):
    X, y = make_ripley(100, random_state=seed)
    y = (
        y
        if Machine is RVMClassifier
        else X[:, 0] ** 2 + X[:, 1] + 0.1 * np.random.default_rng(seed).normal(size=100)
    )
    # The machine itself, without the linear model beside it.
    return Machine(kernel, gamma, fallback=False, **arguments).fit(X, y), X, y


def sampled_latent(machine, new, rng, size=40_000):
    """Draws of f for new rows from the stored posterior of the weights."""
    expansion = machine.expansions_[0]
    K = KERNELS[machine.kernel](new, machine.relevance_vectors_, machine.gamma_)
    Phi = np.column_stack([np.ones(len(new)), (K[:, expansion.columns] - expansion.shift) / expansion.scale])
    covariance = np.linalg.inv(expansion.factor @ expansion.factor.T)
    draws = rng.multivariate_normal(expansion.mean, covariance, size=size, method="cholesky")
    return draws @ Phi.T


@every_kernel
@pytest.mark.parametrize("seed", range(2))
def test_probabilities_against_monte_carlo(kernel, seed):
    machine, X, _ = fitted(RVMClassifier, kernel, seed)
    rng = np.random.default_rng(seed)
    new = rng.uniform(X.min(axis=0) - 0.5, X.max(axis=0) + 0.5, size=(8, 2))
    chances = expit(sampled_latent(machine, new, rng))
    error = 5 * chances.std(axis=0) / np.sqrt(len(chances)) + 2e-5
    assert (np.abs(machine.predict_proba(new)[:, 1] - chances.mean(axis=0)) < error).all()


@every_kernel
@pytest.mark.parametrize("seed", range(2))
def test_error_bars_against_monte_carlo(kernel, seed):
    machine, X, _ = fitted(RVMRegressor, kernel, seed)
    rng = np.random.default_rng(seed)
    new = rng.uniform(X.min(axis=0) - 0.5, X.max(axis=0) + 0.5, size=(8, 2))
    latent = sampled_latent(machine, new, rng)
    noisy = latent + machine.noise_std_ * rng.normal(size=latent.shape)
    mean, std = machine.predict(new, return_std=True)
    assert (np.abs(mean - noisy.mean(axis=0)) < 5 * std / np.sqrt(len(noisy))).all()
    np.testing.assert_allclose(std, noisy.std(axis=0), rtol=0.02)
    assert (std > machine.noise_std_).all()


@every_machine
@every_kernel
def test_many_rows_equal_one_by_one(Machine, kernel):
    machine, X, _ = fitted(Machine, kernel)
    together = (
        machine.predict_proba(X[:9])
        if Machine is RVMClassifier
        else machine.predict(X[:9], return_std=True)[1]
    )
    for n in range(9):
        row = X[n : n + 1]
        alone = (
            machine.predict_proba(row)
            if Machine is RVMClassifier
            else machine.predict(row, return_std=True)[1]
        )
        np.testing.assert_allclose(alone[0], together[n], rtol=1e-9)


@every_machine
@every_kernel
def test_dual_coefficients_give_the_latent_mean(Machine, kernel):
    machine, X, _ = fitted(Machine, kernel)
    K = KERNELS[kernel](X, machine.relevance_vectors_, machine.gamma_)
    latent = K @ machine.dual_coef_.T + machine.intercept_
    assert machine.dual_coef_.shape == (1, len(machine.relevance_))
    if Machine is RVMRegressor:
        np.testing.assert_allclose(machine.predict(X), latent[:, 0], rtol=1e-6, atol=1e-6)
    else:
        decided = np.abs(latent[:, 0]) > 1e-6
        np.testing.assert_array_equal(
            machine.predict(X)[decided], machine.classes_[(latent[decided, 0] > 0).astype(int)]
        )


def test_linear_coefficients():
    machine, X, _ = fitted(RVMRegressor, "linear")
    assert machine.coef_.shape == (1, 2)
    np.testing.assert_allclose(machine.predict(X), X @ machine.coef_[0] + machine.intercept_[0], rtol=1e-9)
    classifier, X, _ = fitted(RVMClassifier, "linear")
    sign = np.sign(X @ classifier.coef_[0] + classifier.intercept_[0])
    np.testing.assert_array_equal(np.sign(classifier.decision_function(X)), sign)


def test_linear_coefficients_belong_to_the_linear_kernel():
    machine, _, _ = fitted(RVMRegressor, "rbf")
    assert not hasattr(machine, "coef_")
    with pytest.raises(AttributeError, match="linear"):
        machine.coef_  # noqa: B018


@every_machine
@every_kernel
@pytest.mark.parametrize("seed", range(2))
def test_relevance_names_rows_of_the_training_data(Machine, kernel, seed):
    machine, X, _ = fitted(Machine, kernel, seed)
    assert len(machine.relevance_) > 0
    assert len(np.unique(machine.relevance_)) == len(machine.relevance_)
    np.testing.assert_array_equal(machine.relevance_vectors_, X[machine.relevance_])


@pytest.mark.parametrize("seed", range(2))
def test_relevance_names_rows_among_weights_and_repeats(seed):
    rng = np.random.default_rng(seed)
    X, y = make_sinc(60, random_state=seed)
    X, y = np.vstack([X, X[:20]]), np.append(y, y[:20])
    weights = rng.integers(0, 3, size=80)
    machine = RVMRegressor(gamma=0.2).fit(X, y, weights)
    np.testing.assert_array_equal(machine.relevance_vectors_, X[machine.relevance_])
    assert (weights[machine.relevance_] > 0).all()


def test_probabilities_and_decisions_agree():
    machine, X, _ = fitted(RVMClassifier)
    p, odds = machine.predict_proba(X), machine.decision_function(X)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(np.log(p[:, 1] / p[:, 0]), odds, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(machine.predict(X), machine.classes_[p.argmax(axis=1)])


@pytest.fixture(scope="module")
def three_classes():
    X, y = make_waveform(150, random_state=1)
    names = np.array(["rot", "grün", "blau"])[np.unique(y, return_inverse=True)[1]]
    return RVMClassifier(gamma=0.02).fit(X, names), X, names


def test_several_classes(three_classes):
    machine, X, names = three_classes
    p, odds = machine.predict_proba(X), machine.decision_function(X)
    assert list(machine.classes_) == ["blau", "grün", "rot"]
    assert p.shape == odds.shape == (150, 3)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert (p > 0).all()
    np.testing.assert_array_equal(machine.predict(X), machine.classes_[p.argmax(axis=1)])
    np.testing.assert_array_equal(odds.argmax(axis=1), p.argmax(axis=1))
    assert np.mean(machine.predict(X) == names) > 0.8


def test_several_classes_share_their_relevance_vectors(three_classes):
    machine, X, _ = three_classes
    assert machine.dual_coef_.shape == (3, len(machine.relevance_))
    assert machine.intercept_.shape == (3,)
    np.testing.assert_array_equal(machine.relevance_vectors_, X[machine.relevance_])
    assert (machine.dual_coef_ != 0).any(axis=0).all()
    K = rbf_kernel(X, machine.relevance_vectors_, gamma=machine.gamma_)
    latent = K @ machine.dual_coef_.T + machine.intercept_
    np.testing.assert_array_equal(np.sign(latent), np.sign(machine.decision_function(X)))


def test_each_class_has_the_latent_function_of_a_binary_fit(three_classes):
    machine, X, names = three_classes
    binary = RVMClassifier(gamma=0.02).fit(X, names == machine.classes_[0])
    here, there = machine.decision_function(X)[:, 0], binary.decision_function(X)
    assert np.corrcoef(here, there)[0, 1] > 0.98
    assert set(machine.path_["machine"]) == {0, 1, 2}


@pytest.mark.parametrize("labels", [("ja", "nein"), (False, True), (3, 7), (-1.0, 1.0)])
def test_labels_come_back_as_they_were(labels):
    X, codes = make_ripley(60, random_state=0)
    y = np.array(labels)[codes]
    machine = RVMClassifier(gamma=2.0).fit(X, y)
    np.testing.assert_array_equal(machine.classes_, np.unique(y))
    assert machine.predict(X).dtype == y.dtype
    by_code = RVMClassifier(gamma=2.0).fit(X, codes)
    np.testing.assert_array_equal(machine.predict_proba(X), by_code.predict_proba(X))


@every_machine
def test_pandas_keeps_the_names_of_features(Machine):
    X, y = make_ripley(60, random_state=0)
    frame = pd.DataFrame(X, columns=["länge", "breite"])
    machine = Machine(gamma=2.0).fit(frame, pd.Series(y))
    np.testing.assert_array_equal(machine.feature_names_in_, ["länge", "breite"])
    assert machine.n_features_in_ == 2
    plain = Machine(gamma=2.0).fit(X, y).predict(X)
    np.testing.assert_allclose(machine.predict(frame), plain, rtol=1e-9)
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(frame[["breite", "länge"]])


def test_trials_are_in_the_units_of_the_target_and_of_the_rows_they_saw(monkeypatch):
    monkeypatch.setattr("pauca.fitting.kernel_choice.SEARCH_ROWS", 50)
    X, y = make_sinc(80, random_state=0)
    small, large = (RVMRegressor().fit(X, factor * y).trials_ for factor in (1.0, 1000.0))
    for name in ("log_evidence", "score"):
        np.testing.assert_allclose(small[name] - large[name], 50 * np.log(1000), rtol=1e-5)
    given = RVMRegressor(gamma=0.1).fit(X, 1000 * y).trials_
    assert given["score"] == 0


def test_fitted_attributes_agree_with_each_other():
    X, y = make_sinc(80, random_state=0)
    machine = RVMRegressor().fit(X, y)
    assert machine.converged_
    assert machine.gamma_ in machine.trials_["gamma"]
    chosen = machine.trials_[machine.trials_["gamma"] == machine.gamma_]
    np.testing.assert_allclose(chosen["log_evidence"], machine.log_evidence_)
    assert machine.trials_["score"].max() - chosen["score"].max() <= 3.0
    np.testing.assert_allclose(machine.path_["log_evidence"][-1], machine.log_evidence_)
    objective = machine.path_["log_evidence"] - machine.min_gain * machine.path_["n_terms"]
    assert (np.diff(objective) >= 0).all()
    assert machine.path_["n_terms"][-1] == len(machine.relevance_)
    assert machine.n_iter_ == len(machine.path_) - 1


@pytest.mark.parametrize("seed", range(3))
def test_log_evidence_is_in_the_units_of_the_target(seed):
    X, y = make_sinc(60, random_state=seed)
    y = 7 * y + 100
    machine = RVMRegressor(gamma=0.2).fit(X, y)
    expansion = machine.expansions_[0]
    K = rbf_kernel(X, machine.relevance_vectors_, gamma=0.2)[:, expansion.columns]
    Phi = np.column_stack([np.ones(60), (K - expansion.shift) / expansion.scale])
    precision = expansion.factor @ expansion.factor.T - Phi.T @ Phi / machine.noise_std_**2
    np.testing.assert_allclose(
        precision, np.diag(np.diag(precision)), atol=1e-6 * np.abs(expansion.factor).max() ** 2
    )
    covariance = machine.noise_std_**2 * np.eye(60) + (Phi / np.diag(precision)) @ Phi.T
    centred = y - y.mean()
    dense = -0.5 * (
        60 * np.log(2 * np.pi)
        + np.linalg.slogdet(covariance)[1]
        + centred @ np.linalg.solve(covariance, centred)
    )
    np.testing.assert_allclose(machine.log_evidence_, dense, rtol=1e-3)


def test_gamma_scale_is_scikit_learns():
    X, y = make_ripley(60, random_state=0)
    assert RVMClassifier(gamma="scale").fit(X, y).gamma_ == pytest.approx(1 / (2 * X.var()))


@pytest.mark.parametrize("rule", ["evidence", "loo", "cv"])
def test_learned_gamma_beats_a_bad_one(rule):
    X, y = make_sinc(80, random_state=2)
    new, truth = make_sinc(300, noise=0, random_state=3)
    errors = [
        np.mean((RVMRegressor(gamma=gamma).fit(X, y).predict(new) - truth) ** 2)
        for gamma in (rule, 1e-4, 30.0)
    ]
    assert errors[0] < min(errors[1:])
    assert errors[0] < 0.05**2


def test_verbose_reports_every_trial(capsys):
    X, y = make_sinc(40, random_state=0)
    machine = RVMRegressor(verbose=2).fit(X, y)
    assert capsys.readouterr().err.count("gamma") == len(machine.trials_)
    RVMRegressor().fit(X, y)
    assert capsys.readouterr() == ("", "")
