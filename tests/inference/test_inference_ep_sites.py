"""Sites against integrals."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from pauca.inference.ep import cavity, log_scale

SITES = [(0.0, 0.0), (0.7, -0.4), (2.5, 3.0), (-0.3, 0.8)]


@pytest.mark.parametrize(("precision", "shift"), SITES)
def test_cavity_times_site_gives_back_the_marginal(precision, shift):
    mean, var = cavity(0.4, 0.9, precision, shift)
    total = 1 / var + precision
    np.testing.assert_allclose([(mean / var + shift) / total, 1 / total], [0.4, 0.9])


@pytest.mark.parametrize(("precision", "shift"), SITES)
def test_scaled_site_has_the_given_integral(precision, shift):
    mean, var, log_z = -0.6, 1.3, -2.1
    scale = log_scale(log_z, precision, shift, mean, var)
    site = lambda u: np.exp(scale + shift * u - 0.5 * precision * u * u) * norm.pdf(u, mean, np.sqrt(var))  # noqa: E731
    assert quad(site, -20, 20)[0] == pytest.approx(np.exp(log_z), rel=1e-8)
