"""Stability of rankings, by its definition and on data with known relevant features."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from pauca import SpikeSlabRegressor, stability
from pauca.evaluation import kuncheva_index


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 80))
    return X, X[:, 5] - X[:, 50] > 0


@pytest.mark.parametrize("size", [1, 3, 10, 29])
def test_index_by_its_definition(size):
    rankings = np.array([np.random.default_rng(seed).permutation(30) for seed in range(6)])
    chance = size**2 / 30
    pairs = [
        (len(set(a[:size]) & set(b[:size])) - chance) / (size - chance) for a, b in combinations(rankings, 2)
    ]
    assert kuncheva_index(rankings, size) == pytest.approx(np.mean(pairs))


def test_the_same_ranking_is_stable_and_chance_is_zero():
    same = np.tile(np.random.default_rng(0).permutation(200), (5, 1))
    assert kuncheva_index(same, 17) == pytest.approx(1)
    chance = np.array([np.random.default_rng(seed).permutation(200) for seed in range(100)])
    assert abs(kuncheva_index(chance, 17)) < 0.01


def test_relevant_features_are_stable(data):
    result = stability(*data, 10, sizes=[2, 40])
    assert result.index[0] > 0.8
    assert result.index[1] < result.index[0]
    assert result.rankings.shape == (10, 80)
    assert set(np.argsort(-result.frequencies(2))[:2]) == {5, 50}
    assert result.frequencies(2).sum() == pytest.approx(2)


def test_noise_is_not_stable(data):
    y = np.random.default_rng(1).permutation(60) < 30
    assert stability(data[0], y, 10, sizes=[5]).index[0] < 0.4


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        RandomForestClassifier(100, random_state=0),
        RFE(LogisticRegression(), n_features_to_select=1),
    ],
    ids=["coef_", "feature_importances_", "ranks"],
)
def test_other_estimators(data, estimator):
    result = stability(*data, 4, estimator=estimator, sizes=[2])
    assert set(np.argsort(-result.frequencies(2))[:2]) == {5, 50}


def test_regression():
    X = np.random.default_rng(0).normal(size=(40, 30))
    result = stability(X, 3 * X[:, 4], 4, estimator=SpikeSlabRegressor(noise_variance=0.1), sizes=[1])
    assert result.index[0] == 1
    assert (result.rankings[:, 0] == 4).all()


def test_default_sizes_stay_below_the_number_of_features(data):
    assert stability(data[0][:, :12], data[1], 2).sizes.tolist() == [1, 2, 5, 10]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_resamples": 1}, "n_resamples must be an integer of at least 2"),
        ({"sizes": [0]}, "sizes must be whole numbers from 1 to 79"),
        ({"sizes": [80]}, "sizes must be whole numbers"),
        ({"sizes": [1.5]}, "sizes must be whole numbers"),
        ({"estimator": KNeighborsClassifier()}, "KNeighborsClassifier has none"),
    ],
)
def test_wrong_arguments_are_named(data, arguments, message):
    with pytest.raises(ValueError, match=message):
        stability(*data, **{"n_resamples": 2, **arguments})
