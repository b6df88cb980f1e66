"""Tests of two methods over splits, beside worked examples and reference libraries."""

import baycomp
import numpy as np
import pytest
from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_kfold_cv
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from pauca.evaluation import (
    corrected_t,
    five_by_two_f,
    paired_t,
)


def test_paired_t_against_scipy_and_mlxtend():
    X, y = load_breast_cancer(return_X_y=True)
    first, second = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)
    t, p = paired_ttest_kfold_cv(first, second, X, y, cv=6, shuffle=True, random_seed=3)
    scores = [
        [model.fit(X[train], y[train]).score(X[test], y[test]) for model in (first, second)]
        for train, test in KFold(6, shuffle=True, random_state=3).split(X)
    ]
    ours = paired_t(*np.transpose(scores)).iloc[0]
    assert ours["statistic"] == pytest.approx(t)
    assert ours["p_value"] == pytest.approx(p)
    assert ours["p_value"] == pytest.approx(stats.ttest_rel(*np.transpose(scores)).pvalue)
    assert ours["df2"] == 5


def test_five_by_two_f_against_mlxtend():
    X, y = load_breast_cancer(return_X_y=True)
    first, second = GaussianNB(), LogisticRegression(C=1e-9)
    F, p = combined_ftest_5x2cv(first, second, X, y, random_seed=7)
    rng, scores = np.random.RandomState(7), []
    for _ in range(5):
        halves = train_test_split(X, y, test_size=0.5, random_state=rng.randint(low=0, high=32767))
        X_a, X_b, y_a, y_b = halves
        for X_train, y_train, X_test, y_test in ((X_a, y_a, X_b, y_b), (X_b, y_b, X_a, y_a)):
            scores.append([m.fit(X_train, y_train).score(X_test, y_test) for m in (first, second)])
    ours = five_by_two_f(*np.transpose(scores)).iloc[0]
    assert ours["statistic"] == pytest.approx(F)
    assert ours["p_value"] == pytest.approx(p)
    again = five_by_two_f(*np.transpose(scores).reshape(2, 5, 2)).iloc[0]
    assert again["statistic"] == ours["statistic"]


def test_corrected_t_by_hand():
    """Differences 1, 2, 3, 4 with 10 rows tested and 90 trained on: t = 2.5 / sqrt((1/4 + 1/9) 5/3)."""
    test = corrected_t([2, 4, 6, 8], [1, 2, 3, 4], 10 / 90).iloc[0]
    assert test["statistic"] == pytest.approx(2.5 / np.sqrt((1 / 4 + 1 / 9) * 5 / 3))
    assert test["p_value"] == pytest.approx(2 * stats.t.sf(test["statistic"], 3))


def test_corrected_t_against_its_bayesian_twin():
    """Posterior of the Bayesian correlated t test: its tail is half the p-value of the corrected t test."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.8, 0.02, 100), rng.normal(0.79, 0.02, 100)
    test = corrected_t(first, second, 1 / 9).iloc[0]
    left, right = baycomp.CorrelatedTTest.probs(first, second, runs=10)
    assert test["p_value"] == pytest.approx(2 * min(left, right), rel=1e-6)
    assert test["p_value"] > paired_t(first, second).iloc[0]["p_value"]


@pytest.mark.parametrize("test", [paired_t, five_by_two_f, lambda a, b: corrected_t(a, b, 0.1)])
def test_equal_and_constantly_different_scores(test):
    scores = np.linspace(0.5, 0.75, 10)
    assert test(scores, scores).iloc[0]["p_value"] == 1.0
    assert test(np.ones(10), np.zeros(10)).iloc[0]["p_value"] == 0.0


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="equally long"):
        paired_t([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match=r"10 scores, .* got 4"):
        five_by_two_f([1, 2, 3, 4], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="test_over_train"):
        corrected_t([1, 2], [2, 3], 0)
