"""The double loop of expectation propagation: it descends, settles, and ends at the same fixed points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from sklearn.metrics.pairwise import rbf_kernel

from pauca import BayesMachineClassifier
from pauca.datasets import make_circle
from pauca.inference.ep import MODES, dual_ep
from pauca.likelihoods import LabelNoise

SEQUENTIAL = MODES[0]
(DOUBLE,) = [mode for mode in MODES if mode.loops == 2]


def circle(n, gamma, seed=0):
    X, y = make_circle(n, label_noise=0.1, random_state=seed)
    signs = 2.0 * y - 1
    return rbf_kernel(X, gamma=gamma) * np.outer(signs, signs) + 1e-6 * np.eye(n)


@pytest.mark.parametrize(("rate", "gamma"), [(0.1, 1.0), (0.02, 3.0), (0.3, 0.3), (0.0, 30.0)])
def test_with_known_noise_it_ends_where_the_single_loop_ends(rate, gamma):
    C, noise, votes = circle(50, gamma), LabelNoise.fixed(rate), np.ones(50)
    single = dual_ep(C, noise, votes, SEQUENTIAL, tol=1e-8)
    double = dual_ep(C, noise, votes, DOUBLE, tol=1e-4)
    assert single.converged
    assert double.converged
    assert double.log_evidence == pytest.approx(single.log_evidence, abs=1e-3)
    np.testing.assert_allclose(double.mean, single.mean, atol=0.02)
    np.testing.assert_allclose(double.flip, single.flip, atol=2e-3)


def test_learned_noise_is_close_to_that_of_the_single_loop():
    C, noise, votes = circle(120, 1.0), LabelNoise(), np.ones(120)
    single, double = (dual_ep(C, noise, votes, mode, tol=1e-4) for mode in (SEQUENTIAL, DOUBLE))
    assert double.noise.mean == pytest.approx(single.noise.mean, abs=0.005)
    # The part of the evidence in the share of wrong labels is a lower bound.
    assert single.log_evidence - 0.5 < double.log_evidence < single.log_evidence


def hostile(seed):
    """A kernel, votes and noise that break the single loop in about two of five draws."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 60)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, d))
    X = np.round(X) if rng.random() < 0.4 else X
    jitter, scale = 10 ** rng.uniform(-10, -1), 10 ** rng.uniform(-4, 4)
    signs = np.sign(rng.normal(size=n))
    C = scale * (rbf_kernel(X, gamma=10 ** rng.uniform(-4, 2)) + jitter * np.eye(n)) * np.outer(signs, signs)
    a = 10 ** rng.uniform(-2, 1.5)
    learned = LabelNoise(a, a + 10 ** rng.uniform(-1, 2))
    noise = learned if rng.random() < 0.6 else LabelNoise.fixed(rng.choice([0.0, 1e-6, 0.1, 0.49]))
    votes = np.column_stack([rng.integers(1, 5, n), rng.integers(0, 3, n)]).astype(float)
    return C, noise, votes if rng.random() < 0.5 and noise.mean > 0 else np.ones(n)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_hostile_designs_settle_or_say_so(seed):
    C, noise, votes = hostile(seed)
    fit = dual_ep(C, noise, votes, DOUBLE, tol=1e-3, max_iter=150)
    assert np.isfinite(fit.log_evidence)
    assert np.isfinite(fit.sites).all()
    assert (np.diag(fit.cov) > 0).all()
    if fit.converged:
        # Every marginal has the moments of its factor times its cavity.
        var = np.diag(fit.cov)
        slack = 1 - fit.sites[:, 0] * var
        mean, cavity_var = (fit.mean - var * fit.sites[:, 1]) / slack, var / slack
        known = noise if noise.known else LabelNoise.fixed(_effective_rate(fit.noise))
        _, _, slope, ratio = known.tilt(mean, cavity_var, weights=votes)
        shift = (mean + np.sqrt(cavity_var) * slope - fit.mean) / np.sqrt(var)
        # A few cavities of nearly equal rows lose digits in the subtraction here.
        assert np.quantile(np.abs(shift), 0.9) < 0.02
        assert np.quantile(np.abs(cavity_var * ratio / var - 1), 0.9) < 0.05


def _effective_rate(noise):
    """Share with the odds exp(E log ε − E log(1 − ε))."""
    odds = np.exp(digamma(noise.a) - digamma(noise.b))
    return odds / (1 + odds)


def test_nearly_all_hostile_designs_settle():
    settled = np.array(
        [
            [dual_ep(*hostile(seed), mode, tol=1e-3, max_iter=100).converged for mode in (SEQUENTIAL, DOUBLE)]
            for seed in range(40)
        ]
    )
    assert settled[:, 1].mean() >= 0.95
    assert settled[:, 1].mean() > settled[:, 0].mean() + 0.1


@pytest.mark.parametrize("seed", [0, 3, 7])
def test_the_free_energy_never_rises(seed):
    # Ten sweeps more can only raise the evidence.
    C, noise, votes = hostile(seed)
    path = [
        dual_ep(C, noise, votes, DOUBLE, start=np.zeros((len(C), 4)), tol=1e-9, max_iter=k).log_evidence
        for k in range(1, 8)
    ]
    assert (np.diff(path) > -1e-3).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_machines_say_that_the_double_loop_was_needed():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 1)), rng.normal(size=(20, 1)) + 0.01])
    y = (rng.random(40) < 0.5).astype(int)
    modes = set()
    for gamma in (0.01, 0.1, 1.0, 10.0):
        machine = BayesMachineClassifier(gamma=gamma, noise=1e-4).fit(X, y)
        modes.add(machine.ep_mode_)
        assert np.isfinite(machine.log_evidence_)
    assert "double-loop" in modes
