"""Normal ratios against 60-digit arithmetic."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.stats import norm

from pauca.numerics import inverse_mills, mills_curvature

TAIL = [-2.0, -3.3, -5.0, -10.0, -20.0, -37.0, -40.0, -49.9, -50.0, -50.1, -100.0, -1e3, -1e4, -1e6, -1e8]


def tail_reference(z, digits=60):
    """r(z), ρ(z) and δ(z) for z < 0 by the continued fraction of the Mills ratio."""
    with localcontext() as context:
        context.prec = digits
        x = -Decimal(z)
        r = x
        for k in range(int(20000 / float(x) ** 2) + 60, 0, -1):
            r = x + k / r
        rho = r * (r - x)
        return float(r), float(rho), float(1 - rho)


@pytest.mark.parametrize("z", TAIL)
def test_left_tail(z):
    r, rho, delta = tail_reference(z)
    np.testing.assert_allclose(inverse_mills(z), r, rtol=1e-14)
    np.testing.assert_allclose(mills_curvature(z)[0], rho, rtol=1e-9)
    np.testing.assert_allclose(mills_curvature(z)[1], delta, rtol=1e-8)


def test_the_reference_is_right_where_everything_is():
    z = -2.0
    r = norm.pdf(z) / norm.cdf(z)
    np.testing.assert_allclose(tail_reference(z)[:2], [r, r * (z + r)], rtol=1e-12)


def test_middle_and_right_tail():
    z = np.linspace(-2, 38, 401)
    r = norm.pdf(z) / norm.cdf(z)
    np.testing.assert_allclose(inverse_mills(z), r, rtol=1e-12, atol=1e-300)
    rho, delta = mills_curvature(z)
    np.testing.assert_allclose(rho, r * (z + r), rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(delta, 1 - rho, rtol=1e-12)


def test_curvature_is_a_share_everywhere():
    z = np.concatenate(
        [-np.logspace(0, 150, 400)[::-1], np.linspace(-60, 60, 4001), np.logspace(0, 150, 400)]
    )
    rho, delta = mills_curvature(z)
    assert ((rho >= 0) & (rho <= 1) & (delta > 0) & (delta <= 1)).all()
    assert (np.diff(rho[np.argsort(z)]) <= 1e-8).all()


def test_curvature_is_the_slope_of_the_ratio():
    z, h = np.linspace(-45, 30, 151), 1e-5
    slope = (inverse_mills(z + h) - inverse_mills(z - h)) / (2 * h)
    np.testing.assert_allclose(-slope, mills_curvature(z)[0], atol=1e-8)


def test_shapes_are_kept():
    assert inverse_mills(0.0).shape == ()
    assert mills_curvature(np.zeros((2, 3)))[1].shape == (2, 3)
