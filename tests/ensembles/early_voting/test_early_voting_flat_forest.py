"""Flat forests take the branches of scikit-learn's trees."""

import numpy as np
import pytest
from forests import labels_of, probabilities_of, problem
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from pauca.ensembles.early_voting.flat_forest import flatten
from pauca.ensembles.members import members_of

ENSEMBLES = [
    RandomForestClassifier(13, random_state=0),
    RandomForestClassifier(13, min_samples_leaf=10, random_state=0),
    ExtraTreesClassifier(13, max_depth=3, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=4), 13, max_features=5, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(), 13, max_samples=4, random_state=0),  # classes are missing
    RandomForestClassifier(3, max_depth=1, random_state=0),
]


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_tree_is_scikit_learns(ensemble, n_classes):
    X, y = problem(n_classes)
    members, classes = members_of(ensemble.fit(X, y)), ensemble.classes_
    for rows in (X, X[:5], problem(n_classes, seed=1)[0]):
        hard, soft = (flatten(members, classes, with_probabilities=soft) for soft in (False, True))
        votes, means = labels_of(hard, rows, n_classes), probabilities_of(soft, rows, n_classes)
        for member, labels, probabilities in zip(members, votes, means, strict=True):
            columns = rows if member.features is None else rows[:, member.features]
            np.testing.assert_array_equal(labels, member.estimator.predict(columns))
            expected = member.estimator.predict_proba(columns)
            np.testing.assert_array_equal(probabilities[:, member.class_codes(classes)], expected)


def test_missing_values_go_where_scikit_learn_sends_them():
    X, y = problem(missing=0.2)
    forest = RandomForestClassifier(13, random_state=0).fit(X, y)
    labels = labels_of(flatten(members_of(forest), forest.classes_, with_probabilities=False), X)
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
    labels = labels_of(flatten(members_of(forest), forest.classes_, with_probabilities=False), rows)
    assert len(np.unique(labels)) == 2
    for tree, row in zip(forest.estimators_, labels, strict=True):
        np.testing.assert_array_equal(row, tree.predict(rows))
