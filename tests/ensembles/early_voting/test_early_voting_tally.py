"""Evaluation stops where the rules say, in both engines."""

from functools import partial

import numpy as np
import pytest
from forests import labels_of, problem
from sklearn.ensemble import RandomForestClassifier

from pauca.ensembles import vote_thresholds
from pauca.ensembles.early_voting.flat_forest import flatten
from pauca.ensembles.early_voting.tally import (
    MeanTally,
    VoteTally,
    evaluate_forest,
    evaluate_members,
    posterior_shares,
)
from pauca.ensembles.members import members_of


def reference_votes(labels, n_classes, confidence):
    """Votes and queries by the rule, in plain Python."""
    n_members, n_rows = labels.shape
    thresholds = vote_thresholds(n_members, confidence, n_classes)
    votes, queries = np.zeros((n_rows, n_classes), dtype=int), np.zeros(n_rows, dtype=int)
    for row in range(n_rows):
        for n_evaluated in range(1, n_members + 1):
            votes[row, labels[n_evaluated - 1, row]] += 1
            second, lead = np.sort(votes[row])[-2:]
            if lead >= (thresholds[n_evaluated] if n_classes == 2 else thresholds[n_evaluated, second]):
                break
        queries[row] = n_evaluated
    return votes, queries


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("confidence", [0.9, 0.99, 1.0])
def test_votes_stop_where_the_thresholds_say(n_classes, confidence):
    X, y = problem(n_classes)
    ensemble = RandomForestClassifier(40, max_depth=3, random_state=0).fit(X, y)
    members, classes = members_of(ensemble), ensemble.classes_
    forest = flatten(members, classes, with_probabilities=False)
    votes, queries = reference_votes(labels_of(forest, X, n_classes), n_classes, confidence)
    tallies = [VoteTally(len(X), 40, confidence, n_classes) for _ in range(2)]
    answers = [partial(member.labels, classes=classes) for member in members]
    for tally in (evaluate_forest(tallies[0], forest, X), evaluate_members(tallies[1], answers, X)):
        np.testing.assert_array_equal(tally.totals, votes)
        np.testing.assert_array_equal(tally.queries, queries)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_means_stop_alike_in_both_engines(n_classes):
    X, y = problem(n_classes)
    ensemble = RandomForestClassifier(40, max_depth=3, random_state=0).fit(X, y)
    members, classes = members_of(ensemble), ensemble.classes_
    forest = flatten(members, classes, with_probabilities=True)
    answers = [partial(member.probabilities, classes=classes) for member in members]
    compiled = evaluate_forest(MeanTally(len(X), 40, 0.95, n_classes), forest, X)
    by_members = evaluate_members(MeanTally(len(X), 40, 0.95, n_classes), answers, X)
    np.testing.assert_array_equal(compiled.queries, by_members.queries)
    np.testing.assert_allclose(compiled.totals, by_members.totals)
    assert compiled.queries.min() >= 6
    assert compiled.queries.max() <= 40


def test_means_of_two_classes_stop_at_students_t():
    from scipy.stats import t

    rng, n_members, confidence = np.random.default_rng(0), 60, 0.95
    shares = rng.beta(2, 1.5, (n_members, 30))
    tally = MeanTally(30, n_members, confidence, 2)
    recorded = [np.column_stack([1 - second, second]).__getitem__ for second in shares]
    queries = evaluate_members(tally, recorded, np.arange(30)).queries
    for row, second in enumerate(shares.T):
        for n_evaluated in range(6, n_members + 1):
            lead = np.abs(np.sum(2 * second[:n_evaluated] - 1)) / n_evaluated
            spread = np.sum((2 * second[:n_evaluated] - 1) ** 2) - n_evaluated * lead**2
            left = n_members - n_evaluated
            score = lead * np.sqrt(
                n_evaluated * n_members / max(left, 1e-9) / ((spread + 2) / (n_evaluated + 1))
            )
            if left == 0 or t.cdf(score, n_evaluated - 1) >= confidence or lead * n_evaluated > left:
                break
        assert queries[row] == n_evaluated


def test_variance_of_shares_is_that_of_the_polya_urn():
    # Polya urn simulated: 6 : 1 votes, 20 members to go.
    rng, finals = np.random.default_rng(0), []
    for _ in range(4000):
        votes = [6, 1]
        for _ in range(20):
            votes[int(rng.random() > (votes[0] + 1) / (sum(votes) + 2))] += 1
        finals.append(votes[0] / 27)
    tally = VoteTally(1, 27, 0.99, 2)
    tally.totals = tally.squares = np.array([[6, 1]])
    tally.queries = np.array([7])
    mean, std = posterior_shares(tally, 27)
    assert mean[0, 0] == pytest.approx(np.mean(finals), abs=0.01)
    assert std[0, 0] == pytest.approx(np.std(finals), rel=0.05)
