"""Exhaustive search against brute force."""

from itertools import combinations

import numpy as np
import pytest
from drawn import draw, mean_squared_error

from pauca.ensembles import (
    error_products,
    exhaustive_pruning,
)
from pauca.ensembles.pruning.criteria import criterion
from pauca.ensembles.pruning.exhaustive import best_of_every_size


def best_by_brute_force(outputs, y, size):
    return min(mean_squared_error(outputs, y, kept) for kept in combinations(range(len(outputs)), size))


@pytest.mark.parametrize("n_members", [1, 2, 7, 9, 12])
def test_exhaustive_equals_brute_force(n_members):
    outputs, y = draw(n_members, n_members)
    for size in range(1, n_members + 1):
        found = exhaustive_pruning(outputs, y, size)
        assert len(found.selected) == size
        assert found.criterion == pytest.approx(best_by_brute_force(outputs, y, size))
        assert mean_squared_error(outputs, y, found.selected) == pytest.approx(found.criterion)


def test_exhaustive_across_all_three_tables():
    """18 members fill the low, the high and the outer sets: a planted pair that cancels is found."""
    outputs, y = draw(0, 18)
    outputs[2] = y + 0.1
    outputs[17] = y - 0.1
    assert exhaustive_pruning(outputs, y, 2).selected.tolist() == [2, 17]
    assert exhaustive_pruning(outputs, y).selected.tolist() == [2, 17]


def test_exhaustive_of_24_against_swaps():
    outputs, y = draw(3, 24)
    C = error_products(outputs, y)
    for size, members in enumerate(best_of_every_size(C), start=1):
        kept = set(members)
        for out in kept:
            for into in set(range(24)) - kept:
                assert criterion(C, list(kept - {out} | {into})) >= criterion(C, members) - 1e-12, size


def test_automatic_size_is_the_best_of_all():
    outputs, y = draw(5)
    least = min(exhaustive_pruning(outputs, y, size).criterion for size in range(1, 10))
    assert exhaustive_pruning(outputs, y, "auto").criterion == least


def test_32_members_at_most():
    with pytest.raises(ValueError, match=r"33 members is not feasible \(at most 32\).*sdp"):
        exhaustive_pruning(np.ones((33, 4)), np.zeros(4))
