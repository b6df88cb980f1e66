"""Critical vote counts against enumeration of the Polya urn."""

from fractions import Fraction
from itertools import product
from math import comb, prod
from time import process_time

import numpy as np
import pytest

from pauca.ensembles import agreement_probability, vote_rule, vote_thresholds
from pauca.ensembles.early_voting import polya_urn
from pauca.ensembles.early_voting.rules import thresholds_of


def enumerated(votes, n_members):
    """(3.30) by enumeration of the final counts, as a fraction."""
    left, leader = n_members - sum(votes), int(np.argmax(votes))
    rivals = [c for c in range(len(votes)) if c != leader]
    ways = 0
    for more in product(range(left + 1), repeat=len(votes)):
        final = [t + r for t, r in zip(votes, more, strict=True)]
        if sum(more) == left and all(final[leader] > final[c] for c in rivals):
            ways += prod(comb(t + r, r) for t, r in zip(votes, more, strict=True))
    return Fraction(ways, comb(n_members + len(votes) - 1, left))


def all_votes(total, n_classes):
    return [v for v in product(range(total + 1), repeat=n_classes) if sum(v) == total]


@pytest.mark.parametrize(("n_members", "n_classes"), [(6, 2), (7, 2), (5, 3), (6, 3), (4, 4)])
def test_probability_is_that_of_the_enumeration(n_members, n_classes):
    for n_votes in range(n_members + 1):
        for votes in all_votes(n_votes, n_classes):
            expected = float(enumerated(votes, n_members))
            assert agreement_probability(votes, n_members) == pytest.approx(expected, abs=1e-14)


def test_probabilities_of_all_winners_and_ties_add_up_to_one():
    # By symmetry each order of the counts has the leader's probability with that class in the lead.
    strict = sum(enumerated(votes, 5) == 1 for votes in all_votes(5, 3))
    tied = sum(enumerated(votes, 5) == 0 for votes in all_votes(5, 3))
    assert strict + tied == comb(7, 2)


@pytest.mark.parametrize("n_members", [1, 2, 5, 8, 11, 12])
@pytest.mark.parametrize("confidence", [0.51, 0.75, 0.9, 0.99, 1.0])
def test_two_classes_against_enumeration(n_members, confidence):
    thresholds, wanted = vote_thresholds(n_members, confidence), Fraction(repr(confidence))
    for n_votes in range(1, n_members + 1):
        stops = [
            a
            for a in range(n_votes // 2 + 1, n_votes + 1)
            if enumerated((a, n_votes - a), n_members) >= wanted
        ]
        assert thresholds[n_votes] == min(stops, default=thresholds[n_votes])
        assert stops or thresholds[n_votes] > n_votes


@pytest.mark.parametrize("n_members", [7, 8])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_three_classes_never_break_the_guarantee_and_lose_little(n_members, confidence):
    thresholds, early, stops = vote_thresholds(n_members, confidence, 3), 0, 0
    for n_votes in range(1, n_members + 1):
        for votes in all_votes(n_votes, 3):
            third, second, leader = sorted(votes)
            probability = enumerated(votes, n_members)
            if leader >= thresholds[n_votes, second]:
                assert probability >= Fraction(repr(confidence)), (votes, third)
                stops += 1
            early += probability >= confidence
    assert stops >= 0.9 * early > 0


def test_values_of_the_thesis():
    # (3.31), and no decision before the sixth vote.
    thresholds = vote_thresholds(101, 0.99)
    assert thresholds[6:14].tolist() == [6, 7, 8, 8, 9, 10, 10, 11]
    assert all(thresholds[n_votes] > n_votes for n_votes in range(6))
    assert thresholds[101] == 51


@pytest.mark.parametrize("n_members", [9, 10])
def test_certainty_means_that_the_rest_cannot_change_the_answer(n_members):
    assert set(vote_thresholds(n_members, 1.0)[n_members // 2 + 1 :]) == {n_members // 2 + 1}
    several = vote_thresholds(n_members, 1.0, 4)
    n_votes, second = np.ogrid[: n_members + 1, : n_members // 2 + 1]
    np.testing.assert_array_equal(several, second + n_members - n_votes + 1)


def test_even_sizes_are_more_conservative():
    assert (vote_thresholds(100, 0.99)[:100] >= vote_thresholds(99, 0.99)).all()


def test_large_ensembles_take_little_time_and_once():
    thresholds_of.cache_clear()
    start = process_time()
    thresholds = vote_thresholds(10_000, 0.99)
    assert process_time() - start < 3
    assert thresholds[10_000] == 5001
    vote_thresholds(10_000, 0.99)
    assert thresholds_of.cache_info()[:2] == (1, 1)


def test_the_table_is_the_callers_own():
    vote_thresholds(11)[:] = 0
    assert vote_thresholds(11)[11] == 6


@pytest.mark.parametrize("n_members", [100, 101])
def test_infinite_vote_never_stops_before_the_exact_one(n_members):
    exact = thresholds_of(n_members, 0.99, 4)
    infinite = np.empty_like(exact)
    polya_urn.fill_infinite(infinite, 0.01, 4)
    n_votes, second = np.ogrid[: n_members + 1, : n_members // 2 + 1]
    within_reach = infinite + second <= n_votes
    assert (infinite >= exact)[within_reach].all()
    assert (infinite - exact)[10:20, :3].max() <= 2


def test_many_members_of_several_classes():
    thresholds = vote_thresholds(2000, 0.99, 3)
    assert thresholds.shape == (2001, 1001)
    assert thresholds[8, 0] == 8
    assert thresholds[2000, 900] == 901


def test_guarantee_holds_for_uniform_vote_counts():
    # Rows whose final counts are all equally likely, evaluated in random order: the setting of the guarantee.
    rng, n_members = np.random.default_rng(0), 51
    thresholds, disagreements, n_rows = vote_thresholds(n_members, 0.95), 0, 4000
    for ones in rng.integers(0, n_members + 1, n_rows):
        counts = np.cumsum(rng.permutation(n_members) < ones)
        n_votes = np.arange(1, n_members + 1)
        lead = np.maximum(counts, n_votes - counts)
        stop = np.argmax((lead >= thresholds[1:]) | (n_votes == n_members))
        disagreements += (2 * counts[stop] > stop + 1) != (2 * ones > n_members)
    assert disagreements / n_rows <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "n_members must be an integer of at least 1; got 0"),
        ((5.0,), "n_members must be an integer"),
        ((5, 0.5), r"confidence must be a number in \(0.5, 1\]; got 0.5"),
        ((5, 1.1), "confidence must be"),
        ((5, "high"), "confidence must be"),
        ((5, 0.9, 1), "n_classes must be an integer of at least 2; got 1"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        vote_thresholds(*arguments)


def test_more_votes_than_members_are_refused():
    with pytest.raises(ValueError, match="n_members must be an integer of at least 7"):
        agreement_probability([4, 3], 5)


@pytest.mark.parametrize("n_members", [5, 11, 20])
@pytest.mark.parametrize("confidence", [0.6, 0.9, 0.99])
def test_three_classes_stop_exactly_where_the_probability_is_high_enough(n_members, confidence):
    thresholds = vote_thresholds(n_members, confidence, 3)
    certain = vote_thresholds(n_members, 1.0, 3)
    for n_votes in range(1, n_members + 1):
        for votes in all_votes(n_votes, 3):
            leader, second, _ = sorted(votes, reverse=True)
            if leader == second:
                continue
            stops = agreement_probability(votes, n_members) >= confidence - 1e-12
            assert (leader >= thresholds[n_votes, second]) == stops
            assert stops or leader < certain[n_votes, second]


@pytest.mark.parametrize(("n_classes", "states", "later"), [(3, 405, 0), (4, 836, 3), (5, 1345, 14)])
def test_states_in_which_the_bound_stops_later_than_the_probability_allows(n_classes, states, later):
    n_members = 21
    thresholds = vote_thresholds(n_members, 0.99, n_classes)
    votes = [
        state
        for total in range(1, n_members + 1)
        for state in product(range(total + 1), repeat=n_classes - 1)
        if total - sum(state) >= 0
        for state in [(*state, total - sum(state))]
        if list(state) == sorted(state, reverse=True)
    ]
    allowed = [agreement_probability(state, n_members) >= 0.99 for state in votes]
    stopped = [state[0] >= thresholds[sum(state), state[1]] for state in votes]
    assert len(votes) == states
    assert not any(stop and not may for stop, may in zip(stopped, allowed, strict=True))
    assert sum(may and not stop for stop, may in zip(stopped, allowed, strict=True)) == later


def test_the_rule_in_use_is_stated():
    assert [vote_rule(101, n_classes) for n_classes in (2, 3, 4)] == ["exact", "exact", "bound"]
    assert vote_rule(2000, 3) == "bound"
    # The bound is never below the exact thresholds.
    bound = polya_urn_bound(101, 0.99)
    exact = vote_thresholds(101, 0.99, 3)
    n_votes, second = np.ogrid[:102, :51]
    possible = np.maximum(n_votes - 2 * second, second)  # the third class has no more than the second
    later = np.maximum(bound, possible) - np.maximum(exact, possible)
    reachable = exact + second <= n_votes
    assert (later[reachable] >= 0).all()
    assert (later[reachable] > 0).any()


def polya_urn_bound(n_members, confidence):
    thresholds = np.empty((n_members + 1, n_members // 2 + 1), dtype=np.int32)
    polya_urn.fill(thresholds, 1 - confidence, 3)
    return thresholds
