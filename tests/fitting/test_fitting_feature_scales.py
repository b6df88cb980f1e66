"""A scale for every feature, kept where the evidence rises enough."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad
from sklearn.metrics import log_loss

import pauca
from pauca import RVMClassifier, RVMRegressor, SparseGPClassifier
from pauca.basis import RBF, KernelBasis, with_bias
from pauca.datasets import make_friedman1, make_twonorm
from pauca.fitting import Model
from pauca.fitting.feature_scales import penalised_descent
from pauca.fitting.fitters.ard import _ColumnEvidence
from pauca.inference import exact
from pauca.likelihoods import Gaussian
from pauca.priors import ARD

MACHINES = pytest.mark.parametrize(
    ("kind", "inference"),
    [
        (RVMClassifier, "laplace"),
        (RVMClassifier, "ep"),
        (RVMClassifier, "variational"),
        (SparseGPClassifier, "laplace"),
        (SparseGPClassifier, "ep"),
    ],
)


def rings(seed, n=400, n_idle=10):
    """Two classes, one around the other in two features, and irrelevant features."""
    rng = np.random.default_rng(seed)
    radius = np.where(np.arange(n) % 2, 2.2, 0.8) + 0.5 * rng.normal(size=n)
    angle = rng.uniform(0, 2 * np.pi, n)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), rng.normal(size=(n, n_idle))])
    return X, np.arange(n) % 2


@pytest.fixture(scope="module")
def ring_data():
    return *rings(0), *rings(1)


@MACHINES
def test_idle_features_are_found_and_left_out(kind, inference, ring_data):
    X, y, X_test, y_test = ring_data
    scaled = kind(inference=inference).fit(X, y)
    plain = kind(inference=inference, feature_scales=None).fit(X, y)
    assert scaled.feature_scales_[:2].min() > 2 * scaled.feature_scales_[2:].max()
    if kind is RVMClassifier:
        np.testing.assert_allclose(np.square(scaled.feature_scales_).mean(), 1)
    losses = [log_loss(y_test, machine.predict_proba(X_test)) for machine in (scaled, plain)]
    assert losses[0] < (0.75 if kind is RVMClassifier else 0.9) * losses[1]
    assert len(scaled.relevance_) < len(plain.relevance_)


def test_regression_finds_the_features_of_friedman():
    X, y = make_friedman1(300, noise=0.5, random_state=0)
    X_test, y_test = make_friedman1(1000, noise=0.0, random_state=1)
    errors = []
    for rule in ("evidence", None):
        machine = RVMRegressor(feature_scales=rule).fit(X, y)
        errors.append(np.square(machine.predict(X_test) - y_test).mean())
        if rule:
            assert machine.feature_scales_[:5].min() > machine.feature_scales_[5:].max()
            assert machine.noise_std_ == pytest.approx(0.5, rel=0.3)
    assert errors[0] < 0.5 * errors[1]


def test_many_classes_share_their_scales():
    rng = np.random.default_rng(0)
    y = np.arange(360) % 3
    angle = 2 * np.pi * y / 3 + rng.normal(scale=0.45, size=360)
    X = np.column_stack([np.cos(angle), np.sin(angle), rng.normal(size=(360, 12))])
    machine = SparseGPClassifier().fit(X, y)
    assert machine.feature_scales_.shape == (14,)
    assert machine.feature_scales_[:2].min() > machine.feature_scales_[2:].max()
    np.testing.assert_allclose(machine.predict_proba(X).sum(axis=1), 1)


def test_features_that_matter_alike_have_one_scale():
    X, y = make_twonorm(300, random_state=0)
    machine = RVMClassifier().fit(X, y)
    np.testing.assert_array_equal(machine.feature_scales_, 1)
    np.testing.assert_array_equal(
        machine.predict_proba(X), RVMClassifier(feature_scales=None).fit(X, y).predict_proba(X)
    )


@pytest.mark.parametrize("pack", [np.asarray, sparse.csr_matrix])
def test_constant_features_need_no_scale(pack):
    X, y = make_friedman1(120, noise=0.5, random_state=0)
    wide = pack(np.column_stack([X, np.ones((120, 150))]))
    plain, machine = RVMRegressor().fit(pack(X), y), RVMRegressor().fit(wide, y)
    assert plain.feature_scales_.std() > 0.1
    np.testing.assert_allclose(machine.predict(wide), plain.predict(pack(X)), atol=1e-4)
    np.testing.assert_allclose(machine.feature_scales_[:10], plain.feature_scales_, rtol=1e-3)
    np.testing.assert_array_equal(machine.feature_scales_[10:], 1)


def test_columns_and_scales_leave_rows_that_they_do_not_fit():
    # Ripples with a period of seven, no noise: scales that fit every row would be overconfident.
    i = np.arange(40.0)
    X, y = np.column_stack([i, i % 7]), np.where(i % 7 < 3, -1.0, 1.0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for seed in range(8):
        out = np.random.default_rng(seed).permutation(40) < 10
        mean, std = RVMRegressor().fit(X[~out], y[~out]).predict(X[out], return_std=True)
        assert (np.abs(mean - y[out]) < 8 * std).all()


def test_trials_with_scales_are_recorded_with_their_penalty(ring_data):
    X, y, *_ = ring_data
    plain, scaled = (RVMClassifier(feature_scales=rule).fit(X, y) for rule in (None, "evidence"))
    n_plain = len(plain.trials_)
    np.testing.assert_array_equal(scaled.trials_[:n_plain], plain.trials_)
    assert 1 <= len(scaled.trials_) - n_plain <= 3
    np.testing.assert_array_equal(scaled.trials_["scaled"], np.arange(len(scaled.trials_)) >= n_plain)
    assert scaled.trials_["score"][n_plain:].max() > plain.trials_["score"].max()
    assert scaled.gamma_ in scaled.trials_["gamma"][n_plain:]


@pytest.mark.parametrize("arguments", [{"gamma": 0.2}, {"gamma": "scale"}, {"kernel": "laplacian"}])
def test_scales_need_an_rbf_kernel_with_gamma_chosen_by_evidence(arguments, ring_data):
    X, y, *_ = ring_data
    np.testing.assert_array_equal(RVMClassifier(**arguments).fit(X, y).feature_scales_, 1)


def test_sparse_features_are_scaled_like_dense_ones(ring_data):
    X, y, X_test, _ = ring_data
    dense, thin = RVMClassifier().fit(X, y), RVMClassifier().fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.feature_scales_, dense.feature_scales_, rtol=0.05, atol=0.05)
    np.testing.assert_allclose(
        thin.predict_proba(sparse.csr_matrix(X_test)), dense.predict_proba(X_test), atol=0.05
    )


def test_more_features_than_rows_are_not_scaled(ring_data):
    X, y, *_ = ring_data
    machine = RVMClassifier().fit(X[:10], y[:10])
    np.testing.assert_array_equal(machine.feature_scales_, 1)


def test_order_of_features_does_not_matter(ring_data):
    X, y, X_test, _ = ring_data
    order = np.random.default_rng(3).permutation(X.shape[1])
    here, there = SparseGPClassifier().fit(X, y), SparseGPClassifier().fit(X[:, order], y)
    np.testing.assert_allclose(there.feature_scales_, here.feature_scales_[order], rtol=0.05, atol=0.05)
    np.testing.assert_allclose(there.predict_proba(X_test[:, order]), here.predict_proba(X_test), atol=0.08)


def test_many_rows_use_the_scales_of_a_part(monkeypatch, ring_data):
    X, y, *_ = ring_data
    monkeypatch.setattr("pauca.fitting.kernel_choice.SEARCH_ROWS", 250)
    machine = RVMClassifier().fit(X, y)
    assert machine.feature_scales_[:2].min() > 2 * machine.feature_scales_[2:].max()


def test_a_saved_machine_predicts_the_same(tmp_path, ring_data):
    X, y, X_test, _ = ring_data
    machine = SparseGPClassifier().fit(X, y)
    pauca.save(machine, tmp_path / "model")
    again = pauca.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(X_test), machine.predict_proba(X_test))
    np.testing.assert_array_equal(again.feature_scales_, machine.feature_scales_)


@pytest.mark.parametrize("value", ["loo", True, 1.0, [1.0, 2.0]])
def test_a_wrong_argument_is_named(value):
    with pytest.raises(ValueError, match="feature_scales"):
        RVMClassifier(feature_scales=value).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])


def test_gradient_of_the_penalised_evidence():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    y, weights = np.sin(X[:, 0]) + 0.1 * rng.normal(size=30), rng.uniform(0.5, 2, 30)
    basis, active = KernelBasis(X, RBF(gamma=0.3)), np.array([2, 7, 11])
    prior, likelihood = ARD(np.array([1e-3, 1.0, 2.0, 0.5])), Gaussian(20.0)
    Phi = with_bias(basis.columns(active)[0])
    model = Model(active, Phi, prior, likelihood, exact(likelihood, prior, Phi, y, weights))
    varies = np.array([True, True, False, True])
    function = penalised_descent([_ColumnEvidence(basis, model, exact, y, weights)], varies)
    logs = rng.normal(scale=0.5, size=3)
    error = check_grad(lambda x: function(x)[0], lambda x: function(x)[1], logs)
    assert error < 1e-4 * np.linalg.norm(function(logs)[1])
