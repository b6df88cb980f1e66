"""Logarithms of the standard normal distribution by its inverse Mills ratio."""

import numpy as np

from pauca.numerics import inverse_mills, log_ndtr, log_ndtr_by_mills


def test_they_are_those_of_scipy_from_tail_to_tail():
    z = np.concatenate([-np.logspace(5, -3, 60), np.linspace(-5, 40, 901)])
    found = log_ndtr_by_mills(z, inverse_mills(z))
    np.testing.assert_allclose(found, log_ndtr(z), rtol=1e-10, atol=0)
    assert log_ndtr_by_mills(5.0, inverse_mills(5.0)) == log_ndtr(5.0)
