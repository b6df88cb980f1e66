"""Expectation maximisation of classifiers whose weights have the signs of the labels."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_ndtr
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel

from pauca import PCVMClassifier
from pauca.basis import RBF, KernelBasis, with_bias
from pauca.datasets import make_ripley, make_spiral
from pauca.fitting.fitters.em import EMSettings, LatentState, _move_gamma, em_search
from pauca.inference.em import Penalty, expected_latents, maximise, objective, width_step
from pauca.likelihoods import MultinomialProbit

SEEDS = pytest.mark.parametrize("seed", range(4))
PENALTIES = pytest.mark.parametrize(
    "penalty", [Penalty(0.5, 1e-3), Penalty(1.0, 1e-3)], ids=["published", "derived"]
)


def toy(seed, n=200, m=4):
    """Columns with the signs of their labels, labels and row weights."""
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(n), rng.normal(size=(n, m))])
    truth = np.append(0.3, rng.uniform(0.7, 1.5, size=m))
    y = np.where(Phi @ truth + rng.normal(size=n) > 0, 1.0, -1.0)
    return Phi, y, rng.uniform(0.5, 2.0, size=n)


def cycles(Phi, y, weights, w, penalty, n_cycles):
    """Plain cycles with no weight dropped; the log posterior after each."""
    trace = []
    for _ in range(n_cycles):
        w = maximise(Phi, expected_latents(y, Phi @ w), weights, w, penalty.scales(w))
        trace.append(by_formula(Phi, y, weights, w, penalty))
    return w, np.array(trace)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(5, 40), m=st.integers(1, 30))
def test_the_m_step_never_lowers_its_objective(seed, n, m):
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(n), rng.normal(size=(n, m))])
    H, weights = 3 * rng.normal(size=n), rng.uniform(0.1, 3.0, size=n)
    w = np.append(rng.normal(), rng.exponential(size=m))
    scales = np.append(30.0, 10 ** rng.uniform(-3, 1, size=m))
    gram, moment = (Phi.T * weights) @ Phi, Phi.T @ (weights * H)
    after = maximise(Phi, H, weights, w, scales)
    assert (after[1:] >= 0).all()
    old, new = (objective(gram, moment, scales, value) for value in (w, after))
    assert new >= old - 1e-9 * max(1.0, abs(old))


@SEEDS
def test_the_m_step_is_the_constrained_maximum(seed):
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(40), rng.normal(size=(40, 3))])
    H, scales = Phi @ np.array([0.5, 1.0, 0.8, 1.2]) + rng.normal(size=40), np.array([30.0, 1.0, 2.0, 0.5])
    found = minimize(
        lambda w: 0.5 * np.square(Phi @ w - H).sum() + 0.5 * np.square(w / scales).sum(),
        np.ones(4),
        bounds=[(None, None), *[(0, None)] * 3],
        tol=1e-12,
    )
    np.testing.assert_allclose(maximise(Phi, H, np.ones(40), np.ones(4), scales), found.x, atol=1e-4)


@SEEDS
@PENALTIES
def test_cycles_never_lower_the_posterior(seed, penalty):
    Phi, y, weights = toy(seed)
    _, trace = cycles(Phi, y, weights, np.ones(5), penalty, 60)
    assert (np.diff(trace) >= -1e-9 * np.abs(trace[1:])).all()


def by_formula(Phi, y, weights, w, penalty):
    """Log posterior of weights with the flat prior of their precisions integrated out."""
    logs = np.log(np.square(w[1:])).sum()
    likelihood = weights @ log_ndtr(y * (Phi @ w))
    return likelihood - 0.5 * penalty.strength * logs - 0.5 * penalty.bias_precision * w[0] ** 2


@SEEDS
@PENALTIES
def test_cycles_end_at_the_only_mode_of_a_grid(seed, penalty):
    Phi, y, weights = toy(seed, m=1)
    w, _ = cycles(Phi, y, weights, np.ones(2), penalty, 3000)
    biases, slopes = np.linspace(-3, 3, 121), np.linspace(0.05, 6, 120)
    values = np.array(
        [[by_formula(Phi, y, weights, np.array([b, s]), penalty) for s in slopes] for b in biases]
    )
    inside = values[1:-1, 1:-1]
    shifts = [(i, j) for i in (0, 1, 2) for j in (0, 1, 2) if (i, j) != (1, 1)]
    is_mode = np.all([inside > values[i : i + 119, j : j + 118] for i, j in shifts], axis=0)
    ((row, column),) = np.argwhere(is_mode) + 1
    np.testing.assert_allclose(w, [biases[row], slopes[column]], atol=0.06)


@SEEDS
@PENALTIES
def test_cycles_end_at_a_mode_that_another_optimiser_finds(seed, penalty):
    Phi, y, weights = toy(seed)
    w, _ = cycles(Phi, y, weights, np.ones(5), penalty, 3000)

    there = minimize(
        lambda w: -by_formula(Phi, y, weights, w, penalty),
        w * 1.05,
        method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-12, "maxiter": 20000},
    )
    np.testing.assert_allclose(w, there.x, atol=1e-4)
    slope = Phi.T @ (weights * (expected_latents(y, Phi @ w) - Phi @ w))
    np.testing.assert_allclose(w[1:] * slope[1:], penalty.strength, rtol=1e-4)


def test_the_width_step_is_the_gauss_newton_step():
    rng = np.random.default_rng(1)
    residual, slope, weights = rng.normal(size=30), 5 * rng.normal(size=30), rng.uniform(size=30)
    step = width_step(residual, slope, weights)
    grid = np.linspace(-0.6, 0.6, 2001)
    losses = [weights @ np.square(residual - value * slope) for value in grid]
    np.testing.assert_allclose(step, grid[np.argmin(losses)], atol=1e-3)
    np.testing.assert_allclose(width_step(1e6 * slope, slope, weights), np.log(2))
    assert width_step(residual, np.zeros(30), weights) == 0.0


@pytest.mark.parametrize("gamma", [0.1, 1.0, 30.0])
def test_gamma_moves_towards_less_residual(gamma):
    X, labels = make_ripley(120, random_state=0)
    y, rows = np.where(labels == 1, 1.0, -1.0), np.arange(0, 120, 12)

    def basis_at(value):
        return KernelBasis(X, RBF(value), rows)

    w = np.append(0.0, np.full(10, 0.5))
    f = w[0] + basis_at(gamma).signed(y[rows]).columns(np.arange(10))[0] @ w[1:]
    side, others = LatentState(y, y[rows], np.arange(10), w, f), np.setdiff1d(np.arange(120), rows)
    H = expected_latents(y, f)
    (moved,), step = _move_gamma(basis_at, gamma, [side], np.ones(120))
    assert step != 0
    assert np.square(H - moved.f)[others].sum() < np.square(H - side.f)[others].sum()
    (same,), none = _move_gamma(basis_at, gamma, [side], (np.arange(120) % 12 == 0) * 1.0)
    assert none == 0
    assert same is side


def test_gamma_is_learned_or_kept():
    X, y = make_ripley(80, random_state=0)
    assert PCVMClassifier(gamma=0.7, n_init=1).fit(X, y).gamma_ == 0.7
    machine = PCVMClassifier(n_init=1).fit(X, y)
    assert len(np.unique(machine.path_["gamma"])) > 1
    assert machine.path_["gamma"][-1] == machine.gamma_


@pytest.mark.parametrize("gamma", ["learn", 0.5, 5.0])
@pytest.mark.parametrize("make", [make_ripley, make_spiral])
def test_weights_have_the_signs_of_their_labels(make, gamma):
    X, y = make(120, random_state=1)
    machine = PCVMClassifier(gamma=gamma).fit(X, y)
    labels = np.where(y[machine.relevance_] == machine.classes_[1], 1, -1)
    assert len(labels) > 0
    assert (machine.dual_coef_[0] * labels > 0).all()
    assert len(machine.trials_) == 3
    assert (
        machine.trials_["score"].max()
        == machine.trials_["score"][machine.trials_["gamma"] == machine.gamma_].max()
    )
    assert (machine.generalization_bound() > 0).all()


def test_probabilities_are_good():
    X, y = make_ripley(250, random_state=0)
    new, truth = make_ripley(2000, random_state=1)
    machine = PCVMClassifier().fit(X, y)
    assert np.mean(machine.predict(new) != truth) < 0.11
    assert log_loss(truth, machine.predict_proba(new)) < 0.27
    assert len(machine.relevance_) <= 15


def test_many_classes():
    X, y = load_iris(return_X_y=True)
    machine = PCVMClassifier(n_init=1).fit(X, y)
    p = machine.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert machine.score(X, y) > 0.95
    np.testing.assert_array_equal(machine.decision_function(X).argmax(axis=1), p.argmax(axis=1))


def test_a_precomputed_kernel():
    X, y = make_ripley(100, random_state=0)
    K = rbf_kernel(X, gamma=2.0)
    weights = np.where(np.arange(100) < 30, 0.0, 1.0)
    machine = PCVMClassifier(kernel="precomputed").fit(K, y, weights)
    assert (machine.relevance_ >= 30).all()
    assert machine.score(K, y) > 0.8


def test_the_same_seed_gives_the_same_machine():
    X, y = make_ripley(100, random_state=7)
    first, second = (PCVMClassifier(max_candidates=50, n_init=4, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.dual_coef_, second.dual_coef_)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("gamma", "evidence"),
        ("penalty", "both"),
        ("n_init", 0),
        ("n_init", 1.5),
        ("threshold", -1),
        ("tol", "x"),
    ],
)
def test_wrong_arguments_are_named(argument, value):
    X, y = make_ripley(30, random_state=0)
    with pytest.raises(ValueError, match=argument):
        PCVMClassifier(**{argument: value}).fit(X, y)


def _hostile():
    rng = np.random.default_rng(0)
    X, side = rng.normal(size=(30, 2)), np.arange(30) % 2
    yield "separable", X + 20 * side[:, None], side
    yield "repeated", np.repeat(X[:5], 6, axis=0), side
    yield "constant", np.ones((30, 2)), side
    yield "two rows", X[:2], side[:2]
    yield "huge", 1e8 * X, side
    yield "tiny", 1e-8 * X, side
    yield "one of many", X, (np.arange(30) == 4).astype(int)


@pytest.mark.parametrize(("X", "y"), [case[1:] for case in _hostile()], ids=[case[0] for case in _hostile()])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_hostile_data(X, y, kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        p = PCVMClassifier(kernel, n_init=3).fit(X, y).predict_proba(X)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)


def three_sides(seed, n=120, m=3):
    """Sides of three classes with columns that have the signs of their labels, and their designs."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    codes = np.argmax(X @ rng.normal(size=(2, 3)) + 0.5 * rng.normal(size=(n, 3)), axis=1)
    basis = KernelBasis(X, RBF(0.5))
    sides = []
    for k in range(3):
        y = np.where(codes == k, 1.0, -1.0)
        active = np.sort(np.concatenate([rng.choice(np.flatnonzero(codes == c), m, False) for c in range(3)]))
        Phi, w = with_bias(basis.signed(y).columns(active)[0]), np.append(0.0, np.full(3 * m, 0.3))
        sides.append(LatentState(y, y, active, w, Phi @ w))
    return basis, sides, codes


@SEEDS
@PENALTIES
def test_cycles_of_many_classes_never_lower_their_posterior(seed, penalty):
    basis, sides, _ = three_sides(seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, 120)
    how = EMSettings(penalty, 1e-3, 0.0, 60, False)
    path = em_search(lambda gamma: basis, sides, 0.5, weights, how).path
    steady = np.diff(path["n_terms"]) == 0
    assert (np.diff(path["log_posterior"])[steady] >= -1e-9 * np.abs(path["log_posterior"][1:][steady])).all()
    assert steady.sum() > 30


def mode_of_many_classes(designs, codes, ws, penalty):
    """Weights where another optimiser finds the posterior highest, biases first."""
    sizes = np.cumsum([len(w) for w in ws])[:-1]

    def plain(stacked):
        return [np.append(part[0], np.exp(part[1:])) for part in np.split(stacked, sizes)]

    def cost(stacked):
        ws = plain(stacked)
        F = np.column_stack([Phi @ w for Phi, w in zip(designs, ws, strict=True)])
        latent_gradient = MultinomialProbit().gradient(codes, F)
        value = MultinomialProbit().log_prob(codes, F).sum() + sum(penalty.log_density(w) for w in ws)
        gradient = []
        for Phi, w, column in zip(designs, ws, latent_gradient.T, strict=True):
            pull = Phi.T @ column
            inner = w[1:] * pull[1:] - penalty.strength
            gradient.append(np.append(pull[0] - penalty.bias_precision * w[0], inner))
        return -value, -np.concatenate(gradient)

    first = np.concatenate([np.append(w[0], np.log(w[1:])) for w in ws])
    bounds = [(b, None) for w in ws for b in (None, *np.full(len(w) - 1, np.log(0.02)))]
    return plain(minimize(cost, first, jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-14).x)


@SEEDS
@PENALTIES
def test_cycles_of_many_classes_stay_at_the_mode_of_another_optimiser(seed, penalty):
    basis, sides, codes = three_sides(seed)

    def with_weights(sides, ws):
        """Sides at given weights, without weights that are nearly zero."""
        after = []
        for side, w in zip(sides, ws, strict=True):
            stays = w[1:] > 0.021
            active, w = side.active[stays], np.append(w[0], w[1:][stays])
            Phi = with_bias(basis.signed(side.signs).columns(active)[0])
            after.append(LatentState(side.y, side.signs, active, w, Phi @ w))
        return after

    for _ in range(3):
        designs = [with_bias(basis.signed(side.signs).columns(side.active)[0]) for side in sides]
        found = mode_of_many_classes(designs, codes, [side.w for side in sides], penalty)
        sides = with_weights(sides, found)
    how = EMSettings(penalty, 1e-3, 0.0, 30, False)
    after = em_search(lambda gamma: basis, sides, 0.5, np.ones(120), how).states
    assert sum(len(side.active) for side in sides) >= 3
    for side, moved in zip(sides, after, strict=True):
        np.testing.assert_allclose(moved.w, side.w, atol=0.02)


@pytest.mark.parametrize("absent", [[3], [1, 2]])
def test_classes_without_weight(absent):
    X, y = load_iris(return_X_y=True)
    y = np.where(X[:, 0] > 7, 3, y)
    machine = PCVMClassifier(gamma=0.3, n_init=1).fit(X, y, sample_weight=(~np.isin(y, absent)).astype(float))
    p = machine.predict_proba(X)
    assert p.shape == (150, 4)
    assert (p[~np.isin(y, absent)][:, absent] < 0.2).all()


def test_many_classes_have_the_signs_of_their_labels_and_one_path():
    X, y = load_iris(return_X_y=True)
    machine = PCVMClassifier(n_init=2).fit(X, y)
    own = np.arange(3)[:, None] == y[machine.relevance_]
    assert (machine.dual_coef_[own] >= 0).all()
    assert (machine.dual_coef_[~own] <= 0).all()
    assert set(machine.path_["machine"]) == {0}
    assert machine.generalization_bound().shape == (3,)
