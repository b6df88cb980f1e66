"""Sites against integrals."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from pauca.inference.ep import cavity, log_scale
from pauca.inference.ep.sites import matched_sites

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


def test_matched_sites_turn_the_cavity_into_the_tilted_distribution():
    mean, var = np.array([0.3, -1.0]), np.array([2.0, 0.5])
    tilted_mean, tilted_var = np.array([0.7, -0.2]), np.array([1.1, 0.4])
    precision, shift = matched_sites(mean, var, tilted_mean, tilted_var)
    back_mean, back_var = cavity(tilted_mean, tilted_var, precision, shift)
    np.testing.assert_allclose(back_mean, mean)
    np.testing.assert_allclose(back_var, var)
    # A factor that widens the cavity would need a negative precision.
    assert matched_sites(mean, var, tilted_mean, 2 * var)[0].tolist() == [0.0, 0.0]
