"""The search for the kernel parameter, on scores that are known."""

import numpy as np
import pytest

from pauca.machines.gamma import Trial, search


def found(score, as_good=0.0, reference=1.0):
    """The chosen trial, all trials, and the trial that each of them started from."""
    starts = {}

    def trial_at(gamma, wider):
        starts[gamma] = None if wider is None else wider.gamma
        return Trial(gamma, (), score(np.log10(gamma / reference)))

    return *search(trial_at, reference, as_good), starts


def peak(place, width=0.1):
    return lambda log: -np.square((log - place) / width)


@pytest.mark.parametrize("place", [-1.6, -0.7, 0.0, 0.4])
def test_the_peak_is_found_between_grid_points(place):
    chosen, trials, _ = found(peak(place), reference=3.0)
    assert abs(np.log10(chosen.gamma / 3.0) - place) <= 0.0625 + 1e-9
    assert chosen in trials


def test_of_scores_that_are_as_good_the_widest_kernel_is_taken():
    score = peak(0.0, width=0.5)
    best, careful = found(score)[0], found(score, as_good=4.0)[0]
    assert best.gamma == pytest.approx(1.0)
    assert careful.gamma < best.gamma
    assert score(np.log10(careful.gamma)) >= -4
    assert found(score, as_good=0.3)[0].gamma > careful.gamma


def test_the_grid_ends_when_scores_have_become_clearly_worse():
    short, long = found(peak(-1.5, width=0.1))[1], found(lambda log: log)[1]
    assert max(trial.gamma for trial in short) < 1 < max(trial.gamma for trial in long)


def test_every_fit_starts_from_the_next_wider_kernel():
    _, trials, starts = found(peak(-0.6, width=0.3))
    gammas = [trial.gamma for trial in trials]
    for k, gamma in enumerate(gammas):
        wider = [other for other in gammas[:k] if other < gamma]
        assert starts[gamma] == (max(wider) if wider else None)
