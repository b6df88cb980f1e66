"""Kernels against their formulas."""

import numpy as np
import pytest
from scipy import sparse

from pauca.basis import KERNELS, WITH_GAMMA, Kernel

FORMULAS = {
    "rbf": lambda x, z: np.exp(-0.7 * np.sum((x - z) ** 2)),
    "laplacian": lambda x, z: np.exp(-0.7 * np.sum(np.abs(x - z))),
    "poly": lambda x, z: (0.7 * x @ z + 1.5) ** 2,
    "linear": lambda x, z: x @ z,
    "cosine": lambda x, z: x @ z / np.linalg.norm(x) / np.linalg.norm(z),
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
    np.testing.assert_allclose(Kernel(name, gamma=0.7, degree=2, coef0=1.5)(X, Z), expected, rtol=1e-10)


@every_kernel
@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_equals_dense(name, make, index):
    X, Z = (np.where(np.abs(part) > 0.8, part, 0.0) for part in pair(3))

    def packed(part):
        part = make(part)
        part.indices, part.indptr = part.indices.astype(index), part.indptr.astype(index)
        return part

    kernel = Kernel(name, gamma=0.7)
    np.testing.assert_allclose(kernel(packed(X), packed(Z)), kernel(X, Z), atol=1e-12)


@every_kernel
def test_gamma_belongs_to_those_that_have_it(name):
    X, Z = pair(1)
    changed = not np.allclose(Kernel(name).with_gamma(0.1)(X, Z), Kernel(name).with_gamma(2.0)(X, Z))
    assert changed == Kernel(name).has_gamma == (name in WITH_GAMMA)


@every_kernel
def test_stationary_kernels_see_differences_only(name):
    X, Z = pair(2)
    same = np.allclose(Kernel(name)(X, Z), Kernel(name)(X + 5, Z + 5))
    assert same == Kernel(name).is_stationary


def test_function():
    X, Z = pair(4)
    kernel = Kernel(lambda a, b: a[:, :1] - b[:, 0])
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
        Kernel(function)(*pair(5))


@pytest.mark.parametrize(
    ("kernel", "scale"),
    [(Kernel("linear"), 1e200), (Kernel("poly"), 1e120), (Kernel("poly", degree=2.5, coef0=-5.0), 1.0)],
)
def test_values_that_are_not_finite_are_refused(kernel, scale):
    X, Z = pair(6)
    with pytest.raises(ValueError, match=f"{kernel.name}.*not finite.*[Ss]cale the features"):
        kernel(scale * X, scale * Z)
