"""Gamma distributions against scipy, and what they say about precisions."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from pauca.priors import ARD, Gamma, GammaARD

CASES = [(0.5, 2.0), (3.0, 0.1), (1e-2, 1e-2), (200.0, 7.0)]
every_case = pytest.mark.parametrize(("shape", "rate"), CASES)


def scipy_gamma(shape, rate):
    return stats.gamma(shape, scale=1 / rate)


@every_case
def test_moments_and_entropy(shape, rate):
    ours, theirs = Gamma(shape, rate), scipy_gamma(shape, rate)
    np.testing.assert_allclose(ours.mean, theirs.mean())
    np.testing.assert_allclose(ours.entropy, theirs.entropy())
    # ⟨log x⟩ is the derivative of log ⟨x^s⟩ at s = 0.
    h = 1e-5
    log_moments = [stats.loggamma(shape).moment(1) - np.log(rate)]
    np.testing.assert_allclose(ours.mean_log, log_moments[0], rtol=1e-8, atol=h)


@pytest.mark.parametrize(("shape", "rate"), [(2.0, 0.5), (5.0, 3.0)])
@pytest.mark.parametrize(("other_shape", "other_rate"), [(1.0, 1.0), (0.3, 2.0), (1e-6, 1e-6)])
def test_divergence_by_quadrature(shape, rate, other_shape, other_rate):
    first, second = scipy_gamma(shape, rate), scipy_gamma(other_shape, other_rate)
    ours, other = Gamma(shape, rate), Gamma(other_shape, other_rate)

    def expectation(function):
        return quad(lambda x: first.pdf(x) * function(x), 0, first.ppf(1 - 1e-12), limit=200)[0]

    np.testing.assert_allclose(ours.expected_log(other), expectation(second.logpdf), rtol=1e-6)
    np.testing.assert_allclose(
        ours.divergence(other), expectation(lambda x: first.logpdf(x) - second.logpdf(x)), rtol=1e-6
    )


@every_case
def test_divergence_from_itself_is_zero(shape, rate):
    assert Gamma(shape, rate).divergence(Gamma(shape, rate)) == pytest.approx(0.0, abs=1e-9)
    assert Gamma(shape, rate).divergence(Gamma(2 * shape, rate)) > 0


@every_case
def test_mean_and_units(shape, rate):
    assert Gamma.with_mean(shape, 3.0).mean == pytest.approx(3.0)
    assert Gamma(shape, rate).scaled(4.0).mean == pytest.approx(4 * shape / rate)
    np.testing.assert_allclose(Gamma(shape, rate).scaled(4.0).entropy, Gamma(shape, rate).entropy + np.log(4))


def test_update_is_conjugate():
    # Γ(a, b) times N(x | 0, 1/τ) for each draw, normalised.
    draws, prior = np.array([0.3, -1.2, 2.0]), Gamma(2.0, 0.7)
    posterior = prior.updated(len(draws), np.square(draws).sum())
    tau = np.array([0.2, 1.0, 3.0])
    log_joint = scipy_gamma(2.0, 0.7).logpdf(tau)
    log_joint += stats.norm(0, tau[:, None] ** -0.5).logpdf(draws).sum(axis=1)
    np.testing.assert_allclose(
        np.diff(log_joint), np.diff(scipy_gamma(posterior.shape, posterior.rate).logpdf(tau)), rtol=1e-10
    )


def test_known_precisions_cost_nothing():
    prior = ARD(np.array([1.0, 2.0]))
    assert prior.bound_penalty == prior.column_penalty == 0.0
    assert prior.posterior is None


def test_cost_of_unknown_precisions():
    # The bound holds ½⟨log α⟩ in place of ½ log⟨α⟩, and the divergence of every α but that of the bias.
    prior = GammaARD(np.array([1e-3, 2.0, 50.0]), Gamma(0.1, 0.2))
    alpha = prior.posterior
    np.testing.assert_allclose(alpha.mean, [2.0, 50.0])
    expected = alpha.divergence(Gamma(0.1, 0.2)) + 0.5 * (np.log([2.0, 50.0]) - alpha.mean_log)
    np.testing.assert_allclose(prior.bound_penalty, expected.sum())
    np.testing.assert_allclose(GammaARD(np.ones(4), Gamma(0.1, 0.2)).bound_penalty, 3 * prior.column_penalty)
    assert prior.with_precision(np.ones(2)).hyperprior == Gamma(0.1, 0.2)
