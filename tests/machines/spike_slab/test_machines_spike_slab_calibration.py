"""What inclusion probabilities promise: calibrated on simulated data, nothing claimed without a signal."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from pauca import SpikeSlabClassifier, SpikeSlabRegressor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def drawn(seed, n=150, d=300, expected=5):
    """Data from the prior of the model."""
    rng = np.random.default_rng(seed)
    X, real = rng.normal(size=(n, d)), rng.random(d) < expected / d
    latent = X @ np.where(real, rng.normal(size=d), 0) + 0.3 * rng.normal()
    return X, latent + rng.normal(size=n) > 0, real


@pytest.mark.slow
def test_features_are_real_as_often_as_promised():
    found = [(SpikeSlabClassifier(5).fit(X, y), real) for X, y, real in map(drawn, range(100, 160))]
    p = np.concatenate([machine.inclusion_probabilities_ for machine, _ in found])
    real = np.concatenate([truth for _, truth in found])
    for low, high in ((0.02, 0.1), (0.1, 0.5), (0.5, 0.95), (0.95, 1.01)):
        inside = (p >= low) & (p < high)
        error = 3 * np.sqrt(0.25 / inside.sum()) + 0.05
        assert abs(real[inside].mean() - p[inside].mean()) < error, (low, high)
    # Of features given about .8 about 80 % are real.
    inside = (p > 0.65) & (p < 0.95)
    assert real[inside].mean() > 0.6


@pytest.mark.parametrize("inference", ["ep", "single-effects"])
def test_labels_at_random_support_no_claim(inference):
    excess, claims, promised = [], 0.0, 0.0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(1100, 2000)).astype(np.float32), rng.random(1100) < 0.4
        machine = SpikeSlabClassifier(inference=inference).fit(X[:100], y[:100])
        p = machine.predict_proba(X[100:])[:, 1]
        base = y[:100].mean()
        loss, least = (-np.log(np.where(y[100:], q, 1 - q)).mean() for q in (p, base))
        excess.append(loss - least)
        claims += np.sum(machine.inclusion_probabilities_ > 0.5)
        promised += 2000 * machine.prior_inclusion_
    assert claims <= 0.1 * promised
    assert np.mean(excess) < 0.02


@pytest.mark.parametrize("expected_features", [1, 4])
def test_very_wide_tables_settle_without_sites_for_every_entry(expected_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 30_000)).astype(np.float32)
    y = X[:, 7] > 0
    SpikeSlabClassifier().fit(X[:, :29_000], y)
    tracemalloc.start()
    machine = SpikeSlabClassifier(expected_features).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert machine.converged_
    assert machine.schedules_ == ["single effects"]
    assert machine.ranking_[0] == 7
    # Beside X itself: its standardised copy, and ten effects of three double numbers for each feature.
    assert peak < 2.6 * X.nbytes


@pytest.mark.parametrize("Machine", [SpikeSlabClassifier, SpikeSlabRegressor])
def test_sparse_tables(Machine):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 50)) * (rng.random((60, 50)) < 0.3)
    y = 2 * X[:, 3] + 0.3 * rng.normal(size=60) > 0
    dense, given = Machine(4).fit(X, y), Machine(4).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(given.coef_, dense.coef_)
    np.testing.assert_allclose(given.predict(sparse.csc_matrix(X)), dense.predict(X))
