"""Ensemble sizes against binomial sums and simulation."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom
from sklearn.exceptions import ConvergenceWarning

from pauca.ensembles import EnsembleSize, required_size
from pauca.ensembles.size import mean_agreement

UNIFORM = np.column_stack([np.arange(102), 101 - np.arange(102)])


@pytest.mark.parametrize("votes", [(7, 4), (6, 5), (11, 0), (5, 5)])
@pytest.mark.parametrize("n_members", [1, 5, 101])
def test_agreement_of_two_classes_is_the_mean_of_binomial_sums(votes, n_members):
    total = sum(votes)
    low, high = max(max(votes) / (total + 1), 0.5), (max(votes) + 1) / (total + 1)
    expected = quad(lambda share: binom.sf(n_members // 2, n_members, share), low, high)[0] / (high - low)
    assert mean_agreement(np.array([votes]), n_members) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("shares", [(0.4, 0.35, 0.25), (0.6, 0.2, 0.2)])
def test_agreement_of_several_classes_is_a_close_lower_bound(shares):
    rng, n_members = np.random.default_rng(0), 201
    counts = rng.multinomial(n_members, shares, 20_000)
    simulated = np.mean(counts[:, 0] > counts[:, 1:].max(axis=1))
    bound = mean_agreement(np.round(np.array([shares]) * 100_000).astype(int), n_members)
    assert simulated - 0.04 < bound < simulated + 0.015


def test_uniform_shares():
    # The mean over all shares gives 1591, the asymptotic formula 1591.5.
    assert required_size(UNIFORM) == 1591
    estimate = EnsembleSize(1591, 0.99, np.repeat(UNIFORM, 50, axis=0), "unlabelled")
    assert estimate.tie_density == pytest.approx(1, rel=0.05)
    assert estimate.asymptotic_size == pytest.approx(1591.5, rel=0.1)


@pytest.mark.parametrize("confidence", [0.6, 0.9, 0.99])
def test_size_is_the_least_odd_one(confidence):
    size = required_size(UNIFORM, confidence)
    assert size % 2 == 1
    assert mean_agreement(UNIFORM, size) >= confidence
    assert size == 1 or mean_agreement(UNIFORM, size - 2) < confidence


def test_agreement_grows_with_the_size():
    values = [mean_agreement(UNIFORM, n_members) for n_members in range(1, 60, 2)]
    assert (np.diff(values) > 0).all()


def test_required_sizes_and_their_tail():
    # (4.8) at shares 0.75 and 0.5; the tail falls with the power -1/2.
    estimate = EnsembleSize(1, 0.99, np.array([[75, 25], [50, 50]]), "oob")
    z = 2.3263478740408408
    np.testing.assert_allclose(estimate.required_sizes[0], z**2 * 0.75 * 0.25 / 0.25**2)
    assert estimate.required_sizes[1] == np.inf
    uniform = EnsembleSize(1591, 0.99, np.repeat(UNIFORM, 50, axis=0), "oob")
    assert uniform.tail(40_000) / uniform.tail(10_000) == pytest.approx(0.5)
    assert uniform.tail(400) == pytest.approx(np.mean(uniform.required_sizes > 400), rel=0.1)


def test_ties_of_several_classes_that_no_size_decides():
    with pytest.warns(ConvergenceWarning, match="too many rows are tied"):
        assert required_size(np.array([[1, 1, 0]]), 1 - 1e-15) == np.inf


@pytest.mark.parametrize("votes", [[1, 2], [[1], [2]], [[1, -1]], np.empty((0, 2))])
def test_votes_of_a_wrong_shape(votes):
    with pytest.raises(ValueError, match="votes must be counts of shape"):
        required_size(votes)


def test_rows_without_votes():
    with pytest.raises(ValueError, match="at least one vote on each row"):
        required_size([[0, 0], [1, 2]])
