"""Labels that may be wrong: closed forms against quadrature."""

import numpy as np
import pytest
from scipy import integrate, stats

from pauca.likelihoods import LabelNoise

CASES = [
    (LabelNoise(), 1.0),
    (LabelNoise(3.0, 7.0), 1.0),
    (LabelNoise(0.4, 25.0), 0.7),
    (LabelNoise(1.0, 10.0), 3.0),
    (LabelNoise.fixed(0.1), 1.0),
    (LabelNoise.fixed(0.2), 2.5),
    (LabelNoise.fixed(0.0), 1.0),
]
every_case = pytest.mark.parametrize(("noise", "s"), CASES)


def moment_of_eps(noise, power_of_eps, power_of_rest):
    """E[eps^k (1 - eps)^m], by quadrature where eps is not known."""
    if noise.known:
        return noise.mean**power_of_eps * (1 - noise.mean) ** power_of_rest
    density = stats.beta(noise.a, noise.b).pdf
    value = integrate.quad(
        lambda e: e**power_of_eps * (1 - e) ** power_of_rest * density(e), 0, 1, epsabs=1e-12, limit=200
    )
    return value[0]


def brute_tilt(noise, s, mean, var):
    """Z, P(u < 0), mean and variance of the tilted distribution, from integrals over the half lines."""
    normal = stats.norm(mean, np.sqrt(var))
    right, wrong = moment_of_eps(noise, 0, s), moment_of_eps(noise, s, 0)
    low, high = mean - 12 * np.sqrt(var), mean + 12 * np.sqrt(var)

    def moment(k):
        below = integrate.quad(lambda u: u**k * normal.pdf(u), min(low, 0), 0, epsabs=1e-13)[0]
        above = integrate.quad(lambda u: u**k * normal.pdf(u), 0, max(high, 0), epsabs=1e-13)[0]
        return wrong * below, right * above

    z, first, second = (np.array(moment(k)) for k in range(3))
    centre = first.sum() / z.sum()
    return z.sum(), z[0] / z.sum(), centre, second.sum() / z.sum() - centre**2


@every_case
@pytest.mark.parametrize(("mean", "var"), [(0.0, 1.0), (1.3, 0.5), (-1.1, 2.0), (-2.5, 1.0), (4.0, 9.0)])
def test_tilt_equals_quadrature(noise, s, mean, var):
    log_z, flip, slope, spread = noise.tilt(mean, var, weights=s)[:, 0]
    z, wrong, centre, variance = brute_tilt(noise, s, mean, var)
    assert np.exp(log_z) == pytest.approx(z, rel=1e-6)
    assert flip == pytest.approx(wrong, rel=1e-6, abs=1e-9)
    assert mean + np.sqrt(var) * slope == pytest.approx(centre, rel=1e-5, abs=1e-7)
    assert var * spread == pytest.approx(variance, rel=1e-5, abs=1e-8)


@every_case
def test_tilt_far_away_is_finite_and_proper(noise, s):
    mean = np.array([-1e12, -1e5, -200.0, -37.0, -36.0, 36.0, 1e5, 1e12])
    log_z, flip, slope, spread = noise.tilt(mean, np.ones(len(mean)), weights=s)
    assert np.isfinite([log_z, flip, slope, spread]).all()
    assert (spread > 0).all()
    assert ((flip >= 0) & (flip <= 1)).all()


@pytest.mark.parametrize("flip", [0.0, 0.03, 0.5, 1.0])
@pytest.mark.parametrize(("a", "b", "s"), [(1.0, 10.0, 1.0), (0.3, 4.0, 0.7), (20.0, 400.0, 5.0)])
def test_matched_beta_has_the_moments_of_the_mixture(a, b, s, flip):
    after = LabelNoise(a, b).matched(s, flip)
    wrong, right = stats.beta(a + s, b), stats.beta(a, b + s)
    mean = flip * wrong.mean() + (1 - flip) * right.mean()
    square = flip * (wrong.var() + wrong.mean() ** 2) + (1 - flip) * (right.var() + right.mean() ** 2)
    fitted = stats.beta(after.a, after.b)
    assert fitted.mean() == pytest.approx(mean, rel=1e-9)
    assert fitted.var() == pytest.approx(square - mean**2, rel=1e-6)


def brute_gain(noise, s, mean, var):
    """KL of the matched Gaussian from the old one, plus that of the matched Beta."""
    _, flip, centre, variance = brute_tilt(noise, s, mean, var)
    gauss = 0.5 * (np.log(var / variance) + variance / var - 1 + (centre - mean) ** 2 / var)
    if noise.known:
        return gauss
    after = noise.matched(s, flip)
    new, old = stats.beta(after.a, after.b), stats.beta(noise.a, noise.b)
    beta = integrate.quad(lambda e: new.pdf(e) * (new.logpdf(e) - old.logpdf(e)), 1e-9, 1 - 1e-9, limit=300)
    return gauss + beta[0]


@pytest.mark.parametrize(("noise", "s"), [CASES[0], CASES[1], CASES[4]])
@pytest.mark.parametrize(("mean", "var"), [(0.7, 1.0), (-1.5, 0.8)])
def test_gains_are_divergences(noise, s, mean, var):
    row = np.array([mean]), np.array([var]), np.array([s])
    gain, log_z = noise.gains(*row)[:, 0]
    other, log_other = noise.gains(-row[0], *row[1:])[:, 0]
    assert gain == pytest.approx(brute_gain(noise, s, mean, var), rel=1e-4)
    expected = noise.gains(*row, expected=True)[0, 0]
    if s == 1:
        assert np.exp(log_z) + np.exp(log_other) == pytest.approx(1)
        assert expected == pytest.approx(np.exp(log_z) * gain + np.exp(log_other) * other)


@pytest.mark.parametrize("noise", [LabelNoise(), LabelNoise(2.0, 9.0), LabelNoise.fixed(0.0)])
def test_predictions_stay_between_noise_and_its_complement(noise):
    mean, var = np.meshgrid(np.linspace(-60, 60, 41), [1e-6, 0.3, 50.0])
    chance = noise.predict(mean, var)
    assert (chance >= noise.mean).all()
    assert (chance <= 1 - noise.mean).all()
    np.testing.assert_allclose(chance + noise.predict(-mean, var), 1, rtol=1e-12)
    np.testing.assert_allclose(np.exp(noise.log_predictive(1.0, mean, var)), chance, rtol=1e-9, atol=1e-15)
