"""Kernels against their formulas."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gamma, kv

from pauca.basis import KERNELS, FunctionKernel, Linear, Polynomial, as_kernel


def matern(x, z, nu):
    """The Matérn kernel of any smoothness, by a Bessel function."""
    r = np.sqrt(2 * nu * 2 * 0.7) * np.linalg.norm(x - z)
    return 2 ** (1 - nu) / gamma(nu) * r**nu * kv(nu, r)


WITH_GAMMA = ("rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly")
FORMULAS = {
    "rbf": lambda x, z: np.exp(-0.7 * np.sum((x - z) ** 2)),
    "laplacian": lambda x, z: np.exp(-0.7 * np.sum(np.abs(x - z))),
    "poly": lambda x, z: (0.7 * x @ z + 1.5) ** 2,
    "linear": lambda x, z: x @ z,
    "cosine": lambda x, z: x @ z / np.linalg.norm(x) / np.linalg.norm(z),
    "matern32": lambda x, z: matern(x, z, 1.5),
    "matern52": lambda x, z: matern(x, z, 2.5),
    "rational_quadratic": lambda x, z: 1 / (1 + 0.7 * np.sum((x - z) ** 2)),
}
every_kernel = pytest.mark.parametrize("name", FORMULAS)


def pair(seed, n=9, m=4, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d))


def test_every_named_kernel_has_a_formula_here():
    assert {*FORMULAS, "precomputed"} == set(KERNELS)
    assert set(WITH_GAMMA) <= set(KERNELS)


@every_kernel
@pytest.mark.parametrize("seed", range(2))
def test_formula(name, seed):
    X, Z = pair(seed)
    expected = [[FORMULAS[name](x, z) for z in Z] for x in X]
    np.testing.assert_allclose(as_kernel(name, gamma=0.7, degree=2, coef0=1.5)(X, Z), expected, rtol=1e-10)


@every_kernel
@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_equals_dense(name, make, index):
    X, Z = (np.where(np.abs(part) > 0.8, part, 0.0) for part in pair(3))

    def packed(part):
        part = make(part)
        part.indices, part.indptr = part.indices.astype(index), part.indptr.astype(index)
        return part

    kernel = as_kernel(name, gamma=0.7)
    np.testing.assert_allclose(kernel(packed(X), packed(Z)), kernel(X, Z), atol=1e-12)


@every_kernel
def test_gamma_belongs_to_those_that_have_it(name):
    X, Z = pair(1)
    changed = not np.allclose(as_kernel(name).with_gamma(0.1)(X, Z), as_kernel(name).with_gamma(2.0)(X, Z))
    assert changed == as_kernel(name).has_gamma == (name in WITH_GAMMA)


@every_kernel
def test_stationary_kernels_see_differences_only(name):
    X, Z = pair(2)
    same = np.allclose(as_kernel(name)(X, Z), as_kernel(name)(X + 5, Z + 5))
    assert same == as_kernel(name).is_stationary


def test_function():
    X, Z = pair(4)
    kernel = as_kernel(lambda a, b: a[:, :1] - b[:, 0])
    np.testing.assert_array_equal(kernel(X, Z), X[:, :1] - Z[:, 0])
    assert not kernel.has_gamma
    assert not kernel.is_stationary


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a, b: np.ones(3), "shape"),
        (lambda a, b: (a @ b.T).T, "shape"),
        (lambda a, b: np.full((len(a), len(b)), np.nan), "not finite"),
    ],
)
def test_wrong_function_is_named(function, message):
    with pytest.raises(ValueError, match=f"kernel.*{message}"):
        FunctionKernel(function)(*pair(5))


@pytest.mark.parametrize(
    ("kernel", "scale"),
    [(Linear(), 1e200), (Polynomial(), 1e120), (Polynomial(degree=2.5, coef0=-5.0), 1.0)],
)
def test_values_that_are_not_finite_are_refused(kernel, scale):
    X, Z = pair(6)
    with pytest.raises(ValueError, match=f"{kernel.name}.*not finite.*[Ss]cale the features"):
        kernel(scale * X, scale * Z)
