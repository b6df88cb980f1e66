"""Kernel and mode of expectation propagation of Bayes machines: modes in turn, trials compared."""

import numpy as np
import pytest

from pauca import BayesMachineClassifier
from pauca.datasets import make_circle
from pauca.fitting.fitters.label_noise import NoiseTrial, UnsettledError, choose_noise_kernel, first_settled
from pauca.inference.ep import MODES


class KnownEvidence:
    """A fitter whose evidence is a known function of log10 gamma; some modes never settle."""

    def __init__(self, evidence, settles, log):
        self.evidence, self.settles, self.log = evidence, settles, log

    def __call__(self, mode, is_last):
        self.mode, self.is_last = mode, is_last
        return self

    def fit(self, gamma, known):
        self.log.append((self.mode.name, round(float(np.log10(gamma)), 6)))
        if not (self.settles(self.mode) or self.is_last):
            raise UnsettledError
        score = self.evidence(np.log10(gamma)) if self.settles(self.mode) else -np.inf
        return NoiseTrial(gamma, score, score, 0, mode=self.mode)


def chosen(evidence, gammas=None, settles=lambda mode: True):
    log = []
    best, trials = choose_noise_kernel(KnownEvidence(evidence, settles, log), 1.0, gammas)
    return best, trials, log


@pytest.mark.parametrize("top", [-2.3, -0.7, -0.2, 0.1, 1.2])
def test_the_top_is_found_within_a_quarter_of_a_decade(top):
    best, trials, log = chosen(lambda place: -np.square(place - top))
    assert abs(np.log10(best.gamma) - top) <= 0.13
    assert len(trials) == len(log) <= 10


def test_given_values_are_all_tried_from_narrow_to_wide_kernels():
    best, trials, _ = chosen(lambda place: -abs(place + 1), gammas=[0.01, 0.1, 1.0])
    assert best.gamma == 0.1
    assert [trial.gamma for trial in trials] == [1.0, 0.1, 0.01]


def test_if_no_mode_settles_the_widest_kernel_of_the_last_one_is_taken():
    best, trials, log = chosen(lambda place: 0.0, settles=lambda mode: False)
    assert best.mode == MODES[-1]
    assert best.gamma == min(trial.gamma for trial in trials)
    assert [name for name, _ in log[:3]] == [mode.name for mode in MODES[:3]]


@pytest.mark.parametrize("good", range(len(MODES)))
def test_the_first_mode_that_settles(good):
    tried = []

    def attempt(mode, is_last):
        tried.append(mode)
        if mode != MODES[good]:
            raise UnsettledError
        return is_last

    assert first_settled(attempt) == (good == len(MODES) - 1)
    assert tried == list(MODES[: good + 1])


def test_sites_of_some_rows_start_the_others():
    class Posterior:
        sites = np.arange(8.0).reshape(2, 4)

    trial = NoiseTrial(1.0, 0.0, 0.0, 0, (Posterior(),), rows=np.array([5, 2]))
    (start,) = trial.starts(np.array([2, 9, 5]))
    np.testing.assert_array_equal(start, [[4, 5, 6, 7], [0, 0, 0, 0], [0, 1, 2, 3]])


def test_the_search_finds_an_evidence_near_that_of_a_fine_grid():
    X, y = make_circle(150, label_noise=0.1, random_state=0)
    found = BayesMachineClassifier().fit(X, y)
    grid = found.gamma_ * 10.0 ** np.arange(-0.75, 0.76, 0.125)
    fine = BayesMachineClassifier(gamma=grid).fit(X, y)
    assert found.trials_["log_evidence"].max() > fine.trials_["log_evidence"].max() - 0.5
