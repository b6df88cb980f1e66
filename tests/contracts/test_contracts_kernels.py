"""What every kernel promises: values, derivatives, reference widths, and a place in the register."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine, make_moons

import pauca
from pauca.basis import (
    KERNELS,
    RBF,
    Additive,
    ColumnMeasure,
    Cosine,
    FunctionKernel,
    GivenRows,
    Kernel,
    KernelWithoutGamma,
    Laplacian,
    Linear,
    Matern32,
    Matern52,
    Polynomial,
    Precomputed,
    RationalQuadratic,
    Scaled,
    as_kernel,
    register_kernel,
    unregister_kernel,
)


def additive(profile):
    """Additive kernel of a number, and of two placed columns that belong together."""
    knots = np.random.default_rng(7).normal(size=(6, 3))
    columns = [(np.array([0]), knots[:, :1]), (np.array([1, 2]), knots[:, 1:])]
    measures = tuple(ColumnMeasure(*column, np.full(6, 1 / 6)) for column in columns)
    return Additive(measures, np.array([1.2, 0.4]), np.array([0.8, 1.5]), np.array([0.6, 1.1]), profile)


CASES = {
    "rbf": RBF(0.7),
    "laplacian": Laplacian(0.7),
    "matern32": Matern32(0.7),
    "matern52": Matern52(0.7),
    "rational_quadratic": RationalQuadratic(0.7, alpha=0.6),
    "poly": Polynomial(0.7, degree=2, coef0=1.5),
    "linear": Linear(),
    "linear with a constant": Linear(2.0),
    "cosine": Cosine(),
    "additive": additive("laplacian"),
    "additive of rbf": additive("rbf"),
    "scaled": Scaled(Matern32(0.5), 1.7, np.array([0.4, 1.3]), np.array([0, 1, 1])),
    "function": FunctionKernel(lambda X, Z: np.minimum(np.exp(X[:, :1]), np.exp(Z[:, 0]))),
    "rbf + linear": RBF(0.7) + Linear(1.0),
    "rbf * poly": RBF(0.7) * Polynomial(0.2),
    "(rbf + laplacian) * matern32": (RBF(0.7) + Laplacian(0.1)) * Matern32(0.3),
    "linear * cosine": Linear() * Cosine(),
    "rbf + function": RBF(0.7) + FunctionKernel(lambda X, Z: X @ Z.T),
}
every_kernel = pytest.mark.parametrize("kernel", CASES.values(), ids=CASES.keys())


def of(condition):
    chosen = {name: kernel for name, kernel in CASES.items() if condition(kernel)}
    return pytest.mark.parametrize("kernel", chosen.values(), ids=chosen.keys())


def pair(seed=0, n=9, m=4, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d))


def descendants(cls):
    for child in cls.__subclasses__():
        yield child
        yield from descendants(child)


def test_every_kernel_class_is_tested_here():
    own = {cls for cls in descendants(Kernel) if cls.__module__.startswith("pauca.")}
    concrete = {cls for cls in own if not cls.__abstractmethods__} - {Precomputed, GivenRows}
    tested = {type(kernel) for kernel in CASES.values()}
    assert concrete <= tested
    assert set(KERNELS.values()) <= tested | {Precomputed}
    assert {cls.name for cls in KERNELS.values()} == set(KERNELS)


@every_kernel
@pytest.mark.parametrize("seed", range(3))
def test_symmetric_and_positive_semidefinite(kernel, seed):
    X, _ = pair(seed, n=30)
    K = kernel(X, X)
    np.testing.assert_allclose(K, K.T, rtol=1e-12)
    assert np.linalg.eigvalsh(K).min() > -1e-9 * np.trace(K)


@every_kernel
@pytest.mark.parametrize("n", [1, 5, 300])
def test_diagonal(kernel, n):
    X, _ = pair(1, n=n)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(kernel(X, X)), rtol=1e-12)


@of(lambda kernel: kernel.name == "laplacian")
def test_no_rows_give_no_values(kernel):
    X, _ = pair()
    assert kernel(X, X[:0]).shape == (9, 0)
    assert kernel(X[:0], X[:0]).shape == (0, 0)


@every_kernel
def test_stationary_kernels_see_differences_only(kernel):
    X, Z = pair(2)
    assert np.allclose(kernel(X, Z), kernel(X + 5, Z + 5)) == kernel.is_stationary


@of(lambda kernel: kernel.takes_sparse)
@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array])
def test_sparse_equals_dense(kernel, make):
    X, Z = (np.where(np.abs(part) > 0.8, part, 0.0) for part in pair(3))
    upstream = np.random.default_rng(1).normal(size=(9, 4))
    methods = [kernel, lambda X, Z: kernel.scale_gradient(X, Z, upstream)]
    if kernel.has_gamma:
        methods.append(kernel.log_gamma_derivative)
        methods.append(lambda X, Z: kernel.parameter_gradient(X, Z, upstream))
    for method in methods:
        np.testing.assert_allclose(method(make(X), make(Z)), method(X, Z), atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(make(X)), kernel.diagonal(X), atol=1e-12)
    assert kernel.reference_gamma(make(X)) == pytest.approx(kernel.reference_gamma(X))


@of(lambda kernel: kernel.has_gamma)
@pytest.mark.parametrize("seed", range(2))
def test_derivative_in_log_gamma(kernel, seed):
    (X, Z), h = pair(seed), 1e-6
    X[0] = Z[0]
    above, below = (kernel.with_gamma(kernel.gamma * np.exp(step))(X, Z) for step in (h, -h))
    found = kernel.log_gamma_derivative(X, Z)
    np.testing.assert_allclose(found, (above - below) / (2 * h), rtol=1e-5, atol=1e-8)


@of(lambda kernel: not kernel.has_gamma)
def test_without_gamma_there_is_no_derivative_in_it(kernel):
    assert kernel.with_gamma(3.0) == kernel
    assert not hasattr(kernel, "gamma")
    with pytest.raises(ValueError, match="no gamma"):
        kernel.log_gamma_derivative(*pair())


@of(lambda kernel: kernel.has_gamma)
def test_gamma_there_and_back(kernel):
    X, Z = pair(4)
    other = kernel.with_gamma(3 * kernel.gamma)
    assert other.gamma == pytest.approx(3 * kernel.gamma)
    assert not np.allclose(other(X, Z), kernel(X, Z))
    np.testing.assert_allclose(other.with_gamma(kernel.gamma)(X, Z), kernel(X, Z), rtol=1e-12)


@of(lambda kernel: kernel.has_scale_gradient)
@pytest.mark.parametrize("seed", range(2))
def test_gradient_in_the_scales_of_features(kernel, seed):
    (X, Z), h = pair(seed), 1e-5
    upstream = np.random.default_rng(seed + 10).normal(size=(9, 4))

    def objective(logs):
        scales = np.exp(0.5 * logs)
        return (upstream * kernel(X * scales, Z * scales)).sum()

    expected = [(objective(step) - objective(-step)) / (2 * h) for step in h * np.eye(3)]
    for values in (None, kernel(X, Z)):
        found = kernel.scale_gradient(X, Z, upstream, values)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@every_kernel
@pytest.mark.parametrize("seed", range(2))
def test_gradient_in_the_parameters(kernel, seed):
    (X, Z), h = pair(seed), 1e-5
    X[0] = Z[0]
    upstream, logs = np.random.default_rng(seed + 10).normal(size=(9, 4)), kernel.log_parameters

    def objective(step):
        return (upstream * kernel.with_log_parameters(logs + step)(X, Z)).sum()

    expected = [(objective(step) - objective(-step)) / (2 * h) for step in h * np.eye(len(logs))]
    for values in (None, kernel(X, Z)):
        found = kernel.parameter_gradient(X, Z, upstream, values)
        assert found.shape == logs.shape
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@every_kernel
def test_gradient_of_the_diagonal_in_the_parameters(kernel):
    (X, _), h = pair(2), 1e-5
    upstream, logs = np.random.default_rng(5).normal(size=len(X)), kernel.log_parameters
    steps = h * np.eye(len(logs))
    diagonals = [[kernel.with_log_parameters(logs + s * d).diagonal(X) for s in (1, -1)] for d in steps]
    expected = [upstream @ (above - below) / (2 * h) for above, below in diagonals]
    found = kernel.diagonal_gradient(X, upstream)
    assert found.shape == logs.shape
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@every_kernel
def test_parameters_there_and_back(kernel):
    (X, Z), logs = pair(4), kernel.log_parameters
    if not any(isinstance(part, Additive | Scaled) for part in kernel.parts):
        assert len(logs) == sum(part.has_gamma for part in kernel.parts)
    np.testing.assert_allclose(kernel.with_log_parameters(logs + 0.3).log_parameters, logs + 0.3)
    np.testing.assert_allclose(kernel.with_log_parameters(logs)(X, Z), kernel(X, Z), rtol=1e-12)


def test_parts_have_parameters_of_their_own():
    kernel = (RBF(2.0) + Linear()) * Matern52(6.0)
    found = [part.gamma for part in kernel.with_log_parameters(np.log([3.0, 5.0])).parts if part.has_gamma]
    np.testing.assert_allclose(found, [3.0, 5.0])


@pytest.mark.parametrize("kernel", [*(k for k in CASES.values() if not k.has_scale_gradient), Precomputed()])
def test_without_a_gradient_in_the_scales_the_kernel_is_named(kernel):
    X, Z = pair()
    with pytest.raises(
        ValueError, match=r"'(function|precomputed|additive|scaled.*)' kernel has no derivative"
    ):
        kernel.scale_gradient(X, Z, np.ones((9, 4)))


def test_precomputed_values_are_not_evaluated():
    K = RBF()(*(2 * [pair()[0]]))
    np.testing.assert_array_equal(Precomputed().diagonal(K), np.diag(K))
    with pytest.raises(ValueError, match=r"precomputed.*cannot be evaluated"):
        Precomputed()(K, K)
    with pytest.raises(ValueError, match="precomputed kernel cannot be composed"):
        RBF() + Precomputed()


def test_given_rows_are_looked_up():
    X, Z = pair()
    K = RBF()(np.vstack([X, Z]), X)
    known, new = GivenRows.numbered(K[:9], np.arange(9)), GivenRows.numbered(K[9:], -1.0)
    kernel = GivenRows(2.0)
    np.testing.assert_array_equal(kernel(known, known), K[:9])
    np.testing.assert_array_equal(kernel(new, known[2:5]), K[9:, 2:5])
    np.testing.assert_array_equal(kernel(known[2:5], new), K[9:, 2:5].T)
    expected = np.append(np.ones(9), [2.0] * 4)
    np.testing.assert_allclose(kernel.diagonal(np.vstack([known, new])), expected)


def test_compositions_scale_their_gammas_in_proportion():
    kernel = ((RBF(2.0) + Linear()) * Matern52(6.0)).with_gamma(1.0)
    assert kernel == (RBF(1.0) + Linear()) * Matern52(3.0)
    assert kernel.name == "(rbf + linear) * matern52"
    X, _ = pair()
    assert (Linear() + Laplacian()).reference_gamma(X) == Laplacian().reference_gamma(X)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: RBF(0.0), "gamma"),
        (lambda: Matern32(np.nan), "gamma"),
        (lambda: Polynomial(degree=0), "degree"),
        (lambda: RationalQuadratic(alpha=-1.0), "alpha"),
    ],
)
def test_wrong_parameters_are_named(make, name):
    with pytest.raises(ValueError, match=f"{name} must be a number above 0"):
        make()


def test_kernels_of_arguments():
    assert as_kernel("poly", gamma=0.5, degree=2, coef0=3.0) == Polynomial(0.5, 2, 3.0)
    assert as_kernel("linear", coef0=3.0) == Linear()
    assert as_kernel("rational_quadratic", gamma=2.0) == RationalQuadratic(2.0)
    assert as_kernel(CASES["rbf * poly"]) is CASES["rbf * poly"]
    assert as_kernel(np.dot) == FunctionKernel(np.dot)
    with pytest.raises(ValueError, match=r"kernel must be one of 'rbf', 'laplacian'.*got 'sigmoid'"):
        as_kernel("sigmoid")
    with pytest.raises(ValueError, match=r"instance: write RBF\(\)"):
        as_kernel(RBF)
    with pytest.raises(TypeError):
        RBF() + 1


def standardised(X, y, n=150):
    """Some rows, standardised, with centred targets of variance one."""
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    X, y = X[rows], y[rows].astype(float)
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


# Targets that bend at the scale of the spread of the features, of which there are 2, 13 and 30. Targets that
# are nearly linear in the features (diabetes, Friedman #1) want a wider kernel, by a factor of up to five.
SETS = {
    "moons": standardised(*make_moons(200, noise=0.2, random_state=0)),
    "wine": standardised(*load_wine(return_X_y=True)),
    "breast cancer": standardised(*load_breast_cancer(return_X_y=True)),
}
# Powers of two by which gamma differs from the reference.
OCTAVES = np.arange(-4, 4.1, 0.25)
# Differences of log evidence that do not tell two widths apart, in nats.
AS_GOOD = 2.0


def log_evidence(K, y):
    """Log evidence of a Gaussian process with a bias, maximised over the amplitude and the noise."""
    eigenvalues, vectors = np.linalg.eigh(1 + K)
    squares = np.square(vectors.T @ y)
    totals = [np.maximum(eigenvalues, 0) + noise for noise in 2.0 ** np.arange(-10, 6, 0.5)]
    return max(-0.5 * (len(y) * np.log(np.mean(squares / total)) + np.log(total).sum()) for total in totals)


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("name", [name for name, cls in KERNELS.items() if cls.has_gamma])
def test_reference_width_is_within_a_factor_of_two_of_the_best(name, data):
    X, y = SETS[data]
    kernel, reference = as_kernel(name), as_kernel(name).reference_gamma(X)
    scores = np.array([log_evidence(kernel.with_gamma(reference * 2.0**k)(X, X), y) for k in OCTAVES])
    assert np.abs(OCTAVES[scores >= scores.max() - AS_GOOD]).min() <= 1


def test_reference_width_of_constant_features():
    for cls in KERNELS.values():
        assert cls().reference_gamma(np.ones((5, 2))) > 0


MACHINES = [
    pauca.RVMClassifier,
    pauca.EPCVMClassifier,
    pauca.SparseGPClassifier,
    pauca.PCVMClassifier,
    pauca.ARDClassifier,
    pauca.BayesMachineClassifier,
    pauca.SparseBayesMachineClassifier,
]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kernel", ["matern32", "matern52", "rational_quadratic", RBF(2.0) + Linear(1.0)])
def test_every_machine_takes_names_and_kernels(machine, kernel):
    X, y = make_moons(80, noise=0.2, random_state=0)
    fitted = clone(machine(kernel)).fit(X, y)
    assert fitted.get_params()["kernel"] == kernel
    assert fitted.score(X, y) > 0.85
    found = getattr(fitted, "kernel_", None) or fitted._kernel
    assert found.name == as_kernel(kernel).name
    assert found.gamma == pytest.approx(fitted.gamma_)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_name_and_its_kernel_are_the_same(machine):
    X, y = make_moons(60, noise=0.2, random_state=0)
    by_name, by_kernel = (machine(kernel, 0.5).fit(X, y) for kernel in ("rbf", RBF()))
    np.testing.assert_array_equal(by_name.predict_proba(X), by_kernel.predict_proba(X))
    K = RBF(0.5)(X, X)
    by_name, by_kernel = (machine(kernel).fit(K, y) for kernel in ("precomputed", Precomputed()))
    np.testing.assert_array_equal(by_name.predict_proba(K), by_kernel.predict_proba(K))


@dataclass(frozen=True)
class Cauchy(Kernel):
    """1 / (1 + gamma |x − z|²), as a user would write it."""

    gamma: float = 1.0
    name = "cauchy"

    def _values(self, X, Z):
        return RationalQuadratic(self.gamma)(X, Z)

    def log_gamma_derivative(self, X, Z):
        return RationalQuadratic(self.gamma).log_gamma_derivative(X, Z)

    def scale_gradient(self, X, Z, upstream, values=None):
        return RationalQuadratic(self.gamma).scale_gradient(X, Z, upstream, values)


@dataclass(frozen=True)
class NoDerivative(Kernel):
    gamma: float = 1.0
    name = "no derivative"

    def _values(self, X, Z):
        return RBF(self.gamma)(X, Z)


@dataclass(frozen=True)
class NoGamma(Cauchy):
    name = "rbf"


class Plain(Cauchy):
    name = "plain"


@pytest.mark.parametrize(
    ("cls", "error", "message"),
    [
        (NoDerivative, TypeError, "lacks log_gamma_derivative, scale_gradient"),
        (NoGamma, ValueError, "name that is not taken; got 'rbf'"),
        (Plain, TypeError, "dataclass"),
        (KernelWithoutGamma, TypeError, "lacks _values"),
        (np.dot, TypeError, "subclass of Kernel"),
    ],
)
def test_what_cannot_be_registered(cls, error, message):
    before = list(KERNELS)
    with pytest.raises(error, match=message):
        register_kernel(cls)
    assert list(KERNELS) == before


def test_a_kernel_without_a_derivative_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        NoDerivative()


@pytest.fixture
def cauchy():
    yield register_kernel(Cauchy)
    unregister_kernel("cauchy")


def test_a_new_kernel_is_used_by_name(cauchy):
    X = np.linspace(-3, 3, 40)[:, None]
    y = np.sin(2 * X.ravel())
    machine, same = (
        pauca.RVMRegressor(kernel, feature_scales=None).fit(X, y) for kernel in ("cauchy", Cauchy())
    )
    assert np.abs(machine.predict(X) - y).max() < 0.1
    np.testing.assert_array_equal(machine.predict(X), same.predict(X))
    assert machine._kernel == Cauchy(machine.gamma_)


def test_an_unregistered_name_is_not_known(cauchy):
    assert "cauchy" in KERNELS
    unregister_kernel("cauchy")
    with pytest.raises(ValueError, match="kernel must be one of"):
        pauca.RVMRegressor("cauchy").fit(np.eye(3), np.arange(3.0))
    register_kernel(Cauchy)
