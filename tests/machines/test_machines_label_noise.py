"""Bayes machines and sparse ones: noise, suspicious labels, weights, kernels, many classes."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel

import pauca
from pauca import BayesMachineClassifier, SparseBayesMachineClassifier
from pauca.datasets import make_circle, make_ripley, make_twonorm, make_waveform
from pauca.inference.ep import dual_kernel
from pauca.likelihoods import LabelNoise
from pauca.selection import select_active_set

MACHINES = [BayesMachineClassifier, SparseBayesMachineClassifier]
every_machine = pytest.mark.parametrize("Machine", MACHINES)


def noisy_circle(n, noise, seed=0):
    X, y = make_circle(n, label_noise=noise, random_state=seed)
    return X, y, y != make_circle(n, random_state=seed)[1]


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.1])
def test_learns_the_noise_and_not_the_wrong_labels(noise):
    X, y, wrong = noisy_circle(200, noise)
    X_test, y_test = make_circle(2000, random_state=99)
    machine = BayesMachineClassifier().fit(X, y)
    trusting = BayesMachineClassifier(noise=0).fit(X, y)
    assert machine.noise_ == pytest.approx(noise, abs=0.02)
    assert machine.score(X_test, y_test) > 0.95
    assert machine.noise_ == pytest.approx(
        np.divide(machine.noise_posterior_[0], sum(machine.noise_posterior_))
    )
    if noise:
        assert roc_auc_score(wrong, machine.flip_probability_) > 0.97
        assert machine.score(X_test, y_test) > trusting.score(X_test, y_test) + 0.02
        assert machine.n_negative_sites_ > 0
        assert machine.log_evidence_ > trusting.log_evidence_


def test_sparse_machine_finds_wrong_labels_among_all_rows():
    X, y, wrong = noisy_circle(400, 0.1)
    X_test, y_test = make_circle(2000, random_state=99)
    machine = SparseBayesMachineClassifier(n_active=60).fit(X, y)
    assert len(machine.relevance_) == 60
    assert machine.score(X_test, y_test) > 0.94
    assert roc_auc_score(wrong, machine.flip_probability_) > 0.95


def test_all_rows_active_is_the_bayes_machine():
    X, y = make_circle(80, random_state=1)
    new = make_circle(200, random_state=2)[0]
    full = BayesMachineClassifier(gamma=1.0, tol=1e-8).fit(X, y)
    sparse_one = SparseBayesMachineClassifier(gamma=1.0, n_active=80, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(sparse_one.predict_proba(new), full.predict_proba(new), atol=1e-6)
    assert sparse_one.log_evidence_ == pytest.approx(full.log_evidence_, abs=1e-6)
    np.testing.assert_allclose(sparse_one.flip_probability_, full.flip_probability_, atol=1e-6)


def test_without_refinement_it_is_the_first_pass():
    X, y = make_circle(90, random_state=1)
    new = make_circle(50, random_state=2)[0]
    machine = SparseBayesMachineClassifier(gamma=1.0, n_active=15, refine=False).fit(X, y)
    order = machine.relevance_
    # Rows are ordered by their distance from the mean inside of the machine.
    rows = np.argsort(np.round(np.square(X - X.mean(axis=0)).sum(axis=1), 9), kind="stable")
    Z, s = X[rows], 2.0 * y[rows] - 1
    C = rbf_kernel(Z, gamma=1.0) * np.outer(s, s) + 1e-10 * np.eye(90)
    gram = type("Gram", (), {"columns": lambda _, rows: C[:, rows], "diagonal": np.diag(C).copy()})()
    active = select_active_set(gram, LabelNoise(), np.ones(90), 15, max_passes=0)
    assert set(rows[active.rows]) == set(order)
    c = rbf_kernel(new, Z[active.rows], gamma=1.0) * s[active.rows]
    coef = active.sites[:, 1] - active.sites[:, 0] * active.mean[active.rows]  # thesis (B.21)
    kernel = dual_kernel(C[np.ix_(active.rows, active.rows)], active.sites[:, 0])
    var = 1 - ((c @ kernel) * c).sum(axis=1)
    np.testing.assert_allclose(
        machine.predict_proba(new)[:, 1], active.noise.predict(c @ coef, var), atol=1e-6
    )
    assert machine.n_passes_ == 0


@every_machine
def test_label_swap_mirrors_predictions(Machine):
    X, y, _ = noisy_circle(80, 0.1)
    plain, swapped = Machine(gamma=1.0).fit(X, y), Machine(gamma=1.0).fit(X, 1 - y)
    np.testing.assert_allclose(plain.predict_proba(X), swapped.predict_proba(X)[:, ::-1], atol=1e-6)
    assert plain.log_evidence_ == pytest.approx(swapped.log_evidence_, abs=1e-6)
    np.testing.assert_allclose(plain.flip_probability_, swapped.flip_probability_, atol=1e-6)


@every_machine
def test_many_classes(Machine):
    X, y = make_waveform(150, random_state=0)
    labels = np.array(["a", "b", "c"])[y]
    labels[0] = "b" if labels[0] != "b" else "c"
    machine = Machine(gamma=0.02).fit(X, labels)
    p = machine.predict_proba(X)
    assert p.shape == (150, 3)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert machine.noise_.shape == (3,)
    assert machine.noise_posterior_.shape == (3, 2)
    assert machine.flip_probability_.shape == (150,)
    new, truth = make_waveform(500, random_state=1)
    assert np.mean(machine.predict(new) == np.array(["a", "b", "c"])[truth]) > 0.78
    assert machine.flip_probability(new, machine.predict(new)).mean() < 0.3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@every_machine
def test_weights_are_repetitions(Machine):
    X, y, _ = noisy_circle(60, 0.05)
    weights = np.random.default_rng(0).integers(0, 4, 60)
    weighted = Machine(gamma=1.0).fit(X, y, sample_weight=weights)
    repeated = Machine(gamma=1.0).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(
        np.repeat(weighted.flip_probability_, weights), repeated.flip_probability_, atol=1e-8
    )
    absent = weights == 0
    expected = weighted.flip_probability(X[absent], y[absent])
    np.testing.assert_allclose(weighted.flip_probability_[absent], expected)


@every_machine
def test_precomputed_kernel(Machine):
    X, y, _ = noisy_circle(70, 0.05)
    new = make_circle(40, random_state=5)[0]
    weights = np.ones(70)
    weights[[3, 30]] = 0
    options = {"n_active": 70} if Machine is SparseBayesMachineClassifier else {}
    plain = Machine(gamma=2.0, tol=1e-8, **options).fit(X, y, sample_weight=weights)
    K = rbf_kernel(X, gamma=2.0)
    given = Machine(kernel="precomputed", tol=1e-8, **options).fit(K, y, sample_weight=weights)
    np.testing.assert_allclose(
        given.predict_proba(rbf_kernel(new, X, gamma=2.0)), plain.predict_proba(new), atol=1e-4
    )
    with pytest.raises(ValueError, match="symmetric"):
        Machine(kernel="precomputed").fit(K + np.tri(70), y)
    with pytest.raises(ValueError, match="square"):
        Machine(kernel="precomputed").fit(K[:, :5], y)


@every_machine
def test_sparse_matrices_and_functions(Machine):
    X, y, _ = noisy_circle(60, 0.0)
    dense = Machine(gamma=1.0).fit(X, y)
    np.testing.assert_allclose(
        Machine(gamma=1.0).fit(sparse.csr_matrix(X), y).predict_proba(sparse.csr_matrix(X)),
        dense.predict_proba(X),
        atol=1e-6,
    )
    function = Machine(kernel=lambda A, B: rbf_kernel(A, B, gamma=1.0)).fit(X, y)
    np.testing.assert_allclose(function.predict_proba(X), dense.predict_proba(X), atol=1e-6)


def test_linear_kernel_has_a_constant():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2)) + 3.0
    y = (X.sum(axis=1) > 6.5).astype(int)
    assert BayesMachineClassifier(kernel="linear", coef0=10.0).fit(X, y).score(X, y) > 0.95


@every_machine
def test_gamma_from_a_grid(Machine):
    X, y, _ = noisy_circle(80, 0.05)
    grid = np.exp(np.linspace(-3, 3, 5))
    machine = Machine(gamma=grid).fit(X, y)
    assert machine.gamma_ in grid
    np.testing.assert_allclose(np.sort(machine.trials_["gamma"]), grid)
    assert machine.gamma_ == machine.trials_["gamma"][np.argmax(machine.trials_["log_evidence"])]


def test_gamma_of_many_rows_is_chosen_by_a_part():
    X, y = make_circle(700, random_state=0)
    machine = SparseBayesMachineClassifier(n_active=30).fit(X, y)
    assert len(machine.trials_) > 2
    assert machine.score(X, y) > 0.95
    assert machine.flip_probability_.shape == (700,)


def test_scale_is_that_of_all_rows():
    X, y = make_circle(300, random_state=0)
    machine = SparseBayesMachineClassifier(gamma="scale", n_active=10).fit(X, y)
    assert machine.gamma_ == pytest.approx(1 / (2 * X.var()))


@pytest.mark.parametrize(("n_active", "size"), [(7, 7), (0.25, 25), (None, 20), (10**6, 100)])
def test_number_of_active_rows(n_active, size):
    X, y = make_circle(100, random_state=0)
    machine = SparseBayesMachineClassifier(gamma=1.0, n_active=n_active).fit(X, y)
    assert len(machine.relevance_) == size


def test_evidence_finds_a_number_of_active_rows():
    X, y = make_circle(400, random_state=0)
    machine = SparseBayesMachineClassifier(gamma=1.0, n_active="evidence").fit(X, y)
    assert 15 <= len(machine.relevance_) < 250
    assert machine.score(*make_circle(1000, random_state=1)) > 0.95


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(3))
def test_refinement_never_ends_where_active_rows_look_like_noise(seed):
    X, y = make_twonorm(1200, random_state=seed)
    new, truth = make_twonorm(1000, random_state=99)
    machine = SparseBayesMachineClassifier(gamma=0.0012, n_active=40).fit(X, y)
    assert machine.score(new, truth) > 0.95
    assert machine.noise_ < 0.15


def test_a_known_share_is_kept():
    X, y, _ = noisy_circle(80, 0.1)
    machine = BayesMachineClassifier(gamma=1.0, noise=0.1).fit(X, y)
    assert machine.noise_ == pytest.approx(0.1)
    p = machine.predict_proba(X)
    assert p.min() >= 0.1
    assert p.max() <= 0.9


def test_contradicting_rows_without_noise():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 2)), 2, axis=0)
    y = np.tile([0, 1], 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = BayesMachineClassifier(gamma=1.0, noise=0).fit(X, y)
    np.testing.assert_allclose(machine.predict_proba(X), 0.5, atol=0.2)


def test_unsettled_fits_warn():
    X, y = make_ripley(100, random_state=0)
    with pytest.warns(ConvergenceWarning, match="did not settle"):
        machine = BayesMachineClassifier(gamma=0.5, max_iter=2).fit(X, y)
    assert not machine.converged_
    assert np.isfinite(machine.predict_proba(X)).all()


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 25),
    rank=st.integers(1, 8),
    sparse_one=st.booleans(),
    noise=st.sampled_from([None, 0, 0.2]),
)
def test_random_kernels_give_probabilities_between_noise_and_its_complement(seed, n, rank, sparse_one, noise):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, rank)) * rng.exponential(size=rank)
    y = rng.permutation(np.arange(n) % 2)
    options = {"kernel": "precomputed", "noise": noise, "max_iter": 30}
    machine = (
        SparseBayesMachineClassifier(n_active=0.5, **options)
        if sparse_one
        else BayesMachineClassifier(**options)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(root @ root.T, y)
    p = machine.predict_proba(root @ root.T)[:, 1]
    assert np.isfinite(p).all()
    low = min(machine.noise_, 1 - machine.noise_)
    assert (p >= low - 1e-12).all()
    assert (p <= 1 - low + 1e-12).all()
    assert ((machine.flip_probability_ >= 0) & (machine.flip_probability_ <= 1)).all()


WRONG = [
    ("kernel", "sigmoid"),
    ("gamma", "loo"),
    ("gamma", -1.0),
    ("gamma", [1.0, -1.0]),
    ("gamma", []),
    ("noise_prior", (10, 1)),
    ("noise_prior", 3),
    ("noise_prior", (0, 1)),
    ("noise", 0.5),
    ("noise", -0.1),
    ("noise", "some"),
    ("tol", 0),
    ("max_iter", 0),
    ("random_state", "seed"),
]
WRONG_SPARSE = [
    ("n_active", 0),
    ("n_active", 1.5),
    ("n_active", "all"),
    ("refine", "yes"),
    ("max_passes", -1),
    ("score_rule", "best"),
]


@pytest.mark.parametrize(
    ("Machine", "name", "value"),
    [(Machine, *pair) for Machine in MACHINES for pair in WRONG]
    + [(SparseBayesMachineClassifier, *pair) for pair in WRONG_SPARSE],
)
def test_wrong_arguments_are_named(Machine, name, value):
    X, y = make_circle(20, random_state=0)
    with pytest.raises(ValueError, match=name):
        Machine(**{name: value}).fit(X, y)


def test_labels_of_new_rows_must_be_known():
    X, y = make_circle(30, random_state=0)
    machine = BayesMachineClassifier(gamma=1.0).fit(X, y)
    with pytest.raises(ValueError, match="classes_"):
        machine.flip_probability(X, y + 5)


@every_machine
def test_saved_and_loaded(Machine, tmp_path):
    X, y, _ = noisy_circle(50, 0.05)
    machine = Machine(gamma=1.0).fit(X, y)
    pauca.save(machine, tmp_path / "model")
    again = pauca.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(X), machine.predict_proba(X))
    assert again.noise_posterior_ == machine.noise_posterior_


@pytest.mark.slow
def test_many_rows_are_searched_in_part():
    X, y = make_circle(6000, label_noise=0.1, random_state=0)
    machine = SparseBayesMachineClassifier().fit(X, y)
    assert len(machine.relevance_) == 300
    assert machine.converged_
    wrong = y != make_circle(6000, random_state=0)[1]
    assert roc_auc_score(wrong, machine.flip_probability_) > 0.97


def test_the_machine_of_the_thesis_chooses_by_its_own_evidence():
    X, y, _ = noisy_circle(150, 0.1)
    thesis = {"gamma": "active-evidence", "score_rule": "observed", "refine": "unconditional"}
    machine = SparseBayesMachineClassifier(n_active=40, **thesis).fit(X, y)
    best = machine.trials_[machine.trials_["log_evidence"].argmax()]
    assert machine.gamma_ == best["gamma"]
    assert machine.log_evidence_ == pytest.approx(best["log_evidence"])
    assert len(machine.trials_) > 3
    assert machine.score(*make_circle(1000, random_state=3)) > 0.8
    plain = SparseBayesMachineClassifier(gamma=machine.gamma_, n_active=40, score_rule="observed").fit(X, y)
    assert set(plain.relevance_) != set(machine.relevance_)
    with pytest.raises(ValueError, match="refine must be"):
        SparseBayesMachineClassifier(refine="yes").fit(X, y)
    with pytest.raises(ValueError, match="gamma"):
        BayesMachineClassifier(gamma="active-evidence").fit(X, y)
