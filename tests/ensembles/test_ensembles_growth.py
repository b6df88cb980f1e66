"""Estimated sizes of real ensembles, and ensembles that grow to them."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeClassifier

from pauca import ensemble_size, grow_until_stable
from pauca.datasets import make_twonorm


@pytest.fixture(scope="module")
def twonorm():
    X, y = make_twonorm(2300, random_state=0)
    return X[:300], y[:300], X[300:]


def test_all_sources_agree_roughly(twonorm):
    X, y, X_test = twonorm
    forest = RandomForestClassifier(101, random_state=0)
    by_oob = ensemble_size(forest, X, y)
    by_cv = ensemble_size(forest, X, y, source="cv", cv=3, random_state=0)
    by_rows = ensemble_size(forest.fit(X, y), X_test)
    assert (by_oob.source, by_cv.source, by_rows.source) == ("oob", "cv", "unlabelled")
    assert len(by_oob.votes) == len(by_cv.votes) == 300
    assert (by_rows.votes.sum(axis=1) == 101).all()
    assert all(100 < estimate.size < 1500 for estimate in (by_oob, by_cv, by_rows))
    np.testing.assert_array_equal(ensemble_size(forest, X, source="oob").votes, by_oob.votes)


def test_out_of_bag_votes_are_those_of_members_that_left_the_row_out(twonorm):
    X, y, _ = twonorm
    bagging = BaggingClassifier(n_estimators=15, random_state=0).fit(X, y)
    votes = np.zeros((300, 2), dtype=int)
    for tree, sample in zip(bagging.estimators_, bagging.estimators_samples_, strict=True):
        rows = np.setdiff1d(np.arange(300), sample)
        votes[rows, tree.predict(X[rows])] += 1
    expected = votes[votes.any(axis=1)]
    np.testing.assert_array_equal(ensemble_size(bagging, X, source="oob").votes, expected)


@pytest.mark.slow
def test_an_ensemble_of_that_size_agrees_as_often_as_wanted(twonorm):
    X, y, X_test = twonorm
    size = ensemble_size(RandomForestClassifier(101, random_state=0).fit(X, y), X_test, confidence=0.97).size
    many = RandomForestClassifier(1501, random_state=1).fit(X, y).predict(X_test)
    some = RandomForestClassifier(size, random_state=2).fit(X, y).predict(X_test)
    assert 0.955 < np.mean(some == many) < 0.985


def test_several_classes_and_text_labels():
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {label}" for label in y])
    estimate = ensemble_size(ExtraTreesClassifier(random_state=0), X, names, n_initial=51, cv=2)
    assert estimate.source == "cv"
    assert estimate.votes.shape == (len(X), 10)
    assert 20 < estimate.size < 1000


def test_growing_stops_when_there_are_enough(twonorm):
    X, y, X_test = twonorm
    grown = grow_until_stable(RandomForestClassifier(3, random_state=0), X, y, 0.97, batch=20)
    n_members = len(grown.estimators_)
    assert ensemble_size(grown, X, source="oob", confidence=0.97).size <= n_members <= 200
    assert n_members % 20 == 0
    assert not grown.warm_start
    again = grow_until_stable(ExtraTreesClassifier(random_state=0), X, y, 0.97, X_unlabelled=X_test, batch=20)
    assert ensemble_size(again, X_test, confidence=0.97).size <= len(again.estimators_)
    linear = grow_until_stable(BaggingClassifier(RidgeClassifier(), random_state=0), X, y, 0.95, batch=11)
    assert len(linear.estimators_) >= 11


def test_growing_ends_at_the_limit_with_a_warning(twonorm):
    X, y, _ = twonorm
    with pytest.warns(ConvergenceWarning, match="above max_members=30"):
        grown = grow_until_stable(RandomForestClassifier(random_state=0), X, y, batch=25, max_members=30)
    assert len(grown.estimators_) == 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": "crystal"}, "source must be one of 'auto', 'oob', 'cv', 'unlabelled'; got 'crystal'"),
        ({"source": "unlabelled"}, 'source="unlabelled" needs a fitted ensemble'),
        ({"source": "cv", "y": None}, "source='cv' fits ensembles: give y"),
        ({"source": "oob", "y": None}, "source='oob' fits ensembles: give y"),
        ({"confidence": 1.0}, "confidence must be below 1"),
        ({"confidence": 0.2}, "confidence must be"),
        ({"n_initial": 0}, "n_initial must be an integer of at least 1"),
        ({"source": "cv", "cv": 1}, "cv must be an integer of at least 2"),
        ({"ensemble": RidgeClassifier()}, "got RidgeClassifier"),
        ({"ensemble": ExtraTreesClassifier(3), "source": "oob"}, "no out-of-bag votes"),
    ],
)
def test_wrong_arguments_are_named(twonorm, arguments, message):
    X, y, _ = twonorm
    given = {"ensemble": RandomForestClassifier(5), "X": X, "y": y} | arguments
    with pytest.raises(ValueError, match=message):
        ensemble_size(**given)
