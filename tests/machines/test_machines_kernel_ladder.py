"""The choice of a kernel: where the evidence falls the climb ends; modes are tried in turn."""

from dataclasses import dataclass

import numpy as np
import pytest

from pauca.inference.ep import MODES
from pauca.machines.kernel_ladder import Trial, UnsettledError, _climb, _root, first_settled


@dataclass(frozen=True)
class Outcome:
    """What a trial needs of a posterior."""

    log_evidence: float
    converged: bool = True


def climb(evidence, unsettled=()):
    """Half decades (from the reference) that were tried, in order."""
    places = []

    def trial_at(gamma, previous=None):
        place = float(2 * np.log10(gamma / 3.0))
        places.append(place)
        assert (previous is None) == (len(places) == 1)
        return Trial(gamma, (Outcome(evidence(place), not np.isclose(place, unsettled).any()),))

    def slope_of(trial):
        place = float(2 * np.log10(trial.gamma / 3.0))
        return (evidence(place + 1e-6) - evidence(place - 1e-6)) / 2e-6

    _climb(trial_at, slope_of, 3.0)
    return np.array(places)


@pytest.mark.parametrize("top", [-4.2, -1.6, -0.6, 0.2, 1.7])
def test_the_top_of_a_parabola_is_found(top):
    places = climb(lambda place: -4 * (place - top) ** 2)
    assert places[-1] == pytest.approx(top, abs=1e-4)
    assert len(places) <= 7


def test_only_uphill_until_it_turns():
    np.testing.assert_allclose(climb(lambda place: -np.cosh(place + 1))[:3], [0, -0.5, -1.5])
    np.testing.assert_allclose(climb(lambda place: -np.cosh(place - 0.2))[:2], [0, 0.5])


def test_a_fall_ends_the_climb_whatever_the_slope():
    def saw(place):
        return place if place > -1 else place - 5

    np.testing.assert_allclose(climb(lambda place: saw(place) - 2 * place), [0, -0.5, -1.5])


@pytest.mark.parametrize(("slope", "end"), [(1.0, 2.5), (-1.0, -4.5)])
def test_the_climb_has_an_end(slope, end):
    assert climb(lambda place: slope * place)[-1] == pytest.approx(end)


def test_what_has_not_settled_is_passed_over():
    places = climb(lambda place: -((place + 2) ** 2), unsettled=[-0.5])
    np.testing.assert_allclose(places, [0, -0.5, -1.5, -2.5, -2])


def test_where_nothing_settles_both_ways_are_tried():
    everywhere = np.append(0, np.arange(-4.5, 2.6))
    places = climb(lambda place: place, unsettled=everywhere)
    np.testing.assert_allclose(np.sort(places), np.sort(everywhere))


@pytest.mark.parametrize("root", [-0.4, 0.0, 0.3, 1.0])
def test_root_of_a_line(root):
    assert _root(-root, 1 - root) == pytest.approx(root)
    assert _root(1.0, 1.0) == np.inf


@pytest.mark.parametrize("good", range(4))
def test_the_first_mode_that_settles(good):
    tried = []

    def attempt(mode, last):
        tried.append(mode)
        if mode != MODES[good]:
            raise UnsettledError
        return last

    assert first_settled(attempt) == (good == 3)
    assert tried == list(MODES[: good + 1])
