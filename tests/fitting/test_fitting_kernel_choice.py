"""The search over the logarithm of a hyperparameter, on scores that are known."""

import numpy as np
import pytest

from pauca.fitting import Trial
from pauca.fitting.fitters.ard import ARDFitter
from pauca.fitting.fitters.spike_slab import doublings
from pauca.fitting.kernel_choice import LogSearch, maximise


def found(score, tie_margin=0.0, reference=1.0):
    """The chosen trial and all trials of a relevance vector machine's search on known scores."""

    def fit(gamma, known):
        return Trial(gamma, score(np.log10(gamma / reference)), 0.0, 0)

    return maximise(fit, reference, ARDFitter(None, "evidence", tie_margin).search)


def walk(score, start=8.0, low=1.0, high=1000.0):
    """The chosen value and all values in order, of a search that doubles and halves."""
    tried = []

    def fit(value, known):
        tried.append(value)
        return Trial(value, score(value), 0.0, 0)

    return maximise(fit, start, doublings(start, low, high))[0].gamma, tried


def peak(place, width=0.1):
    return lambda log: -np.square((log - place) / width)


@pytest.mark.parametrize("place", [-1.6, -0.7, 0.0, 0.4])
def test_the_peak_is_found_between_grid_points(place):
    chosen, trials = found(peak(place), reference=3.0)
    assert abs(np.log10(chosen.gamma / 3.0) - place) <= 0.0625 + 1e-9
    assert chosen in trials


def test_of_equal_scores_the_widest_kernel_is_taken():
    score = peak(0.0, width=0.5)
    best, wider = found(score)[0], found(score, tie_margin=4.0)[0]
    assert best.gamma == pytest.approx(1.0)
    assert wider.gamma < best.gamma
    assert score(np.log10(wider.gamma)) >= -4
    assert found(score, tie_margin=0.3)[0].gamma > wider.gamma


def test_the_grid_ends_when_scores_have_become_clearly_worse():
    short, long = found(peak(-1.5, width=0.1))[1], found(lambda log: log)[1]
    assert max(trial.gamma for trial in short) < 1 < max(trial.gamma for trial in long)


def test_every_fit_knows_all_trials_before_it():
    seen = []

    def fit(value, known):
        seen.append([trial.gamma for trial in known])
        return Trial(value, -abs(np.log(value)), 0.0, 0)

    _, trials = maximise(fit, 1.0, LogSearch(10.0 ** np.arange(-2, 3), 2, (2.0,)))
    values = [trial.gamma for trial in trials]
    assert seen == [values[:k] for k in range(len(values))]


@pytest.mark.parametrize("top", [1, 4, 8, 16, 64, 512])
def test_doubling_and_halving_find_one_peak(top):
    value, tried = walk(lambda number: -abs(np.log(number / top)))
    assert value == top
    assert len(tried) == len(set(tried)) <= 10


def test_the_bounds_are_kept():
    value, tried = walk(lambda number: number, start=8, low=2, high=100)
    assert value == 64
    assert max(tried) <= 100
    assert walk(lambda number: -number, start=8, low=3, high=100)[0] == 4
    assert walk(lambda number: number, start=0.5, low=0.5, high=0.5)[1] == [0.5]


def test_the_walk_goes_down_only_if_no_larger_value_is_better():
    assert min(walk(lambda number: -abs(np.log(number / 32)))[1]) == 8
    assert walk(lambda number: -abs(np.log(number / 2)))[1][:4] == [8, 16, 4, 2]


def test_scores_that_are_not_numbers_lose():
    assert walk(lambda number: np.nan if number > 8 else -number)[0] == 1
    assert walk(lambda number: -np.inf)[0] == 1


def test_the_search_goes_on_while_no_score_is_finite():
    value, tried = walk(lambda number: -np.inf if number < 100 else -number)
    assert value == 128
    assert tried == [8, 16, 32, 64, 128, 256]
