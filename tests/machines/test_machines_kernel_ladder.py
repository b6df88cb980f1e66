"""The choice of a kernel: where the evidence falls the climb ends; modes are tried in turn."""

from dataclasses import dataclass

import numpy as np
import pytest

from laconic.inference.ep import MODES
from laconic.machines.kernel_ladder import Trial, UnsettledError, _climb, _vertex, first_settled


@dataclass(frozen=True)
class Outcome:
    """What a trial needs of a posterior."""

    log_evidence: float
    converged: bool = True


def climb(evidence, unsettled=()):
    """Decades (from the reference) that were tried, in order."""
    decades = []

    def trial_at(gamma, previous=None):
        decades.append(float(np.log10(gamma / 3.0)))
        assert (previous is None) == (len(decades) == 1)
        return Trial(gamma, (Outcome(evidence(decades[-1]), not np.isin(decades[-1], unsettled)),))

    _climb(trial_at, 3.0)
    return np.array(decades)


@pytest.mark.parametrize("top", [-1.7, -0.8, -0.3, 0.1, 0.2])
def test_the_top_of_a_parabola_is_found(top):
    decades = climb(lambda decade: -4 * (decade - top) ** 2)
    assert np.abs(decades - top).min() < 0.05
    assert len(decades) <= 7


def test_wider_kernels_come_first_and_narrower_ones_only_if_they_are_worse():
    np.testing.assert_allclose(climb(lambda decade: -abs(decade + 0.5))[:3], [0, -0.5, -1])
    np.testing.assert_allclose(climb(lambda decade: -abs(decade - 0.5)), [0, -0.5, 0.5, 1])


@pytest.mark.parametrize(("slope", "end"), [(1.0, 1.0), (-1.0, -2.0)])
def test_the_climb_has_an_end(slope, end):
    decades = climb(lambda decade: slope * decade)
    assert decades[-1] == pytest.approx(end)


def test_what_has_not_settled_is_passed_over():
    decades = climb(lambda decade: -((decade + 1) ** 2), unsettled=[-0.5])
    np.testing.assert_allclose(decades[:4], [0, -0.5, -1, -1.5])


def test_nothing_settles():
    decades = climb(lambda decade: decade, unsettled=np.arange(-2, 1.1, 0.5))
    np.testing.assert_allclose(np.sort(decades), np.arange(-2, 1.1, 0.5))


@pytest.mark.parametrize("top", [-0.4, 0.0, 0.3])
def test_vertex_of_a_parabola(top):
    assert _vertex(*(5 - 2 * (place - top) ** 2 for place in (-1, 0, 1))) == pytest.approx(top)
    assert _vertex(1.0, 1.0, 1.0) == 0


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
