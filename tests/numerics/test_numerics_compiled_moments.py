"""Machine code against the library's own functions."""

import numpy as np
from scipy.special import log_ndtr

from pauca.likelihoods import Probit
from pauca.numerics import inverse_mills, mills_curvature
from pauca.numerics.compiled_moments import normal_tail, probit_moments, truncated_moments
from pauca.priors import Truncated

Z = np.concatenate([np.linspace(-40, 30, 300), [-1e3, -1e6, -5.0, 0.0]])


def test_tails_of_the_normal_distribution():
    log_cdf, r, delta = np.transpose([normal_tail(z) for z in Z])
    np.testing.assert_allclose(log_cdf, log_ndtr(Z), rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(r, inverse_mills(Z), rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(delta, mills_curvature(Z)[1], rtol=2e-9)


def test_moments_of_factors():
    mean, var = np.linspace(-8, 8, 21), np.linspace(0.1, 30, 21)
    for y in (-1.0, 1.0):
        ours = np.transpose([probit_moments(y, m, v, 1.0) for m, v in zip(mean, var, strict=True)])
        np.testing.assert_allclose(ours, Probit().tilted_moments(y, mean, var)[1:], rtol=1e-10)
    cut = np.transpose([truncated_moments(m, v) for m, v in zip(mean, var, strict=True)])
    expected = Truncated(np.ones(22)).tilted_moments(np.append(0.0, mean), np.append(1.0, var))
    np.testing.assert_allclose(cut, [part[1:] for part in expected[1:]], rtol=1e-9)
