"""A fit that raises or is interrupted leaves the estimator as it was."""

import sys
import threading
import warnings

import numpy as np
import pytest
from every_estimator import CONSTRUCTORS
from sklearn.base import clone, is_classifier
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier

import pauca
from pauca import (
    ARDClassifier,
    InstancePrunedBoostingClassifier,
    InstancePrunedBoostingRegressor,
    PrunedEnsembleClassifier,
    RVMClassifier,
    RVMRegressor,
    SparseGPClassifier,
    SparseGPRegressor,
    SpikeSlabRegressor,
)

PACKAGE = pauca.__file__.rsplit("/", 1)[0]
SMALL = {"n_init": 1, "max_iter": 20}
# Machines that learn from further rows.
BLOCKS = SparseGPClassifier, SparseGPRegressor
# Number of places in a fit at which it is broken off.
N_PLACES = 12


def estimators():
    """Every estimator, with short searches."""
    made = [make() for make in CONSTRUCTORS]
    for estimator in made:
        known = estimator.get_params(deep=False)
        estimator.set_params(**{name: value for name, value in SMALL.items() if name in known})
    return made


def training_data(estimator, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(36, 3)) + seed
    f = X[:, 0] - seed + 0.3 * rng.normal(size=36)
    return X, (f > 0).astype(int) if is_classifier(estimator) else f


class Stopped(Exception):
    """An error that nothing expects."""


class Interrupted:
    """Context in which the call of a function of pauca raises, the ``place``-th of all."""

    def __init__(self, error=None, place=-1):
        self.error, self.place, self.n_calls = error, place, 0

    def _trace(self, frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_name != "<genexpr>":
            self.n_calls += 1
            if self.n_calls == self.place:
                raise self.error

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *error):
        sys.settrace(self.before)


def quietly(learn, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learn(*data)


def fit(estimator, X, y):
    return quietly(estimator.fit, X, y)


@pytest.mark.parametrize("estimator", estimators(), ids=lambda each: type(each).__name__)
def test_an_interrupted_fit_changes_nothing(estimator):
    X, y = training_data(estimator, 0)
    fitted = fit(estimator, X, y)
    assert_interrupted_changes_nothing(fitted, "fit", X, *training_data(estimator, 3))


@pytest.mark.parametrize(
    ("estimator", "learn"),
    [
        *((kind("rbf"), name) for kind in BLOCKS for name in ("update", "partial_fit")),
        (
            InstancePrunedBoostingClassifier(GradientBoostingClassifier(n_estimators=6, random_state=0), 0.9),
            "calibrate",
        ),
        (
            InstancePrunedBoostingRegressor(GradientBoostingRegressor(n_estimators=6, random_state=0), 0.9),
            "calibrate",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_interrupted_further_training_changes_nothing(estimator, learn):
    X, y = training_data(estimator, 0)
    fitted = fit(estimator, X, y)
    more = training_data(estimator, 1)
    assert_interrupted_changes_nothing(fitted, learn, X, *(more[:1] if learn == "calibrate" else more))


def assert_interrupted_changes_nothing(fitted, learn, X, *other, places=()):
    """A method that learns from ``other`` is broken off at many places; predictions of X stay as they are."""
    expected, state = fitted.predict(X), dict(vars(fitted))
    twin = object.__new__(type(fitted))
    twin.__dict__.update(state)
    with Interrupted() as counter:
        quietly(getattr(twin, learn), *other)
    # The first calls, where arguments are checked and attributes set, and places over nearly the whole call:
    # a second one may make a few calls less, where values are cached.
    places = places or {3, 7, *np.linspace(1, 0.9 * counter.n_calls, N_PLACES).astype(int).tolist()}
    assert counter.n_calls > 7
    for k, place in enumerate(sorted(places)):
        error = (Stopped, KeyboardInterrupt)[k % 2]
        with pytest.raises(error, match="stop here"), Interrupted(error("stop here"), place):
            quietly(getattr(fitted, learn), *other)
        assert vars(fitted).keys() == state.keys()
        assert all(value is state[name] for name, value in vars(fitted).items())
    np.testing.assert_array_equal(fitted.predict(X), expected)


SHORT = (
    RVMClassifier(gamma=0.3, max_iter=2),
    RVMRegressor(gamma=0.3, max_iter=2),
    ARDClassifier(max_iter=2),
    SpikeSlabRegressor(max_iter=2),
    SparseGPClassifier("linear", max_vectors=2),
    PrunedEnsembleClassifier(RandomForestClassifier(3, random_state=0), random_state=0),
)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", SHORT, ids=lambda each: type(each).__name__)
def test_an_interruption_at_every_call_of_a_short_fit_changes_nothing(estimator):
    """Far apart, after the first five hundred: a call in a loop is interrupted in one of its turns."""
    X, y = (part[:12] for part in training_data(estimator, 0))
    other = tuple(part[:12] for part in training_data(estimator, 3))
    fitted = fit(estimator, X, y)
    with Interrupted() as counter:
        fit(clone(fitted), *other)
    n_calls = int(0.9 * counter.n_calls)
    places = [*range(1, min(n_calls, 500)), *range(500, n_calls, max(1, n_calls // 300))]
    assert_interrupted_changes_nothing(fitted, "fit", X, *other, places=places)


@pytest.mark.parametrize("Machine", [RVMClassifier, RVMRegressor, SparseGPClassifier])
def test_a_refused_argument_changes_nothing(Machine):
    X, y = training_data(Machine(), 0)
    machine = Machine(gamma=0.3).fit(X, y)
    expected = machine.predict(X)
    machine.set_params(random_state="bad")
    with pytest.raises(ValueError, match="random_state"):
        machine.fit(X + 50, y)
    np.testing.assert_array_equal(machine.predict(X), expected)


def test_other_threads_predict_with_the_old_machine_during_a_fit():
    started, finish = threading.Event(), threading.Event()
    old = training_data(RVMClassifier(), 0)
    machine = RVMClassifier(gamma=0.3).fit(*old)
    expected = machine.predict_proba(old[0])

    def slow(A, B):
        started.set()
        finish.wait(100)
        return A @ B.T

    machine.set_params(kernel=slow)
    thread = threading.Thread(target=machine.fit, args=training_data(machine, 3))
    thread.start()
    assert started.wait(100)
    machine_kernel = machine._kernel
    finish.set()
    thread.join()
    assert machine._kernel is not machine_kernel
    assert not np.array_equal(machine.predict_proba(old[0]), expected)


def test_fit_returns_the_estimator_itself():
    X, y = training_data(RVMRegressor(), 0)
    machine = RVMRegressor(gamma=0.3)
    assert machine.fit(X, y) is machine
