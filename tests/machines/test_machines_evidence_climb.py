"""The search that doubles and halves."""

from typing import NamedTuple

import numpy as np
import pytest

from pauca.machines.evidence_climb import climb


class Trial(NamedTuple):
    number: float
    score: float


def search(score, start=8.0, low=1.0, high=1000.0):
    tried = []

    def trial_at(number):
        tried.append(number)
        return Trial(number, score(number))

    return climb(trial_at, start, low, high).number, tried


@pytest.mark.parametrize("peak", [1, 4, 8, 16, 64, 512])
def test_one_peak_is_found(peak):
    found, tried = search(lambda number: -abs(np.log(number / peak)))
    assert found == peak
    assert len(tried) == len(set(tried)) <= 9


def test_the_bounds_are_kept():
    found, tried = search(lambda number: number, start=8, low=2, high=100)
    assert found == 64
    assert max(tried) <= 100
    assert search(lambda number: -number, start=8, low=3, high=100)[0] == 4
    assert search(lambda number: number, start=0.5, low=0.5, high=0.5)[1] == [0.5]


def test_what_is_not_a_number_loses():
    assert search(lambda number: np.nan if number > 8 else -number)[0] == 1
    assert search(lambda number: -np.inf)[0] == 8
