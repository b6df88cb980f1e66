"""Members of every kind of ensemble: together they are the ensemble."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from pauca.ensembles.members import members_of
from pauca.ensembles.training import is_fitted, out_of_bag, template, trained

REGRESSORS = [
    BaggingRegressor(n_estimators=5, max_features=0.5, random_state=0),
    RandomForestRegressor(5, random_state=0),
    VotingRegressor([("a", Ridge()), ("b", Ridge(100.0))]),
]
SOFT = [
    BaggingClassifier(n_estimators=5, max_features=0.5, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(), 5, max_samples=2, random_state=0),  # classes are missing
    BaggingClassifier(GaussianNB(), 5, random_state=0),
    RandomForestClassifier(5, max_depth=2, random_state=0),
    ExtraTreesClassifier(5, max_depth=2, random_state=0),
    VotingClassifier([("a", LogisticRegression()), ("b", GaussianNB())], voting="soft"),
]
HARD = [
    BaggingClassifier(RidgeClassifier(), 5, random_state=0),
    VotingClassifier([("a", LogisticRegression()), ("b", GaussianNB()), ("c", RidgeClassifier())]),
]


@pytest.mark.parametrize("ensemble", REGRESSORS, ids=lambda ensemble: type(ensemble).__name__)
def test_mean_value_is_that_of_the_ensemble(ensemble, friedman):
    X, y = friedman
    members = members_of(ensemble.fit(X, y))
    np.testing.assert_allclose(members.mean_value(X), ensemble.predict(X))
    np.testing.assert_allclose(members.values(X).mean(axis=0), ensemble.predict(X))


@pytest.mark.parametrize("ensemble", SOFT, ids=str)
def test_mean_probability_is_that_of_the_ensemble(ensemble, waveform):
    X, y = waveform
    members = members_of(ensemble.fit(X, y))
    assert members.soft
    np.testing.assert_array_equal(members.known_classes(y), ensemble.classes_)
    np.testing.assert_allclose(members.mean_probability(X, ensemble.classes_), ensemble.predict_proba(X))


@pytest.mark.parametrize("ensemble", HARD, ids=lambda ensemble: type(ensemble).__name__)
def test_vote_is_that_of_the_ensemble(ensemble, waveform):
    X, y = waveform
    members = members_of(ensemble.fit(X, y))
    assert not members.soft
    shares = members.vote_shares(X, ensemble.classes_)
    np.testing.assert_array_equal(ensemble.classes_[shares.argmax(axis=1)], ensemble.predict(X))


def test_lists_of_predictors_know_classes_by_name(waveform):
    X, y = waveform
    rows = y != "eins"
    partial, full = GaussianNB().fit(X[rows], y[rows]), FrozenEstimator(GaussianNB().fit(X, y))
    members = members_of([partial, full])
    classes = members.known_classes(y[:0])
    assert classes.tolist() == ["drei", "eins", "zwei"]
    np.testing.assert_array_equal(classes[members.votes(X, classes)], [partial.predict(X), full.predict(X)])
    probabilities = members.members[0].probabilities(X, classes)
    assert not probabilities[:, 1].any()
    np.testing.assert_array_equal(probabilities[:, [0, 2]], partial.predict_proba(X))


def test_only_trees_alone_skip_the_check_of_rows(waveform):
    X, y = waveform
    tree, bayes = DecisionTreeClassifier(max_depth=3).fit(X, y), GaussianNB().fit(X, y)
    assert [member.float32 for member in members_of([tree, tree])] == [True, True]
    assert [member.float32 for member in members_of([tree, bayes])] == [False, False]
    expected = members_of([tree, bayes]).votes(X, tree.classes_)[0]
    for rows in (X, X.astype(np.float32), csr_array(X)):
        np.testing.assert_array_equal(members_of([tree]).votes(rows, tree.classes_)[0], expected)
    with pytest.raises(ValueError, match="infinity"):
        members_of([tree]).votes(np.full_like(X, np.inf), tree.classes_)


def test_subsets_keep_order_and_features(friedman):
    X, y = friedman
    bagging = BaggingRegressor(n_estimators=5, max_features=0.5, random_state=0).fit(X, y)
    members = members_of(bagging)
    np.testing.assert_array_equal(members.subset([3, 1]).values(X), members.values(X)[[3, 1]])
    assert members.subset([3, 1]).estimators == [bagging.estimators_[3], bagging.estimators_[1]]


def test_out_of_bag_rows_are_those_not_sampled(bagging):
    mask = out_of_bag(bagging, 120)
    for left_out, sample in zip(mask, bagging.estimators_samples_, strict=True):
        np.testing.assert_array_equal(np.flatnonzero(left_out), np.setdiff1d(np.arange(120), sample))


def test_copies_are_trained_with_drawn_seeds(friedman):
    X, y = friedman
    unfitted = [BaggingRegressor(n_estimators=2), BaggingRegressor(n_estimators=2, random_state=7)]
    first, second = (trained(unfitted, X, y, None, np.random.RandomState(0)) for _ in range(2))
    assert not is_fitted(unfitted)
    assert is_fitted(first)
    assert first[1].random_state == 7
    assert first[0].random_state == second[0].random_state is not None
    assert not is_fitted(template(first))
