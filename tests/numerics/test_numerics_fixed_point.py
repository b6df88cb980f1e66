"""Accelerated iterations against plain ones and against the fixed point itself."""

import numpy as np
import pytest

from pauca.numerics import Accelerator


def iterate(g, x, accelerator=None, tol=1e-8, max_iter=5000, units=1.0):
    """The point where a step is short, and the number of steps."""
    for n_steps in range(1, max_iter + 1):
        image = g(x)
        if np.abs(image - x).max() < tol:
            return image, n_steps
        x = accelerator.after(x, image, units) if accelerator else image
    return x, max_iter


def linear_map(seed, n=40, rate=0.97):
    """x ← A x + b with eigenvalues of A up to ``rate``, and its fixed point."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(n, n)))
    A = basis @ np.diag(np.append([rate, 0.9, -0.8], rng.uniform(-0.4, 0.4, n - 3))) @ basis.T
    b = rng.normal(size=n)
    return lambda x: A @ x + b, np.linalg.solve(np.eye(n) - A, b)


@pytest.mark.parametrize("seed", range(4))
def test_linear_maps_settle_where_they_should_in_far_fewer_steps(seed):
    g, truth = linear_map(seed)
    plain, n_plain = iterate(g, np.zeros(40))
    found, n_steps = iterate(g, np.zeros(40), Accelerator())
    np.testing.assert_allclose(plain, truth, atol=1e-5)
    np.testing.assert_allclose(found, truth, atol=1e-5)
    assert n_steps < n_plain / 4


@pytest.mark.parametrize("seed", range(4))
def test_nonlinear_maps_settle_at_the_same_point(seed):
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(30, 30))
    W, b = 1.1 * (W + W.T) / np.abs(np.linalg.eigvalsh(W + W.T)).max(), 0.3 * rng.normal(size=30)
    plain, n_plain = iterate(lambda x: np.tanh(W @ x + b), np.zeros(30))
    found, n_steps = iterate(lambda x: np.tanh(W @ x + b), np.zeros(30), Accelerator())
    np.testing.assert_allclose(found, plain, atol=1e-6)
    assert n_steps < n_plain


def test_saddles_are_left_faster_than_by_plain_steps():
    def g(x):
        """Away from 0, which is a saddle, to ±1 along the first axis."""
        return np.array([x[0] + 0.05 * x[0] * (1 - x[0] ** 2), 0.5 * x[1]])

    start = np.array([1e-3, 1.0])
    plain, n_plain = iterate(g, start)
    found, n_steps = iterate(g, start, Accelerator())
    np.testing.assert_allclose(plain, [1, 0], atol=1e-6)
    np.testing.assert_allclose(found, [1, 0], atol=1e-6)
    assert n_steps < n_plain / 2


def test_few_steps_and_fast_ones_are_left_alone():
    accelerator = Accelerator()
    x = np.array([1.0, -2.0])
    for _ in range(6):
        image = 0.3 * x
        assert accelerator.after(x, image) is image
        x = image


def test_units_are_those_of_a_change_of_variables():
    g, _ = linear_map(0)
    scale = np.logspace(-3, 3, 40)
    _, n_steps = iterate(g, np.zeros(40), Accelerator())
    found, n_scaled = iterate(
        lambda x: scale * g(x / scale), np.zeros(40), Accelerator(), tol=1e-5, units=1 / scale
    )
    assert n_scaled < 2 * n_steps
    np.testing.assert_allclose(found / scale, linear_map(0)[1], atol=1e-3)


def test_what_is_forgotten_has_no_effect():
    g, _ = linear_map(1)
    used, fresh = Accelerator(), Accelerator()
    iterate(g, np.ones(40), used, max_iter=10)
    used.forget()
    np.testing.assert_array_equal(
        iterate(g, np.zeros(40), used, max_iter=20)[0], iterate(g, np.zeros(40), fresh, max_iter=20)[0]
    )


def test_a_point_that_stays_put_is_its_own_successor():
    accelerator, x = Accelerator(), np.ones(3)
    for _ in range(5):
        np.testing.assert_array_equal(accelerator.after(x, x.copy()), x)
