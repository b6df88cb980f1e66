"""Wrong arguments and degenerate data: finite numbers, or a ValueError that names the cause."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import get_tags

from pauca import EPCVMClassifier, RVMClassifier, RVMRegressor, SparseGPClassifier

MACHINES = [RVMClassifier, EPCVMClassifier, SparseGPClassifier, RVMRegressor]
every_machine = pytest.mark.parametrize("Machine", MACHINES)


def with_gamma(*gammas):
    """Every machine with every rule for gamma that it has."""
    refused = [(SparseGPClassifier, "loo"), (SparseGPClassifier, "cv")]
    pairs = [(Machine, gamma) for Machine in MACHINES for gamma in gammas]
    return pytest.mark.parametrize(("Machine", "gamma"), [pair for pair in pairs if pair not in refused])


WRONG = [
    ("kernel", "sigmoid"),
    ("kernel", None),
    ("kernel", 3),
    ("gamma", "auto"),
    ("gamma", 0.0),
    ("gamma", -1.0),
    ("gamma", np.nan),
    ("gamma", np.inf),
    ("gamma", None),
    ("gamma", True),
    ("degree", 0),
    ("degree", "three"),
    ("degree", -2),
    ("coef0", "one"),
    ("coef0", np.inf),
    ("coef0", None),
    ("inference", "ep?"),
    ("inference", None),
    ("min_gain", -0.1),
    ("min_gain", "small"),
    ("tol", -1e-3),
    ("tol", np.nan),
    ("max_iter", 0),
    ("max_iter", 2.5),
    ("max_iter", True),
    ("max_iter", None),
    ("max_candidates", 0),
    ("max_candidates", 10.0),
    ("max_candidates", "all"),
    ("random_state", "seed"),
]


def data(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] + 0.3 * rng.normal(size=n)


def target(Machine, t):
    return (t > np.median(t)).astype(int) if Machine is not RVMRegressor else t


def fit_and_check(machine, X, y, new=None):
    """Fit with no warning but of convergence, and look at everything that is predicted."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(X, y)
        new = X if new is None else new
        if not isinstance(machine, RVMRegressor):
            p = machine.predict_proba(new)
            assert np.isfinite(p).all()
            np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-9)
            assert np.isfinite(machine.decision_function(new)).all()
            assert np.isin(machine.predict(new), machine.classes_).all()
        else:
            mean, std = machine.predict(new, return_std=True)
            assert np.isfinite(mean).all()
            assert np.isfinite(std).all()
            assert (std > 0).all()
    assert np.isfinite(machine.log_evidence_)
    assert np.isfinite(machine.dual_coef_).all()
    return machine


@every_machine
@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_argument_is_named(Machine, name, value):
    if name not in Machine().get_params():
        pytest.skip(f"{Machine.__name__} has no argument {name}")
    X, t = data()
    with pytest.raises(ValueError, match=name):
        Machine(**{name: value}).fit(X, target(Machine, t))


@pytest.mark.parametrize("value", ["heavy", {0: -1.0}, {0: np.nan}, 3])
def test_wrong_class_weight_is_named(value):
    X, t = data()
    with pytest.raises(ValueError, match="class_weight"):
        RVMClassifier(class_weight=value).fit(X, target(RVMClassifier, t))


@every_machine
@pytest.mark.parametrize(
    "weights",
    [-np.ones(40), np.zeros(40), np.ones(39), np.full(40, np.nan), np.ones((40, 2)), np.full(40, np.inf)],
)
def test_wrong_sample_weight_is_named(Machine, weights):
    X, t = data()
    with pytest.raises(ValueError, match=r"sample_weight|inconsistent numbers of samples"):
        Machine().fit(X, target(Machine, t), weights)


@every_machine
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(Machine, value):
    X, t = data()
    y = target(Machine, t)
    if np.isnan(value) and get_tags(Machine()).input_tags.allow_nan:
        return  # missing values are learned from
    broken = X.copy()
    broken[3, 1] = value
    with pytest.raises(ValueError, match="X contains"):
        Machine(gamma=1.0).fit(broken, y)
    machine = Machine(gamma=1.0).fit(X, y)
    with pytest.raises(ValueError, match="X contains"):
        machine.predict(broken)
    if Machine is RVMRegressor:
        with pytest.raises(ValueError, match="y contains"):
            Machine(gamma=1.0).fit(X, np.append(t[:-1], value))


@every_machine
def test_wrong_shapes_are_refused(Machine):
    X, t = data()
    y = target(Machine, t)
    for bad_X, bad_y in ((X[:, :0], y), (X[:0], y[:0]), (X, y[:-1]), (X[0], y), (X[None], y)):
        with pytest.raises(ValueError):  # noqa: PT011
            Machine().fit(bad_X, bad_y)
    machine = Machine(gamma=1.0).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        machine.predict(X[:, :2])
    with pytest.raises(NotFittedError):
        Machine().predict(X)


@pytest.mark.parametrize("y", [np.ones(40), np.array(["a"] * 40)])
def test_one_class_is_refused(y):
    with pytest.raises(ValueError, match="two classes"):
        RVMClassifier().fit(data()[0], y)


def test_one_class_of_positive_weight_is_refused():
    X, t = data()
    y = target(RVMClassifier, t)
    with pytest.raises(ValueError, match="two classes"):
        RVMClassifier().fit(X, y, (y == 1).astype(float))


def test_continuous_labels_are_refused():
    X, t = data()
    with pytest.raises(ValueError, match="label type"):
        RVMClassifier().fit(X, t)


@every_machine
def test_sparse_needs_a_named_kernel(Machine):
    X, t = data()
    y = target(Machine, t)
    for kernel in (np.dot, lambda a, b: a @ b.T, "precomputed"):
        with pytest.raises(ValueError, match=r"kernel=.*sparse"):
            Machine(kernel).fit(sparse.csr_matrix(X), y)


@every_machine
@pytest.mark.parametrize(
    ("function", "message"),
    [(lambda a, b: np.ones(3), "shape"), (lambda a, b: np.full((len(a), len(b)), np.nan), "finite")],
)
def test_wrong_kernel_function_is_named(Machine, function, message):
    X, t = data()
    with pytest.raises(ValueError, match=f"kernel.*{message}"):
        Machine(function).fit(X, target(Machine, t))


@every_machine
def test_precomputed_must_be_square(Machine):
    X, t = data()
    with pytest.raises(ValueError, match="square"):
        Machine("precomputed").fit(X, target(Machine, t))


@every_machine
@pytest.mark.parametrize("value", [1e200, 1e300])
def test_values_that_overflow_are_named(Machine, value):
    X, t = data()
    for kernel in ("rbf", "linear", "poly", "laplacian", "cosine"):
        with pytest.raises(ValueError, match=r"X has entries beyond|not finite"):
            Machine(kernel).fit(value * X, target(Machine, t))
    with pytest.raises(ValueError, match=r"X has entries beyond|not finite"):
        Machine("precomputed").fit(value * (X @ X.T), target(Machine, t))


@every_machine
@pytest.mark.parametrize("arguments", [{"degree": 200}, {"degree": 2.5, "coef0": -5.0}, {"gamma": 1e200}])
def test_overflowing_powers_are_named(Machine, arguments):
    X, t = data()
    with pytest.raises(ValueError, match="not finite"):
        Machine(**{"kernel": "poly", "gamma": 1.0, **arguments}).fit(1e3 * X, target(Machine, t))


@pytest.mark.parametrize("value", [1e200, 1e300])
def test_targets_that_overflow_are_named(value):
    X, t = data()
    with pytest.raises(ValueError, match="y has entries beyond"):
        RVMRegressor().fit(X, value * t)


HOSTILE_X = {
    "repeated rows": lambda X: np.repeat(X[: len(X) // 2], 2, axis=0),
    "constant column": lambda X: np.column_stack([X, np.full(len(X), 3.0)]),
    "only constant columns": lambda X: np.full_like(X, -7.5),
    "zeros": np.zeros_like,
    "equal columns": lambda X: X[:, [0, 0, 1, 1]],
    "collinear columns": lambda X: np.column_stack([X, X @ [1.0, -2.0, 0.5]]),
    "huge": lambda X: 1e8 * X,
    "tiny": lambda X: 1e-8 * X,
    "far away": lambda X: X + 1e8,
    "units of their own": lambda X: X * [1e-8, 1.0, 1e8],
    "whole numbers": lambda X: np.round(2 * X).astype(int),
    "yes or no": lambda X: X > 0,
    "one column": lambda X: X[:, :1],
    "more columns than rows": lambda X: np.random.default_rng(0).normal(size=(len(X), 300)),
    "identity": lambda X: np.eye(len(X)),
    "one far row": lambda X: np.vstack([X[:-1], 1e6 * X[-1:]]),
    "integers of 64 bits": lambda X: (X * 1e15).astype(np.int64),
    "single precision": lambda X: X.astype(np.float32),
    "list": lambda X: X.tolist(),
}


@every_machine
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian", "poly", "cosine"])
@pytest.mark.parametrize("kind", HOSTILE_X)
def test_hostile_features(Machine, kernel, kind):
    X, t = data()
    X, y = HOSTILE_X[kind](X), target(Machine, t)
    machine = fit_and_check(Machine(kernel, "evidence" if kernel == "rbf" else "scale"), X, y)
    assert len(machine.relevance_) <= len(t)


@with_gamma("loo", "cv", "scale", 1e-300, 1e-8, 1e8, 1e300)
@pytest.mark.parametrize("kind", ["repeated rows", "zeros", "identity", "one far row"])
def test_hostile_features_and_gamma(Machine, gamma, kind):
    X, t = data(n=20)
    fit_and_check(Machine(gamma=gamma), HOSTILE_X[kind](X)[:20], target(Machine, t))


@with_gamma("evidence", "loo", "cv", "scale", 1.0)
@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_few_rows(Machine, gamma, n):
    X, t = data()
    y = np.arange(n) % 2 if Machine is not RVMRegressor else t[:n]
    fit_and_check(Machine(gamma=gamma), X[:n], y, new=X)


@with_gamma("evidence", "loo", "cv", "scale", 1.0)
@pytest.mark.parametrize("n", [2, 5, 30])
def test_all_rows_equal(Machine, gamma, n):
    y = np.arange(n) % 2
    machine = fit_and_check(Machine(gamma=gamma), np.ones((n, 2)), y, new=data()[0][:, :2])
    # A row that says where the data are does no harm to a Gaussian process.
    assert len(machine.relevance_) <= (Machine is SparseGPClassifier)
    if Machine is not RVMRegressor:
        np.testing.assert_allclose(machine.predict_proba([[1.0, 1.0]])[0, 1], np.mean(y), atol=0.05)
    else:
        np.testing.assert_allclose(machine.predict([[1.0, 1.0]]), np.mean(y), atol=1e-6)


@pytest.mark.parametrize("max_candidates", [1, 2, None])
@with_gamma("evidence", "cv")
def test_few_candidates(Machine, max_candidates, gamma):
    X, t = data(n=20)
    machine = fit_and_check(Machine(gamma=gamma, max_candidates=max_candidates), X, target(Machine, t))
    assert len(machine.relevance_) <= (max_candidates or 20)


@every_machine
@pytest.mark.parametrize(
    "K", [np.zeros((40, 40)), np.ones((40, 40)), np.eye(40), -np.eye(40)], ids=["0", "1", "I", "-I"]
)
def test_degenerate_precomputed_kernels(Machine, K):
    _, t = data()
    machine = fit_and_check(Machine("precomputed"), K, target(Machine, t))
    if not np.ptp(K):
        assert len(machine.relevance_) <= (Machine is SparseGPClassifier)


@pytest.mark.parametrize("gap", [0.0, 1.0, 100.0])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
def test_separable_classes(kernel, gap):
    x = np.linspace(-1, 1, 40)
    x = x + gap * np.sign(x)
    machine = fit_and_check(RVMClassifier(kernel), x[:, None], x > 0)
    np.testing.assert_array_equal(machine.predict(x[:, None]), x > 0)
    p = machine.predict_proba(x[:, None])[:, 1]
    assert p[0] < 0.3
    assert p[-1] > 0.7
    assert len(machine.relevance_) <= 15


@pytest.mark.parametrize("n_rare", [1, 2, 5])
def test_huge_imbalance(n_rare):
    rng = np.random.default_rng(n_rare)
    X, y = rng.normal(size=(400, 2)), np.arange(400) < n_rare
    machine = fit_and_check(RVMClassifier(), X, y)
    assert machine.predict_proba(X)[:, 1].mean() < 0.05
    fit_and_check(RVMClassifier(class_weight="balanced", gamma=0.5), X, y)


@pytest.mark.parametrize("n_classes", [3, 10, 14])
def test_many_classes(n_classes):
    X, _ = data(n=30)
    machine = fit_and_check(RVMClassifier(gamma=0.5), X, np.arange(30) % n_classes)
    assert machine.predict_proba(X).shape == (30, n_classes)


HOSTILE_Y = {
    "constant": np.full(40, 0.1),
    "zeros": np.zeros(40),
    "large constant": np.full(40, 1e12 + 0.1),
    "large": 1e12 * data()[1],
    "small": 1e-12 * data()[1],
    "far from zero": 1e12 + 1e3 * data()[1],
    "noise": np.random.default_rng(9).normal(size=40),
    "one outlier": np.append(data()[1][:-1], 1e6),
    "two values": np.sign(data()[1]),
    "exact": data()[0][:, 0],
    "nearly constant": 1.0 + 1e-15 * np.arange(40),
    "whole": np.arange(40),
}


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("kind", HOSTILE_Y)
def test_hostile_targets(kernel, kind):
    X, _ = data()
    y = HOSTILE_Y[kind]
    machine = fit_and_check(RVMRegressor(kernel), X, y)
    assert machine.noise_std_ <= 2 * max(np.ptp(y), 1e-2)
    inside = machine.predict(X)
    assert inside.min() >= y.min() - np.ptp(y) - 1e-9 * np.abs(y).max()
    assert inside.max() <= y.max() + np.ptp(y) + 1e-9 * np.abs(y).max()


@pytest.mark.parametrize("kind", ["constant", "zeros", "large constant"])
def test_constant_target_needs_no_terms(kind):
    X, _ = data()
    machine = RVMRegressor().fit(X, HOSTILE_Y[kind])
    assert len(machine.relevance_) == 0
    np.testing.assert_allclose(machine.predict(X), HOSTILE_Y[kind], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("noise", [0.0, 1e-6, 1e-3])
def test_smooth_function_with_hardly_any_noise(noise):
    x = np.linspace(-10, 10, 100)[:, None]
    truth = np.sinc(x[:, 0] / np.pi)
    machine = RVMRegressor().fit(x, truth + noise * np.random.default_rng(0).normal(size=100))
    np.testing.assert_allclose(machine.predict(x), truth, atol=0.02)
    assert machine.noise_std_ < 0.02


@every_machine
@pytest.mark.parametrize("size", [1e-300, 1e-6, 1e6, 1e12])
def test_hostile_weights(Machine, size):
    X, t = data()
    y = target(Machine, t)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "sample_weight sums to")
        options = {"max_vectors": 20} if Machine is SparseGPClassifier else {"max_iter": 50}
        machine = Machine(gamma=0.5, **options).fit(X, y, np.full(40, size))
    assert np.isfinite(machine.predict(X).astype(float)).all()
    assert np.isfinite(machine.log_evidence_)
    if Machine is RVMRegressor:
        assert machine.noise_std_ < 10


@every_machine
def test_too_few_rounds_warn(Machine):
    if Machine is SparseGPClassifier:
        pytest.skip("SparseGPClassifier has no rounds to limit")
    X, t = data()
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        machine = Machine(gamma=0.5, max_iter=1).fit(X, target(Machine, t))
    assert not machine.converged_
    assert machine.n_iter_ == 1
    assert np.isfinite(machine.predict(X).astype(float)).all()


@every_machine
@pytest.mark.parametrize("arguments", [{}, {"kernel": "linear"}, {"gamma": "scale"}, {"random_state": None}])
def test_arguments_are_left_as_they_were(Machine, arguments):
    X, t = data()
    y = target(Machine, t)
    kept_X, kept_y = X.copy(), y.copy()
    machine = Machine(**arguments)
    before = machine.get_params()
    machine.fit(X, y)
    assert machine.get_params() == before
    assert clone(machine).get_params() == before
    assert not hasattr(clone(machine), "relevance_")
    np.testing.assert_array_equal(X, kept_X)
    np.testing.assert_array_equal(y, kept_y)


@every_machine
def test_a_second_fit_does_not_depend_on_the_first(Machine):
    X, t = data()
    y = target(Machine, t)
    machine = Machine(gamma=0.5).fit(100 * X[:20, :1], y[::-1][:20])
    fresh = Machine(gamma=0.5).fit(X, y)
    np.testing.assert_array_equal(machine.fit(X, y).predict(X), fresh.predict(X))


def test_random_state_may_be_an_instance():
    X, t = data()
    state = np.random.RandomState(3)
    machine = RVMRegressor(gamma=0.5, random_state=state).fit(X, t)
    assert machine.random_state is state


@every_machine
@pytest.mark.parametrize("weights", [[1e13, 1.0], [1e6, 1e-7]])
def test_weights_of_impossible_size_are_refused(Machine, weights):
    X, t = data()
    with pytest.raises(ValueError, match="sample_weight must not exceed"):
        Machine().fit(X, target(Machine, t), sample_weight=np.resize(weights, 40))


@every_machine
def test_whole_numbers_of_any_size_are_numbers(Machine):
    X, t = data()
    machine = Machine(gamma=0.3, max_candidates=10**400).fit(X, target(Machine, t))
    assert len(machine.relevance_) > 0


def test_text_is_refused_by_the_name_of_its_column():
    X, t = data()
    frame = pd.DataFrame(X, columns=list("abc")).assign(colour=["red", "blue"] * 20)
    with pytest.raises(ValueError, match="X must hold numbers: column 'colour' does not"):
        RVMClassifier().fit(frame, t > 0)
    with pytest.raises(ValueError, match="y must hold numbers; got text"):
        RVMRegressor().fit(X, np.where(t > 0, "a", "b"))
    with pytest.raises(ValueError, match="y must hold numbers"):
        RVMRegressor().fit(X, np.where(t > 0, "a", "b").astype(object))


def test_a_kernel_that_raises_is_named():
    X, t = data()
    with pytest.raises(ValueError, match="kernel raised ZeroDivisionError: division by zero"):
        RVMClassifier(kernel=lambda A, B: 1 / 0).fit(X, t > 0)
