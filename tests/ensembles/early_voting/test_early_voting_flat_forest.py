"""Flat forests take the branches of scikit-learn's trees, and evaluation stops where the rules say."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from pauca.ensembles import vote_thresholds
from pauca.ensembles.early_voting.compiled_votes import all_labels
from pauca.ensembles.early_voting.flat_forest import flatten
from pauca.ensembles.early_voting.tally import MeanTally, VoteTally, evaluate_forest, evaluate_members
from pauca.ensembles.members import members_of


def problem(n_classes=2, n_rows=200, missing=0.0, seed=0):
    X, y = make_classification(
        n_rows, 8, n_informative=5, n_classes=n_classes, n_clusters_per_class=1, random_state=seed, flip_y=0.2
    )
    X[np.random.default_rng(seed).random(X.shape) < missing] = np.nan
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
    missing = bool(np.isnan(X).any())
    all_labels(forest.nodes, forest.right_if_missing, forest.roots, X, missing, answers)
    return answers


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_tree_is_scikit_learns(ensemble, n_classes):
    X, y = problem(n_classes)
    members, classes = members_of(ensemble.fit(X, y)).members, ensemble.classes_
    for rows in (X, X[:5], problem(n_classes, seed=1)[0]):
        hard = labels_of(flatten(members, classes, with_probabilities=False), rows)
        soft = flatten(members, classes, with_probabilities=True)
        for member, labels, leaves in zip(members, hard, labels_of(soft, rows), strict=True):
            seen = rows if member.features is None else rows[:, member.features]
            np.testing.assert_array_equal(labels, member.estimator.predict(seen))
            expected = member.estimator.predict_proba(seen)
            np.testing.assert_array_equal(
                soft.probabilities[leaves][:, member.class_codes(classes)], expected
            )


def test_missing_values_go_where_scikit_learn_sends_them():
    X, y = problem(missing=0.2)
    forest = RandomForestClassifier(13, random_state=0).fit(X, y)
    labels = labels_of(flatten(members_of(forest).members, forest.classes_, with_probabilities=False), X)
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
    labels = labels_of(flatten(members_of(forest).members, forest.classes_, with_probabilities=False), rows)
    assert len(np.unique(labels)) == 2
    for tree, row in zip(forest.estimators_, labels, strict=True):
        np.testing.assert_array_equal(row, tree.predict(rows))


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
    members, classes = members_of(ensemble).members, ensemble.classes_
    forest = flatten(members, classes, with_probabilities=False)
    votes, queries = reference_votes(labels_of(forest, X), n_classes, confidence)
    tallies = [VoteTally(len(X), 40, confidence, n_classes) for _ in range(2)]
    answers = [partial(member.labels, classes=classes) for member in members]
    for tally in (evaluate_forest(tallies[0], forest, X), evaluate_members(tallies[1], answers, X)):
        np.testing.assert_array_equal(tally.totals, votes)
        np.testing.assert_array_equal(tally.queries, queries)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_means_stop_alike_in_both_engines(n_classes):
    X, y = problem(n_classes)
    ensemble = RandomForestClassifier(40, max_depth=3, random_state=0).fit(X, y)
    members, classes = members_of(ensemble).members, ensemble.classes_
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
