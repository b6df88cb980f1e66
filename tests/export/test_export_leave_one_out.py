"""Leave-one-out scores are those of posteriors that did not see the row, at the same vectors."""

import numpy as np
import pytest

from pauca.basis import RBF
from pauca.datasets import make_friedman1, make_ripley
from pauca.export import Link
from pauca.export.summary import leave_one_out_scores
from pauca.fitting.processes import Process, infer
from pauca.inference import DesignPrior, joint_latent_ep
from pauca.likelihoods import Gaussian, MultinomialProbit, Probit

PROCESS = Process(RBF(0.5), 2.0)


def moments_without(likelihood, X, y, weights, row):
    """Mean and variance of the latent value of a row given one observation of it less."""
    fewer = weights.copy()
    fewer[row] -= 1
    rows = fewer > 0
    posterior, _, _ = infer(PROCESS, X[::4], X[rows], y[rows], fewer[rows], likelihood)
    mean, var = posterior.latent(X[row : row + 1])
    return mean[0], var[0]


@pytest.mark.parametrize(
    ("likelihood", "tolerance"), [(Gaussian(4.0), 1e-8), (Probit(), 0.05)], ids=["numbers", "classes"]
)
def test_moments_are_those_without_the_observation(likelihood, tolerance):
    is_number = isinstance(likelihood, Gaussian)
    X, y = make_friedman1(40, random_state=0) if is_number else make_ripley(40, random_state=0)
    y = (y - y.mean()) / y.std() if is_number else np.where(y, 1.0, -1.0)
    weights = np.where(np.arange(40) % 3, 1.0, 2.0)
    posterior, fit, _ = infer(PROCESS, X[::4], X, y, weights, likelihood)
    mean, var = fit.left_out(weights)
    var = var + posterior.left(X, posterior.design(X))
    expected = np.array([moments_without(likelihood, X, y, weights, row) for row in range(40)])
    np.testing.assert_allclose(mean, expected[:, 0], atol=tolerance)
    np.testing.assert_allclose(var, expected[:, 1], atol=tolerance)


def test_moments_of_many_classes_are_those_without_the_row():
    X, _ = make_ripley(40, random_state=0)
    y, weights = np.digitize(X[:, 0], [-0.3, 0.3]), np.ones(40)
    Phi = np.column_stack([np.ones(40), X, np.square(X)])

    def fitted(rows):
        prior = DesignPrior(Phi[rows], np.full(rows.sum(), 0.1))
        return joint_latent_ep(MultinomialProbit(), prior, np.zeros(3), y[rows], weights[rows], tol=1e-4)

    mean, _ = fitted(np.full(40, True)).left_out(weights)
    for row in range(0, 40, 5):
        without = fitted(np.arange(40) != row).means @ Phi[row]
        np.testing.assert_allclose(mean[row], without, atol=0.1)


def test_scores_of_classes_and_numbers():
    means, variances = np.array([[0.0], [1.0], [-2.0]]), np.zeros((3, 1))
    link, weights = Link("binary", Probit()), np.array([1.0, 2.0, 1.0])
    scores = leave_one_out_scores(link, (means, variances), np.array([1.0, 1.0, 1.0]), weights)
    assert scores["error"] == 0.5  # the tie and the wrong one
    p = np.array([0.5, 0.8413447, 0.0227501])
    assert scores["log-loss"] == pytest.approx(-weights @ np.log(p) / 4, rel=1e-5)
    link, y = Link("number", Gaussian(1.0)), np.array([0.0, 1.0, 2.0])
    scores = leave_one_out_scores(link, (means, variances), y, np.ones(3))
    assert scores["R²"] == pytest.approx(1 - 16 / 2)
    assert scores["log-loss"] == pytest.approx(0.5 * np.log(2 * np.pi) + 16 / 6)
    constant = leave_one_out_scores(link, (means, variances), np.ones(3), np.ones(3))
    assert set(constant) == {"log-loss"}
    assert leave_one_out_scores(link, None, y, np.ones(3)) == {}
