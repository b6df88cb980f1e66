"""Ordered aggregation against its definition."""

import numpy as np
import pytest
from drawn import draw, mean_squared_error

from pauca.ensembles import (
    ordered_aggregation,
)


@pytest.mark.parametrize("seed", range(5))
def test_order_is_greedy_from_predictions(seed):
    """Every step of (3.17), recomputed from the averages themselves."""
    outputs, y = draw(seed)
    found, kept = ordered_aggregation(outputs, y), []
    for member, error in zip(found.order, found.criterion, strict=True):
        left = [k for k in range(len(outputs)) if k not in kept]
        errors = [mean_squared_error(outputs, y, [*kept, k]) for k in left]
        assert member == left[int(np.argmin(errors))]
        assert error == pytest.approx(min(errors))
        kept.append(member)


def test_order_names_every_member_once(outputs):
    assert sorted(ordered_aggregation(*outputs).order) == list(range(24))


def test_ties_go_to_the_lowest_index():
    assert ordered_aggregation(np.ones((4, 3)), np.zeros(3)).order.tolist() == [0, 1, 2, 3]
