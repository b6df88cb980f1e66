"""The spike-and-slab prior against integrals."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from pauca.priors import SpikeSlab

CASES = [(0.3, 1.0, 0.01), (0.02, 4.0, 0.1), (1.0, 0.5, 0.1)]
FACTORS = [(0.0, 0.0), (2.0, 0.7), (0.3, -3.0), (9.0, 6.0)]


@pytest.mark.parametrize(("rho", "slab", "spike"), CASES)
@pytest.mark.parametrize(("precision", "shift"), FACTORS)
def test_moments_by_quadrature(rho, slab, spike, precision, shift):
    def part(variance, power):
        density = lambda w: norm.pdf(w, 0, np.sqrt(variance)) * np.exp(shift * w - precision * w * w / 2)  # noqa: E731
        return quad(lambda w: w**power * density(w), -60, 60, points=[0, shift / (1 + precision)], limit=200)[
            0
        ]

    total = [rho * part(slab, k) + (1 - rho) * part(spike, k) for k in range(3)]
    prior = SpikeSlab(np.array([rho]), slab, spike)
    found = prior.tilted(np.array([precision]), np.array([shift]))
    mean = total[1] / total[0]
    expected = rho * part(slab, 0) / total[0], mean, total[2] / total[0] - mean**2
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-6, atol=1e-9)
    log_z = prior.log_normaliser(np.array([precision]), np.array([shift]))
    assert log_z == pytest.approx(np.log(total[0]), abs=1e-7)


def test_a_point_mass_is_the_limit_of_a_narrow_spike():
    precision, shift = np.array([0.0, 3.0, 8.0]), np.array([0.2, 2.0, -9.0])
    point, narrow = (SpikeSlab(np.full(3, 0.1), 1.0, spike) for spike in (0.0, 1e-9))
    np.testing.assert_allclose(
        point.tilted(precision, shift), narrow.tilted(precision, shift), rtol=1e-6, atol=1e-8
    )


def test_variance_of_the_prior():
    np.testing.assert_allclose(SpikeSlab(np.array([0.25, 1.0]), 2.0, 0.4).variance, [0.8, 2.0])
