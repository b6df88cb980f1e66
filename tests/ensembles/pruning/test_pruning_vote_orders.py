"""Orders for votes against the definitions, written out slowly."""

import numpy as np
import pytest

from pauca.ensembles import vote_ordering
from pauca.ensembles.checks import check_outputs
from pauca.ensembles.pruning.vote_orders import VOTE_ORDERINGS, vote_errors


def majority(votes, classes):
    """The winning class of each row; ties go to the first class."""
    counts = np.stack([(votes == label).sum(axis=0) for label in classes])
    return classes[counts.argmax(axis=0)]


def slow_order(outputs, y, cost):
    order = []
    while len(order) < len(outputs):
        left = [k for k in range(len(outputs)) if k not in order]
        order.append(left[int(np.argmin([cost(order, k) for k in left]))])
    return order


def reduce_error(outputs, y):
    classes = np.unique(y)
    return lambda order, k: np.sum(majority(outputs[[*order, k]], classes) != y)


def complementarity(outputs, y):
    classes = np.unique(y)

    def cost(order, k):
        missing = majority(outputs[order], classes) != y if order else np.ones(len(y), dtype=bool)
        return -np.sum((outputs[k] == y) & missing)

    return cost


def margin_distance(outputs, y):
    signature = 2 * (outputs == y) - 1.0

    def cost(order, k):
        return np.round(np.sum(np.square(0.075 - signature[[*order, k]].sum(axis=0) / len(outputs))), 9)

    return cost


@pytest.mark.parametrize("rule", [reduce_error, complementarity, margin_distance])
def test_order_follows_its_definition(rule, votes):
    outputs, y = votes
    found = vote_ordering(outputs, y, rule.__name__.replace("_", "-"))
    assert found.tolist() == slow_order(outputs, y, rule(outputs, y))


def test_boosting_by_hand():
    """Member 0 errs on one row of four, whose weight becomes a half: then 2, right there, beats 1."""
    y = np.zeros(4, dtype=int)
    outputs = np.array([[1, 0, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0]])
    assert vote_ordering(outputs, y, "boosting").tolist() == [0, 2, 1]


def test_boosting_starts_anew_when_nobody_beats_chance():
    y = np.zeros(4, dtype=int)
    outputs = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]])
    assert vote_ordering(outputs, y, "boosting").tolist() == [0, 1, 2]


@pytest.mark.parametrize("method", VOTE_ORDERINGS)
def test_weights_are_repetitions(method, votes):
    outputs, y = votes
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    found = vote_ordering(outputs, y, method, sample_weight=weights)
    assert found.tolist() == vote_ordering(outputs[:, repeated], y[repeated], method).tolist()


@pytest.mark.parametrize("method", VOTE_ORDERINGS)
def test_rows_that_do_not_count_are_not_seen(method, votes):
    outputs, y = votes
    known = np.random.default_rng(0).random(outputs.shape) < 0.5
    scrambled = np.where(known, outputs, "eins")
    found = vote_ordering(outputs, y, method, known=known)
    assert found.tolist() == vote_ordering(scrambled, y, method, known=known).tolist()
    assert sorted(found) == list(range(len(outputs)))


def test_error_curve_of_votes(votes):
    outputs, y = votes
    order = np.random.default_rng(0).permutation(len(outputs))
    curve = vote_errors(check_outputs(outputs, y, "classification"), order)
    slow = [np.mean(majority(outputs[order[:size]], np.unique(y)) != y) for size in range(1, len(order) + 1)]
    np.testing.assert_allclose(curve, slow)


def test_error_curve_of_rows_with_votes(votes):
    """Rows on which nobody may vote yet do not count."""
    outputs, y = votes
    known = np.random.default_rng(0).random(outputs.shape) < 0.3
    curve = vote_errors(check_outputs(outputs, y, "classification", known=known), np.arange(len(outputs)))
    for size in (1, 2, 5, 25):
        voted = known[:size].any(axis=0)
        winners = majority(np.where(known[:size], outputs[:size], "nobody"), np.unique(y))
        assert curve[size - 1] == pytest.approx(np.mean(winners[voted] != y[voted]))


def test_unknown_method_is_named():
    with pytest.raises(ValueError, match="method must be one of 'reduce-error'"):
        vote_ordering([[0]], [0], "best")
