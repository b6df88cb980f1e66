"""Relevance vector machines with variational inference: posteriors, predictions, refused arguments."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

import pauca
from pauca import RVMClassifier, RVMRegressor
from pauca.datasets import make_ripley, make_sinc, make_twonorm, sinc_function

VARIATIONAL = {"inference": "variational"}
MACHINES = [RVMClassifier, RVMRegressor]
every_machine = pytest.mark.parametrize("Machine", MACHINES)
few = settings(max_examples=4, suppress_health_check=list(HealthCheck))


def data(Machine, n=50, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    t = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)
    if Machine is RVMRegressor:
        return X, t
    y = (t + 0.5 * rng.normal(size=n) > 0).astype(int)
    y[:2] = 0, 1
    return X, y


def fitted(Machine, gamma=0.5, seed=0, **arguments):
    X, y = data(Machine, seed=seed)
    return Machine(gamma=gamma, inference="variational", **arguments).fit(X, y)


def predictions(machine, X):
    if isinstance(machine, RVMClassifier):
        return machine.predict_proba(X)
    return np.column_stack(machine.predict(X, return_std=True))


@every_machine
@pytest.mark.parametrize("gamma", [0.5, "evidence"])
def test_bound_and_its_trace(Machine, gamma):
    machine = fitted(Machine, gamma)
    assert machine.lower_bound_ == machine.log_evidence_ == pytest.approx(machine.path_["log_evidence"][-1])
    changed = (machine.path_["n_added"] + machine.path_["n_removed"])[1:] > 0
    assert (np.diff(machine.path_["log_evidence"])[~changed] >= 0).all()
    assert machine.path_["n_terms"][-1] == len(machine.relevance_)
    assert machine.converged_


@every_machine
def test_posteriors_of_the_precisions(Machine):
    machine = fitted(Machine)
    alpha, coef = machine.alpha_posterior_, machine.dual_coef_
    assert alpha.shape.shape == alpha.rate.shape == coef.shape
    np.testing.assert_allclose(alpha.shape, 0.5, atol=1e-5)
    # Stationary: rate = b + ½⟨w²⟩, so ⟨α⟩ is at most 1 / w².
    assert (alpha.mean * coef**2 <= 1 + 1e-3).all()
    assert (alpha.mean > 0).all()


@every_machine
def test_other_machines_have_no_posteriors(Machine):
    X, y = data(Machine)
    machine = Machine(gamma=0.5, **VARIATIONAL).fit(X, y).set_params(inference=Machine().inference).fit(X, y)
    names = ["lower_bound_", "alpha_posterior_"] + ["noise_posterior_"] * (Machine is RVMRegressor)
    for name in names:
        assert not hasattr(machine, name)
        with pytest.raises(AttributeError, match="variational"):
            getattr(machine, name)


def test_noise_in_the_units_of_y():
    X, y = make_sinc(200, noise=0.1, random_state=3)
    here, there = (RVMRegressor(gamma=0.1, **VARIATIONAL).fit(X, part) for part in (y, 1e3 * y - 7))
    noise = here.noise_posterior_
    low, high = stats.gamma(noise.shape, scale=1 / noise.rate).ppf([1e-3, 1 - 1e-3])
    assert low < 0.1**-2 < high
    assert here.noise_std_ == pytest.approx(noise.mean**-0.5)
    np.testing.assert_allclose(there.noise_posterior_.mean, noise.mean / 1e6, rtol=1e-6)
    np.testing.assert_allclose(there.alpha_posterior_.mean, here.alpha_posterior_.mean / 1e6, rtol=1e-4)
    np.testing.assert_allclose(there.lower_bound_, here.lower_bound_ - 200 * np.log(1e3), rtol=1e-8)


def test_many_rows_give_nearly_the_fit_of_maximised_evidence():
    X, y = make_sinc(100, random_state=0)
    new = np.linspace(-10, 10, 200)[:, None]
    machine = RVMRegressor(gamma=0.1)
    kinds = "evidence", "variational"
    plain, ours = (clone(machine).set_params(inference=kind).fit(X, y) for kind in kinds)
    np.testing.assert_allclose(ours.predict(new), plain.predict(new), atol=0.03)
    assert np.sqrt(np.mean((ours.predict(new) - sinc_function(new[:, 0])) ** 2)) < 0.06
    assert ours.noise_std_ == pytest.approx(plain.noise_std_, rel=0.05)
    assert len(ours.relevance_) <= 10


def test_predictive_distributions():
    X, y = data(RVMRegressor, n=12)
    machine = RVMRegressor(gamma=0.5, **VARIATIONAL).fit(X, y)
    mean, std = machine.predict(X, return_std=True)
    student = machine.predict_distribution(X)
    freedom = 2 * machine.noise_posterior_.shape
    np.testing.assert_allclose(student.mean(), mean)
    extra = (freedom / (freedom - 2) - 1) / machine.noise_posterior_.mean
    np.testing.assert_allclose(student.var(), std**2 + extra, rtol=1e-9)
    assert (student.sf(mean + 4 * std) > stats.norm(mean, std).sf(mean + 4 * std)).all()
    normal = RVMRegressor(gamma=0.5).fit(X, y).predict_distribution(X)
    np.testing.assert_allclose(normal.std(), RVMRegressor(gamma=0.5).fit(X, y).predict(X, return_std=True)[1])


def test_student_is_the_average_over_the_noise():
    X, y = data(RVMRegressor, n=12)
    machine = RVMRegressor(gamma=0.5, fallback=False, **VARIATIONAL).fit(X, y)
    noise = machine.noise_posterior_
    tau = stats.gamma(noise.shape, scale=1 / noise.rate).rvs(20_000, random_state=0)
    mean, std = machine.predict(X[:3], return_std=True)
    latent = std**2 - 1 / noise.mean
    points = mean + 1.5 * std
    mixed = stats.norm(mean, np.sqrt(latent + 1 / tau[:, None])).pdf(points).mean(axis=0)
    np.testing.assert_allclose(machine.predict_distribution(X[:3]).pdf(points), mixed, rtol=0.1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_by_quadrature(n_classes):
    X, t = data(RVMRegressor, n=60)
    y = np.digitize(t, np.quantile(t, np.arange(1, n_classes) / n_classes))
    machine = RVMClassifier(gamma=0.5, **VARIATIONAL).fit(X, y)
    closed, quadrature = machine.predict_proba(X), machine.predict_proba(X, quadrature=True)
    np.testing.assert_allclose(quadrature.sum(axis=1), 1)
    np.testing.assert_allclose(quadrature, closed, atol=1e-3)
    assert machine.alpha_posterior_.mean.shape == machine.dual_coef_.shape
    used = machine.dual_coef_ != 0
    assert np.isfinite(machine.alpha_posterior_.rate[used]).all()
    assert np.isnan(machine.alpha_posterior_.rate[~used]).all()


def test_threshold():
    X, y = make_sinc(100, random_state=0)
    sizes = [
        len(RVMRegressor(gamma=0.3, threshold=threshold, **VARIATIONAL).fit(X, y).relevance_)
        for threshold in (0.0, 1e-3, 0.3, 1e9)
    ]
    assert sizes[0] >= sizes[1] > sizes[2] > sizes[3] == 0


def test_a_narrow_hyperprior_dominates():
    # α near 1e4 leaves the weights no room.
    X, y = make_sinc(60, random_state=0)
    free, held = (
        RVMRegressor(gamma=0.1, hyperprior=h, **VARIATIONAL).fit(X, y) for h in ((1e-6, 1e-6), (1e6, 1e2))
    )
    assert np.ptp(held.predict(X)) < 0.3 * np.ptp(free.predict(X))


def test_probabilities_are_good():
    X, y = make_ripley(250, random_state=0)
    new, truth = make_ripley(2000, random_state=1)
    machine = RVMClassifier(**VARIATIONAL).fit(X, y)
    assert len(machine.relevance_) <= 8
    assert log_loss(truth, machine.predict_proba(new)) < 0.27


@few
@given(seed=st.integers(0, 10_000), gamma=st.sampled_from(["evidence", 0.5]))
@every_machine
def test_whole_weights_are_repeated_rows(Machine, seed, gamma):
    X, y = data(Machine, seed=seed)
    count = np.random.default_rng(seed).integers(0, 4, size=50)
    count[:2] = 1
    weighted = Machine(gamma=gamma, **VARIATIONAL).fit(X, y, count)
    repeated = Machine(gamma=gamma, **VARIATIONAL).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    np.testing.assert_allclose(predictions(weighted, X), predictions(repeated, X), atol=1e-6)
    np.testing.assert_allclose(weighted.lower_bound_, repeated.lower_bound_, rtol=1e-6)


@few
@given(seed=st.integers(0, 10_000))
@every_machine
def test_order_of_rows_is_free(Machine, seed):
    X, y = data(Machine, seed=seed)
    order = np.random.default_rng(seed).permutation(50)
    here, there = (Machine(gamma=0.5, **VARIATIONAL).fit(X[part], y[part]) for part in (np.arange(50), order))
    np.testing.assert_allclose(predictions(there, X), predictions(here, X), atol=1e-6)
    np.testing.assert_array_equal(order[there.relevance_], here.relevance_)


@every_machine
def test_saved_and_loaded(Machine, tmp_path):
    machine, (X, _) = fitted(Machine), data(Machine)
    pauca.save(machine, tmp_path / "machine.skops")
    again = pauca.load(tmp_path / "machine.skops")
    np.testing.assert_array_equal(predictions(again, X), predictions(machine, X))
    np.testing.assert_array_equal(again.alpha_posterior_.rate, machine.alpha_posterior_.rate)
    assert again.lower_bound_ == machine.lower_bound_


WRONG = [
    ("hyperprior", 1e-6),
    ("hyperprior", (1e-6,)),
    ("hyperprior", (0.0, 1e-6)),
    ("hyperprior", (1e-6, -1.0)),
    ("hyperprior", (np.nan, 1.0)),
    ("hyperprior", ("a", 1.0)),
    ("hyperprior", None),
    ("threshold", -1.0),
    ("threshold", None),
    ("threshold", "small"),
]


@every_machine
@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_argument_is_named(Machine, name, value):
    X, y = data(Machine)
    with pytest.raises(ValueError, match=name):
        Machine(**{**VARIATIONAL, name: value}).fit(X, y)


def test_wrong_noise_hyperprior_is_named():
    with pytest.raises(ValueError, match="noise_hyperprior"):
        RVMRegressor(noise_hyperprior=(1.0, 0.0)).fit(*data(RVMRegressor))


HOSTILE = {
    "repeated rows": lambda X: np.repeat(X[: len(X) // 2], 2, axis=0),
    "zeros": np.zeros_like,
    "equal columns": lambda X: X[:, [0, 0, 1, 1]],
    "huge": lambda X: 1e8 * X,
    "tiny": lambda X: 1e-8 * X,
    "far away": lambda X: X + 1e8,
    "identity": lambda X: np.eye(len(X)),
    "one far row": lambda X: np.vstack([X[:-1], 1e6 * X[-1:]]),
    "sparse": sparse.csr_matrix,
}


def fit_and_check(machine, X, y, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "sample_weight sums to")
        machine.fit(X, y, weights)
        assert np.isfinite(predictions(machine, X)).all()
    assert np.isfinite(machine.lower_bound_)
    return machine


@every_machine
@pytest.mark.parametrize("gamma", ["evidence", "loo", "scale", 1e-300, 1e8])
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_features(Machine, kind, gamma):
    X, y = data(Machine, n=30)
    fit_and_check(Machine(gamma=gamma, **VARIATIONAL), HOSTILE[kind](X), y)


@every_machine
@pytest.mark.parametrize("gamma", ["evidence", "cv", 1.0])
@pytest.mark.parametrize("n", [2, 3, 7])
def test_few_rows(Machine, gamma, n):
    X, y = data(Machine)
    fit_and_check(Machine(gamma=gamma, **VARIATIONAL), X[:n], y[:n])


@every_machine
@pytest.mark.parametrize("size", [1e-300, 1e-6, 1e6, 1e12])
def test_hostile_weights(Machine, size):
    X, y = data(Machine)
    fit_and_check(Machine(gamma=0.5, max_iter=30, **VARIATIONAL), X, y, np.full(50, size))


@pytest.mark.parametrize("gap", [0.0, 1.0, 100.0])
def test_separable_classes(gap):
    x = np.linspace(-1, 1, 40)
    x = x + gap * np.sign(x)
    machine = fit_and_check(RVMClassifier(**VARIATIONAL), x[:, None], x > 0)
    np.testing.assert_array_equal(machine.predict(x[:, None]), x > 0)


@pytest.mark.parametrize(
    "y",
    [np.full(30, 0.1), 1e12 * np.arange(30.0), np.append(np.arange(29.0), 1e6), np.sign(np.arange(30) - 9.5)],
)
def test_hostile_targets(y):
    X, _ = data(RVMRegressor, n=30)
    machine = fit_and_check(RVMRegressor(**VARIATIONAL), X, y)
    assert machine.noise_std_ <= 2 * max(np.ptp(y), 1e-2)
    assert np.isfinite(machine.predict_distribution(X).interval(0.9)).all()


@every_machine
def test_too_few_rounds_warn(Machine):
    X, y = data(Machine)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        machine = Machine(gamma=0.5, max_iter=1, **VARIATIONAL).fit(X, y)
    assert not machine.converged_


@every_machine
def test_choice_of_gamma_penalises_columns_and_not_the_hyperprior(Machine):
    # A flatter hyperprior charges every column more, used or not; what is said about gamma stays the same.
    X, y = data(Machine)
    known, flat, flatter = (
        Machine(**arguments).fit(X, y)
        for arguments in ({}, VARIATIONAL, {**VARIATIONAL, "hyperprior": (1e-9, 1e-9)})
    )
    assert flatter.gamma_ == pytest.approx(flat.gamma_, rel=1e-3)
    shared = min(len(flat.trials_), len(flatter.trials_))
    scores, bounds = (
        np.abs(flat.trials_[name][:shared] - flatter.trials_[name][:shared])
        for name in ("score", "log_evidence")
    )
    np.testing.assert_allclose(scores, 0, atol=0.1)
    assert (bounds > 6 * flat.trials_["n_terms"][:shared]).all()
    assert np.abs(np.log(flat.gamma_ / known.gamma_)) < np.log(4)


def test_probabilities_where_classes_hardly_overlap():
    # The variances of the bound, which are too small, would make the loss .24; with known precisions: .11.
    losses = []
    for seed in range(3):
        X, y = make_twonorm(300, random_state=2 * seed)
        new, truth = make_twonorm(2000, random_state=2 * seed + 1)
        machine = RVMClassifier(gamma=0.05, **VARIATIONAL).fit(X, y)
        losses.append(log_loss(truth, machine.predict_proba(new)))
    assert np.mean(losses) < 0.17


def test_search_starts_from_the_columns_of_maximised_evidence():
    X, y = make_ripley(200, random_state=0)
    plain, ours = (RVMClassifier(gamma=2.0, inference=kind).fit(X, y) for kind in ("laplace", "variational"))
    assert ours.path_["n_terms"][0] == len(plain.relevance_)
    assert len(ours.relevance_) <= len(plain.relevance_)
