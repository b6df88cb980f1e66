"""Gaussian expectations against closed forms."""

import numpy as np
import pytest
from scipy.special import factorial2

from pauca.numerics import gauss_hermite, gaussian_expectation, log_gaussian_expectation

MEAN = np.array([[-2.0, 0.0, 1.5], [4.0, -0.3, 10.0]])
VAR = np.array([[0.5, 2.0, 0.0], [9.0, 1e-6, 0.1]])


@pytest.mark.parametrize("n_nodes", [2, 5, 32, 64])
def test_rule_is_exact_for_polynomials(n_nodes):
    nodes, weights = gauss_hermite(n_nodes)
    assert (weights > 0).all()
    for power in range(0, min(2 * n_nodes, 20), 2):
        np.testing.assert_allclose(weights @ nodes**power, factorial2(power - 1) if power else 1, rtol=1e-10)
        np.testing.assert_allclose(weights @ nodes ** (power + 1), 0, atol=1e-6)


def test_moments_elementwise():
    np.testing.assert_allclose(gaussian_expectation(lambda f: f, MEAN, VAR), MEAN, atol=1e-12)
    np.testing.assert_allclose(gaussian_expectation(np.square, MEAN, VAR), MEAN**2 + VAR, rtol=1e-11)
    np.testing.assert_allclose(
        gaussian_expectation(np.cos, MEAN, VAR), np.cos(MEAN) * np.exp(-VAR / 2), atol=1e-12
    )


def test_log_of_an_exponential():
    slope = 3.0
    value = log_gaussian_expectation(lambda f: slope * f, MEAN, VAR)
    np.testing.assert_allclose(value, slope * MEAN + slope**2 * VAR / 2, rtol=1e-10)


def test_log_expectation_does_not_underflow():
    mean, var = np.array([-1e4, 3.0]), np.array([1.0, 0.5])
    value = log_gaussian_expectation(lambda f: -1e3 + f, mean, var)
    np.testing.assert_allclose(value, -1e3 + mean + var / 2, rtol=1e-12)


def test_zero_variance_is_a_point():
    values = gaussian_expectation(np.exp, np.array([0.2, -1.0]), np.zeros(2))
    np.testing.assert_allclose(values, np.exp([0.2, -1.0]), rtol=1e-13)
