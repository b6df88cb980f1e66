"""Dependence between inclusion indicators: weights of neighbours, the mean field, and what it gains."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.metrics import average_precision_score

from pauca import SpikeSlabClassifier
from pauca.priors import coupled_inclusion, neighbours


def test_members_of_a_group_are_neighbours():
    weights = neighbours([[0, 1, 2], [3, 4]], 6).toarray()
    np.testing.assert_allclose(weights[0], [0, 0.5, 0.5, 0, 0, 0])
    np.testing.assert_allclose(weights[3], [0, 0, 0, 0, 1, 0])
    np.testing.assert_allclose(weights[5], 0)
    edges = np.zeros((3, 3))
    edges[0, 1] = edges[1, 0] = 2.0
    np.testing.assert_allclose(neighbours(sparse.csr_matrix(edges), 3).toarray(), edges / 2)


@pytest.mark.parametrize(
    "network", [np.ones((2, 3)), -np.ones((4, 4)), [[0, 9]], [["a"]], np.full((4, 4), np.nan)], ids=str
)
def test_wrong_networks_are_named(network):
    with pytest.raises(ValueError, match="network must h"):
        neighbours(network, 4)


def test_the_mean_field_is_near_the_exact_field_of_a_small_network():
    # Four indicators on a ring with evidence for two of them, by adding up all 16 states.
    rho, coupling = np.full(4, 0.3), 1.0
    weights = neighbours(np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]), 4)
    evidence = np.array([2.0, 0.0, 0.5, 0.0])
    states = np.array(list(product((0, 1), repeat=4)))
    off = states - rho
    pairs = np.einsum("si,ij,sj->s", off, weights.toarray(), off)
    logs = states @ (logit(rho) + evidence) + 0.5 * coupling * pairs
    exact = np.exp(logs - np.logaddexp.reduce(logs)) @ states
    found = expit(logit(rho) + evidence)
    for _ in range(50):
        found = expit(logit(coupled_inclusion(rho, weights, coupling, found)) + evidence)
    np.testing.assert_allclose(found, exact, atol=0.02)
    assert found[1] > 0.3


def pathways(seed, n=150):
    """Two active groups of 20 features among 30, eight of whose members matter."""
    rng = np.random.default_rng(seed)
    X, groups = rng.normal(size=(n, 600)), [np.arange(k, k + 20) for k in range(0, 600, 20)]
    true = np.concatenate([rng.choice(groups[k], 8, replace=False) for k in rng.choice(30, 2, replace=False)])
    weights = np.zeros(600)
    weights[true] = rng.choice([-1, 1], 16) * rng.uniform(0.4, 0.9, 16)
    return X, X @ weights + rng.normal(size=n) > 0, weights != 0, groups


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_groups_help_to_find_pathways():
    gains = []
    for seed in range(100, 106):
        X, y, true, groups = pathways(seed)
        plain, grouped = SpikeSlabClassifier(16).fit(X, y), SpikeSlabClassifier(16, network=groups).fit(X, y)
        gains.append(
            [average_precision_score(true, each.inclusion_probabilities_) for each in (plain, grouped)]
        )
    assert np.mean(gains, axis=0)[1] > np.mean(gains, axis=0)[0] + 0.03


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_no_signal_no_pathway():
    claims = 0
    for seed in range(5):
        X, y, _, groups = pathways(seed)
        y = np.random.default_rng(seed).permutation(y)
        machine = SpikeSlabClassifier(16, network=groups).fit(X, y)
        claims += np.sum(machine.inclusion_probabilities_ > 0.5)
    assert claims <= 5


def test_no_coupling_is_the_exchangeable_prior():
    X, y, _, groups = pathways(0)
    plain = SpikeSlabClassifier(16).fit(X, y)
    loose = SpikeSlabClassifier(16, network=groups, coupling=0.0).fit(X, y)
    np.testing.assert_array_equal(loose.inclusion_probabilities_, plain.inclusion_probabilities_)
