"""Flat forests go the way of scikit-learn's trees, and polls stop where the rules say."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from pauca.ensembles import vote_thresholds
from pauca.ensembles.forest import flatten
from pauca.ensembles.polling import all_labels
from pauca.ensembles.polls import MeanTally, VoteTally, poll_forest, poll_members
from pauca.ensembles.voters import members_of


def problem(n_classes=2, n_rows=200, gaps=0.0, seed=0):
    X, y = make_classification(
        n_rows, 8, n_informative=5, n_classes=n_classes, n_clusters_per_class=1, random_state=seed, flip_y=0.2
    )
    X[np.random.default_rng(seed).random(X.shape) < gaps] = np.nan
    return X.astype(np.float32), y


ENSEMBLES = [
    RandomForestClassifier(13, random_state=0),
    RandomForestClassifier(13, min_samples_leaf=10, random_state=0),
    ExtraTreesClassifier(13, max_depth=3, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=4), 13, max_features=5, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(), 13, max_samples=4, random_state=0),  # classes are missing
    RandomForestClassifier(3, max_depth=1, random_state=0),
]


def labels_of(forest, X):
    answers = np.empty((len(forest.roots), len(X)), dtype=np.int32)
    gaps = bool(np.isnan(X).any())
    all_labels(forest.nodes, forest.right_if_missing, forest.roots, X, gaps, answers)
    return answers


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_tree_is_scikit_learns(ensemble, n_classes):
    X, y = problem(n_classes)
    members = members_of(ensemble.fit(X, y))
    for rows in (X, X[:5], problem(n_classes, seed=1)[0]):
        hard = labels_of(flatten(members, n_classes, with_shares=False), rows)
        soft = flatten(members, n_classes, with_shares=True)
        for member, labels, leaves in zip(members, hard, labels_of(soft, rows), strict=True):
            seen = rows if member.features is None else rows[:, member.features]
            np.testing.assert_array_equal(labels, member.estimator.predict(seen))
            expected = member.estimator.predict_proba(seen)
            np.testing.assert_array_equal(soft.shares[leaves][:, member.classes], expected)


def test_missing_values_go_where_scikit_learn_sends_them():
    X, y = problem(gaps=0.2)
    forest = RandomForestClassifier(13, random_state=0).fit(X, y)
    labels = labels_of(flatten(members_of(forest), 2, with_shares=False), X)
    for tree, row in zip(forest.estimators_, labels, strict=True):
        np.testing.assert_array_equal(row, tree.predict(X))


def test_thresholds_between_single_precision_numbers():
    # Double-precision thresholds must send every single-precision value the same way.
    X, y = (
        np.float32(1) + np.float32(2**-23) * np.arange(0, 60, 5, dtype=np.float32)[:, None],
        np.arange(12) % 2,
    )
    forest = RandomForestClassifier(9, random_state=0).fit(X, y)
    rows = np.float32(1) + np.float32(2**-23) * np.arange(60, dtype=np.float32)[:, None]
    labels = labels_of(flatten(members_of(forest), 2, with_shares=False), rows)
    assert len(np.unique(labels)) == 2
    for tree, row in zip(forest.estimators_, labels, strict=True):
        np.testing.assert_array_equal(row, tree.predict(rows))


def reference_votes(labels, n_classes, confidence):
    """Votes and queries by the rule, in plain Python."""
    n_members, n_rows = labels.shape
    thresholds = vote_thresholds(n_members, confidence, n_classes)
    votes, queries = np.zeros((n_rows, n_classes), dtype=int), np.zeros(n_rows, dtype=int)
    for row in range(n_rows):
        for asked in range(1, n_members + 1):
            votes[row, labels[asked - 1, row]] += 1
            second, lead = np.sort(votes[row])[-2:]
            if lead >= (thresholds[asked] if n_classes == 2 else thresholds[asked, second]):
                break
        queries[row] = asked
    return votes, queries


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("confidence", [0.9, 0.99, 1.0])
def test_votes_stop_where_the_thresholds_say(n_classes, confidence):
    X, y = problem(n_classes)
    ensemble = RandomForestClassifier(40, max_depth=3, random_state=0).fit(X, y)
    members = members_of(ensemble)
    forest = flatten(members, n_classes, with_shares=False)
    votes, queries = reference_votes(labels_of(forest, X), n_classes, confidence)
    tallies = [VoteTally(len(X), 40, confidence, n_classes) for _ in range(2)]
    for tally in (poll_forest(tallies[0], forest, X), poll_members(tallies[1], members, X)):
        np.testing.assert_array_equal(tally.totals, votes)
        np.testing.assert_array_equal(tally.queries, queries)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_means_stop_alike_in_both_engines(n_classes):
    X, y = problem(n_classes)
    ensemble = RandomForestClassifier(40, max_depth=3, random_state=0).fit(X, y)
    members = members_of(ensemble)
    forest = flatten(members, n_classes, with_shares=True)
    compiled = poll_forest(MeanTally(len(X), 40, 0.95, n_classes), forest, X)
    asked = poll_members(MeanTally(len(X), 40, 0.95, n_classes), members, X)
    np.testing.assert_array_equal(compiled.queries, asked.queries)
    np.testing.assert_allclose(compiled.totals, asked.totals)
    assert compiled.queries.min() >= 6
    assert compiled.queries.max() <= 40


def test_means_of_two_classes_stop_at_students_t():
    from scipy.stats import t

    rng, n_members, confidence = np.random.default_rng(0), 60, 0.95
    shares = rng.beta(2, 1.5, (n_members, 30))
    tally = MeanTally(30, n_members, confidence, 2)

    class Given:
        def __init__(self, second):
            self.second = second

        def shares(self, places, n_classes):
            return np.column_stack([1 - self.second, self.second])[places]

    queries = poll_members(tally, map(Given, shares), np.arange(30)).queries
    for row, given in enumerate(shares.T):
        for asked in range(6, n_members + 1):
            lead = np.abs(np.sum(2 * given[:asked] - 1)) / asked
            spread = np.sum((2 * given[:asked] - 1) ** 2) - asked * lead**2
            left = n_members - asked
            score = lead * np.sqrt(asked * n_members / max(left, 1e-9) / ((spread + 2) / (asked + 1)))
            if left == 0 or t.cdf(score, asked - 1) >= confidence or lead * asked > left:
                break
        assert queries[row] == asked
