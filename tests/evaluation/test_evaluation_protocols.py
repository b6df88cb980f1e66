"""Splits and parameters that are chosen once."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from pauca.evaluation import five_by_two, median_choice, repeated_splits

Y = np.repeat([0, 1], [30, 10])


def test_splits_are_disjoint_and_complete_and_do_not_depend_on_their_number():
    splits = repeated_splits(Y, 4, train_size=25, seed=1)
    for train, test in splits:
        assert len(train) == 25
        assert sorted([*train, *test]) == list(range(40))
    for (train, _), (again, _) in zip(repeated_splits(Y, 2, train_size=25, seed=1), splits, strict=False):
        np.testing.assert_array_equal(train, again)
    other = repeated_splits(Y, 1, train_size=25, seed=2)
    assert not np.array_equal(other[0][0], splits[0][0])


def test_stratified_halves():
    for train, test in repeated_splits(Y, 3, stratify=True):
        assert Y[train].sum() == Y[test].sum() == 5


def test_five_by_two_swaps_the_halves():
    splits = five_by_two(Y)
    assert len(splits) == 10
    for (train, test), (swapped, back) in zip(splits[::2], splits[1::2], strict=True):
        np.testing.assert_array_equal(train, back)
        np.testing.assert_array_equal(test, swapped)
        assert Y[train].sum() == 5


class Recorded:
    """A search whose choices are known beforehand."""

    def __init__(self, choices):
        self.choices = choices

    def get_params(self, deep=True):
        return {"choices": self.choices}

    def fit(self, X, y):
        self.best_params_ = self.choices[int(X[0, 0])]
        return self


def test_the_median_of_the_first_five_is_taken_for_each_parameter():
    names = ["a", "b", "b", "a", "b", "a", "a"]
    C = [1, 100, 10, 1000, 10, 1e9, 1e9]
    choices = [{"C": c, "kernel": name} for c, name in zip(C, names, strict=True)]
    splits = [(np.array([k]), np.array([])) for k in range(7)]
    X = np.arange(7.0)[:, None]
    assert median_choice(Recorded(choices), X, np.zeros(7), splits) == {"C": 10, "kernel": "b"}
    assert median_choice(Recorded(choices), X, np.zeros(7), splits, n_first=2) == {"C": 1, "kernel": "a"}


def test_with_a_grid_search():
    X, y = make_moons(80, noise=0.2, random_state=0)
    search = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=2)
    chosen = median_choice(search, X, y, repeated_splits(y, 5))
    assert chosen["C"] in (0.1, 1, 10)
    assert not hasattr(search, "best_params_")
    with pytest.raises(ValueError, match="splits is empty"):
        median_choice(search, X, y, [])
