"""Uncertainty, novelty and importances of sparse Gaussian processes; log probabilities of all classifiers."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import entr
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel

import pauca
from pauca import (
    ARDClassifier,
    BayesMachineClassifier,
    EPCVMClassifier,
    PCVMClassifier,
    RVMClassifier,
    RVMRegressor,
    SparseBayesMachineClassifier,
    SparseGPClassifier,
    SparseGPRegressor,
    SpikeSlabClassifier,
    SpikeSlabRegressor,
)
from pauca.datasets import make_friedman1, make_ripley, make_sinc
from pauca.likelihoods import MultinomialProbit

CLASSIFIERS = [
    ARDClassifier(kernel="rbf", gamma=0.5),
    BayesMachineClassifier(gamma=0.5),
    EPCVMClassifier(gamma=0.5),
    EPCVMClassifier(gamma=0.5, inference="hmc", n_chains=2, n_draws=20),
    PCVMClassifier(gamma=0.5, n_init=1),
    RVMClassifier(gamma=0.5),
    SparseBayesMachineClassifier(gamma=0.5, n_active=10),
    SparseGPClassifier(gamma=0.5),
    SparseGPClassifier(gamma=0.5, inference="ep"),
    SpikeSlabClassifier(),
]
unsettled = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def ripley():
    X, y = make_ripley(150, random_state=0)
    return SparseGPClassifier().fit(X, y), X


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return SparseGPClassifier().fit(X, y), X


@pytest.fixture(scope="module")
def sinc():
    X, y = make_sinc(100, random_state=0)
    return SparseGPRegressor().fit(X, y), X


@unsettled
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_log_probabilities_are_logarithms_of_probabilities(estimator, n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y >= 3 - n_classes][::3], y[y >= 3 - n_classes][::3]
    machine = estimator.fit(X, y)
    log_p, p = machine.predict_log_proba(X), machine.predict_proba(X)
    assert log_p.shape == (len(X), n_classes)
    np.testing.assert_allclose(np.exp(log_p), p, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(np.exp(log_p).sum(axis=1), 1, rtol=2e-5)


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_log_probabilities_are_finite_and_exact_in_the_tails(inference):
    X = np.linspace(-2, 2, 40)[:, None]
    machine = SparseGPClassifier("linear", inference=inference).fit(X, X[:, 0] > 0)
    far = [[-1e3], [1e3]]
    log_p = machine.predict_log_proba(far)
    assert np.isfinite(log_p).all()
    np.testing.assert_allclose(log_p[:, 1] - log_p[:, 0], machine.decision_function(far))


def test_log_probabilities_of_many_classes_do_not_underflow():
    mean = np.array([[0.0, 100.0, -50.0]])
    log_p = MultinomialProbit().log_probabilities(mean, np.zeros((1, 3)))
    assert MultinomialProbit().predict(mean, np.zeros((1, 3)))[0, 2] == 0
    assert np.isfinite(log_p).all()
    assert log_p[0, 2] < log_p[0, 0] < -2000 < log_p[0, 1]


def test_importances_are_shares_of_the_squared_distances_of_the_classifier():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)) * [1.0, 10.0, 1.0, 1.0]
    y = np.sin(2 * X[:, 0]) + 0.1 * X[:, 1] > 0
    machine = SparseGPClassifier().fit(X, y)
    shares = machine.feature_importances_
    placed = X / X.std(axis=0)
    pairs = np.square((placed[:, None] - placed) * machine.feature_scales_).mean(axis=(0, 1))
    np.testing.assert_allclose(shares, pairs / pairs.sum())
    assert set(np.argsort(shares)[2:]) == {0, 1}
    assert SelectFromModel(machine, prefit=True).transform(X).shape[1] < 4


def test_importances_of_the_regressor_find_the_relevant_features():
    X, y = make_friedman1(200, noise=0.5, random_state=0)
    X = np.column_stack([X, np.full(len(X), 3.0)])
    machine = SparseGPRegressor(trend=False).fit(X, y)
    shares = machine.feature_importances_
    squares = np.square(machine.feature_scales_[:10])
    np.testing.assert_allclose(shares[:10], squares / squares.sum(), rtol=1e-8)
    assert shares[10] == pytest.approx(0, abs=1e-12)
    assert shares[:3].min() > shares[5:].max()


def test_importances_without_scales_and_of_constant_features():
    X, y = make_ripley(60, random_state=0)
    machine = SparseGPClassifier(feature_scales=None).fit(X * [1.0, 2.0], y)
    variances = (X * [1.0, 2.0]).var(axis=0)
    np.testing.assert_allclose(machine.feature_importances_, variances / variances.sum())
    constant = SparseGPRegressor().fit(np.ones((10, 2)), np.arange(10.0))
    np.testing.assert_array_equal(constant.feature_importances_, [0.5, 0.5])


@pytest.mark.parametrize("machine", [SparseGPClassifier(), SparseGPRegressor()], ids=repr)
def test_machines_that_are_not_fitted_say_so(machine):
    assert not hasattr(machine, "feature_importances_")
    for method in (machine.novelty, machine.predict_uncertainty):
        with pytest.raises(NotFittedError):
            method([[0.0]])


@pytest.mark.parametrize("name", ["ripley", "iris", "sinc"])
def test_novelty_is_zero_at_the_vectors_and_one_far_from_them(name, request):
    machine, X = request.getfixturevalue(name)
    np.testing.assert_allclose(machine.novelty(machine.relevance_vectors_), 0, atol=1e-4)
    np.testing.assert_allclose(machine.novelty(X[:3] + 1e4), 1)
    seen = machine.novelty(X)
    assert ((seen >= 0) & (seen <= 1)).all()
    assert np.median(seen) < 0.2


def test_novelty_of_a_linear_kernel_is_zero_in_the_span_of_the_vectors():
    X = np.random.default_rng(0).normal(size=(60, 2))
    classifier = SparseGPClassifier("linear").fit(X, X @ [1.0, 2.0] > 0)
    regressor = SparseGPRegressor("linear", trend=False).fit(X, X @ [1.0, 2.0])
    for machine in (classifier, regressor):
        novelty = machine.novelty(np.vstack([np.zeros((1, 2)), X]))
        assert np.isfinite(novelty).all()
        assert ((novelty >= 0) & (novelty <= 1)).all()
    assert classifier.novelty(np.zeros((1, 2)))[0] == 0


def test_a_regressor_without_vectors_knows_nothing_of_f():
    X, y = make_ripley(40, random_state=0)
    with pytest.warns(UserWarning, match="sample_weight"):
        machine = SparseGPRegressor().fit(X, y, sample_weight=np.full(40, 1 / 40))
    assert len(machine.relevance_) == 0
    np.testing.assert_array_equal(machine.novelty(X), 1)
    _, ignorance = machine.predict_uncertainty(X)
    assert (ignorance >= machine.amplitude_).all()


def test_the_regressors_parts_sum_to_the_predictive_variance(sinc):
    machine, X = sinc
    noise, ignorance = machine.predict_uncertainty(X)
    np.testing.assert_allclose(np.hypot(noise, ignorance), machine.predict(X, return_std=True)[1])
    np.testing.assert_allclose(noise, machine.noise_std_)
    far = machine.predict_uncertainty([[1e4]])[1]
    assert far > 3 * ignorance.max()


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_two_classes_agree_with_monte_carlo(inference):
    X, y = make_ripley(150, random_state=0)
    machine = SparseGPClassifier(inference=inference).fit(X, y)
    rows = np.vstack([X[:10], [[3.0, 3.0], [100.0, 0.0]]])
    noise, ignorance = machine.predict_uncertainty(rows)
    mean, var = machine._latent(rows)
    f = mean + np.sqrt(var) * np.random.default_rng(0).normal(size=200_000)
    p = np.exp(machine._likelihood.log_prob(1.0, f))
    np.testing.assert_allclose(noise, (entr(p) + entr(1 - p)).mean(axis=1), atol=0.005)
    total = entr(p.mean(axis=1)) + entr(1 - p.mean(axis=1))
    np.testing.assert_allclose(noise + ignorance, total, atol=0.005)


def test_many_classes_agree_with_monte_carlo(iris):
    machine, X = iris
    rows = np.vstack([X[::30], X[:1] + 100])
    noise, ignorance = machine.predict_uncertainty(rows)
    mean, var = machine._latent(rows)
    rng = np.random.default_rng(0)
    for row in range(len(rows)):
        F = mean[row] + np.sqrt(var[row]) * rng.normal(size=(5000, 3))
        p = MultinomialProbit().predict(F, np.zeros(F.shape))
        assert noise[row] == pytest.approx(entr(p).sum(axis=1).mean(), abs=0.04)
        assert noise[row] + ignorance[row] == pytest.approx(entr(p.mean(axis=0)).sum(), abs=0.03)
    np.testing.assert_array_equal(noise, machine.predict_uncertainty(rows)[0])


@pytest.mark.parametrize("name", ["ripley", "iris"])
def test_ignorance_of_classes_grows_far_from_the_data(name, request):
    machine, X = request.getfixturevalue(name)
    noise, ignorance = machine.predict_uncertainty(X)
    assert np.isfinite(noise).all()
    assert np.isfinite(ignorance).all()
    assert min(noise.min(), ignorance.min()) >= 0
    assert (noise + ignorance <= np.log(len(machine.classes_)) + 1e-9).all()
    far = machine.predict_uncertainty(X[:1] + 1e4)[1]
    assert far > 2 * np.median(ignorance)


def test_the_whole_is_the_entropy_of_the_probabilities_where_the_vectors_explain_all():
    X = np.random.default_rng(1).normal(size=(80, 1))
    machine = SparseGPClassifier("linear").fit(X, X[:, 0] + 0.5 > 0)
    whole = np.sum(machine.predict_uncertainty(X), axis=0)
    np.testing.assert_allclose(whole, entr(machine.predict_proba(X)).sum(axis=1), atol=1e-4)


def test_a_precomputed_kernel_has_no_novelty():
    X, y = make_ripley(60, random_state=0)
    machine = SparseGPClassifier("precomputed").fit(X @ X.T, y)
    for method in (machine.novelty, machine.predict_uncertainty):
        with pytest.raises(ValueError, match="precomputed"):
            method(X @ X.T)
    assert not hasattr(machine, "feature_importances_")


@pytest.mark.parametrize("cls", [SparseGPClassifier, SparseGPRegressor])
def test_tables_of_pandas_and_saved_machines(cls, tmp_path):
    X, y = make_ripley(80, random_state=0)
    table = pd.DataFrame(X, columns=["width", "height"])
    machine = cls().fit(table, y)
    plain = cls().fit(X, y)
    pauca.save(machine, tmp_path / "machine.pauca")
    again = pauca.load(tmp_path / "machine.pauca")
    for other in (plain, again):
        rows = X if other is plain else table
        np.testing.assert_allclose(other.novelty(rows), machine.novelty(table), atol=1e-8)
        # Posteriors of tables are in half precision.
        found, rtol = other.predict_uncertainty(rows), 1e-3 if other is plain else 1e-7
        np.testing.assert_allclose(found, machine.predict_uncertainty(table), rtol=rtol)
    np.testing.assert_allclose(again.feature_importances_, machine.feature_importances_)
    # A table's shares are those of distances between random rows, an array's those of variances.
    np.testing.assert_allclose(plain.feature_importances_, machine.feature_importances_, rtol=0.05)


@pytest.mark.parametrize("matrix", ["csr_matrix", "csr_array"])
def test_sparse_rows_of_the_classifier(matrix):
    from scipy import sparse

    X, y = make_ripley(80, random_state=0)
    dense = SparseGPClassifier(gamma=1.0).fit(X, y)
    rows = getattr(sparse, matrix)(X)
    machine = SparseGPClassifier(gamma=1.0).fit(rows, y)
    np.testing.assert_allclose(machine.feature_importances_, dense.feature_importances_)
    np.testing.assert_allclose(machine.novelty(rows), dense.novelty(X), atol=1e-6)


@unsettled
@pytest.mark.parametrize(
    "machine", [*CLASSIFIERS, RVMRegressor(gamma=0.5), SparseGPRegressor(), SpikeSlabRegressor()], ids=repr
)
def test_weights_that_sum_to_one_warn_and_name_the_remedy(machine):
    X, y = make_ripley(40, random_state=0)
    with pytest.warns(UserWarning, match=r"sample_weight sums to 1 for 40 rows.*mean\(\)"):
        machine.fit(X, y, sample_weight=np.full(40, 1 / 40))


@pytest.mark.parametrize(
    "weights", [np.ones(40), np.full(40, 0.1), np.r_[np.ones(20), np.zeros(20)], np.linspace(0, 1, 40)]
)
def test_ordinary_weights_do_not_warn(weights):
    from pauca.validation import check_case_weights

    np.testing.assert_array_equal(check_case_weights(weights, np.empty((40, 1))), weights)
