"""Likelihoods of many classes against simulation, fine grids, finite differences and the case of two."""

import numpy as np
import pytest
from scipy.special import log_ndtr, logsumexp, ndtr

from pauca.likelihoods import Logit, MultinomialProbit, Probit, Softmax
from pauca.likelihoods import multinomial as module

probit = MultinomialProbit()
SIZES = pytest.mark.parametrize("n_classes", [2, 3, 6])


def latent_values(n_classes, spread=1.0, n=40):
    """Codes, means and variances at random."""
    rng = np.random.default_rng(n_classes)
    mean, var = spread * rng.normal(size=(n, n_classes)), spread**2 * rng.uniform(0.1, 3, (n, n_classes))
    return rng.integers(0, n_classes, n), mean, var


def nudged(mean, k, size=1e-4):
    """The means with those of one class a little larger and a little smaller."""
    step = size * (np.arange(mean.shape[1]) == k)
    return mean + step, mean - step


def test_two_classes_are_a_probit():
    _, mean, var = latent_values(2, spread=3.0)
    direct = ndtr((mean[:, 0] - mean[:, 1]) / np.sqrt(2 + var.sum(axis=1)))
    np.testing.assert_allclose(probit.predict(mean, var)[:, 0], direct, atol=1e-8)


@pytest.mark.parametrize("n_classes", [3, 6])
def test_against_simulation(n_classes):
    rng = np.random.default_rng(n_classes)
    mean, var = rng.normal(size=(4, n_classes)), rng.uniform(0, 2, size=(4, n_classes))
    draws = mean + np.sqrt(1 + var) * rng.normal(size=(400_000, 4, n_classes))
    shares = np.stack([np.mean(draws.argmax(axis=2) == k, axis=0) for k in range(n_classes)], axis=1)
    np.testing.assert_allclose(probit.predict(mean, var), shares, atol=5e-3)


@pytest.mark.parametrize("spread", [1.0, 5.0, 30.0])
@SIZES
def test_the_short_grid_against_a_long_one(n_classes, spread):
    y, mean, var = latent_values(n_classes, spread)
    u = np.linspace(-30, 30, 20_001)
    weights = -0.5 * np.square(u) - 0.5 * np.log(2 * np.pi) + np.log(u[1] - u[0])
    expected = []
    for i, m, s in zip(y, mean, np.sqrt(1 + var), strict=True):
        rivals = np.delete(np.arange(n_classes), i)
        expected.append(logsumexp(weights + sum(log_ndtr((m[i] + s[i] * u - m[k]) / s[k]) for k in rivals)))
    np.testing.assert_allclose(probit.log_predictive(y, mean, var), expected, atol=1e-6)


@pytest.mark.parametrize("n_classes", [3, 10])
def test_probabilities_add_to_one_without_being_made_to(n_classes):
    _, mean, var = latent_values(n_classes)
    total = sum(np.exp(probit.log_predictive(np.full(40, k), mean, var)) for k in range(n_classes))
    np.testing.assert_allclose(total, 1, atol=3e-6)


def test_far_latent_values():
    mean = np.array([[200.0, 0.0, -200.0], [-1e3, -1e3, 1e3], [0.0, 0.0, 0.0]])
    whole = probit.predict(mean, np.ones((3, 3)))
    np.testing.assert_allclose(whole, [[1, 0, 0], [0, 0, 1], [1 / 3] * 3], atol=1e-8)
    assert probit.predict(np.empty((0, 3)), np.empty((0, 3))).shape == (0, 3)


def test_classes_without_hope_are_cheap_and_next_to_nothing(monkeypatch):
    mean, var = np.array([[0.0, 1.0, -30.0, -9.0]]), np.ones((1, 4))
    cheap = probit.predict(mean, var)
    monkeypatch.setattr(module, "_NEGLIGIBLE", -np.inf)
    np.testing.assert_allclose(cheap, probit.predict(mean, var), atol=1e-11)
    assert 0 < cheap[0, 2] < 1e-11


@pytest.mark.parametrize("spread", [1.0, 6.0])
@SIZES
def test_tilted_moments_by_finite_differences(n_classes, spread):
    y, mean, var = latent_values(n_classes, spread)
    log_z, tilted_mean, tilted_var = probit.tilted_moments(y, mean, var)
    np.testing.assert_allclose(log_z, probit.log_predictive(y, mean, var), atol=1e-9)
    for k in range(n_classes):
        more, less = (probit.log_predictive(y, other, var) for other in nudged(mean, k))
        slope, curvature = (more - less) / 2e-4, (more - 2 * log_z + less) / 1e-8
        np.testing.assert_allclose(tilted_mean[:, k], mean[:, k] + var[:, k] * slope, atol=1e-3 * spread)
        expected = var[:, k] + np.square(var[:, k]) * curvature
        np.testing.assert_allclose(tilted_var[:, k], expected, atol=1e-2 * spread**2)


def test_tilted_moments_by_simulation():
    mean, var = np.array([[0.5, -1.0, 1.5]]), np.array([[2.0, 0.5, 1.0]])
    rng = np.random.default_rng(0)
    f = mean + np.sqrt(var) * rng.normal(size=(1_000_000, 3))
    kept = f[(f + rng.normal(size=f.shape)).argmax(axis=1) == 0]
    log_z, tilted_mean, tilted_var = probit.tilted_moments(np.array([0]), mean, var)
    np.testing.assert_allclose(np.exp(log_z), len(kept) / len(f), atol=2e-3)
    np.testing.assert_allclose(tilted_mean[0], kept.mean(axis=0), atol=8e-3)
    np.testing.assert_allclose(tilted_var[0], kept.var(axis=0), atol=1e-2)


def test_slopes_are_the_means_of_the_noise():
    f = np.array([[0.3, -0.4, 1.0]])
    noise = np.random.default_rng(0).normal(size=(1_000_000, 3))
    kept = noise[(f + noise).argmax(axis=1) == 1]
    np.testing.assert_allclose(probit.gradient(np.array([1]), f)[0], kept.mean(axis=0), atol=8e-3)


@pytest.mark.parametrize("likelihood", [probit, Softmax(1.3)])
@SIZES
def test_slopes_by_finite_differences(likelihood, n_classes):
    y, F, _ = latent_values(n_classes, 2.0)
    slopes = probit.gradient(y, F) if likelihood is probit else likelihood.derivatives(y, F)[0]
    for k in range(n_classes):
        more, less = (likelihood.log_prob(y, other) for other in nudged(F, k))
        np.testing.assert_allclose(slopes[:, k], (more - less) / 2e-4, atol=1e-5)


@SIZES
def test_curvature_of_the_softmax(n_classes):
    likelihood = Softmax(1.3)
    y, F, _ = latent_values(n_classes)
    curvatures = likelihood.derivatives(y, F)[1]
    for k in range(n_classes):
        more, less = (likelihood.derivatives(y, other)[0] for other in nudged(F, k))
        np.testing.assert_allclose(curvatures[:, k], ((less - more) / 2e-4)[:, k], atol=1e-6)


@SIZES
def test_the_softmax_has_the_slopes_of_the_probit(n_classes):
    y, F = np.arange(n_classes), np.zeros((n_classes, n_classes))
    slopes = Softmax.like_probit(n_classes).derivatives(y, F)[0]
    np.testing.assert_allclose(slopes, probit.gradient(y, F), atol=1e-6)


def test_two_classes_as_likelihoods_of_their_difference():
    y, F, _ = latent_values(2)
    signs, difference = np.where(y == 1, 1.0, -1.0), F[:, 1] - F[:, 0]
    expected = Probit().log_prob(signs, difference / np.sqrt(2))
    np.testing.assert_allclose(probit.log_prob(y, F), expected, atol=1e-7)
    np.testing.assert_allclose(Softmax(1.7).log_prob(y, F), Logit(1.7).log_prob(signs, difference))


@pytest.mark.parametrize("far", [5.0, 25.0, 60.0])
def test_log_probabilities_of_what_is_next_to_impossible(far):
    mean = np.array([[0.0, far], [0.0, 1.0]])
    direct = log_ndtr((mean[:, 0] - mean[:, 1]) / np.sqrt(4.0))
    found = probit.log_predictive(np.zeros(2, dtype=int), mean, np.ones((2, 2)))
    np.testing.assert_allclose(found, direct, rtol=1e-6)


@pytest.mark.parametrize("n_classes", [3, 10, 40])
@pytest.mark.parametrize("spread", [0.3, 2.0, 20.0])
def test_one_grid_for_all_classes_agrees_with_a_grid_for_each(n_classes, spread):
    _, mean, var = latent_values(n_classes, spread)
    log_p = probit.log_probabilities(mean, var)
    each = [probit.log_predictive(np.full(40, k), mean, var) for k in range(n_classes)]
    often = log_p > -20
    np.testing.assert_allclose(log_p[often], np.column_stack(each)[often], atol=5e-6)


def test_variances_of_all_sizes_end_and_are_finite():
    mean = np.array([[0.0, 1.0, 2.0]] * 3)
    var = np.array([[1e-9, 1e12, 1.0], [1e100, 1.0, 0.0], [0.0, 0.0, 0.0]])
    p = probit.predict(mean, var)
    np.testing.assert_allclose(p[0], [0.25, 0.5, 0.25], atol=0.26)
    assert np.isfinite(p).all()
    assert all(np.isfinite(part).all() for part in probit.tilted_moments(np.arange(3), mean, var))
