"""Tests of two methods against worked examples and the reference libraries."""

import baycomp
import numpy as np
import pytest
import scikit_posthocs
from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_kfold_cv
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from test_evaluation_ranks import DEMSAR, EPCVM

from pauca.evaluation import (
    bayesian_signed_rank,
    corrected_t,
    five_by_two_f,
    holm,
    paired_t,
    wilcoxon_holm,
)


def test_demsars_wilcoxon_example():
    """C4.5 against C4.5+m: sums of ranks 12 and 93, section 3.1.3."""
    test = wilcoxon_holm(DEMSAR[["C4.5", "C4.5+m"]], higher_is_better=True).iloc[0]
    assert test["statistic"] == 12
    assert (test["wins"], test["ties"], test["losses"]) == (2, 2, 10)
    assert test["p_value"] < 0.05
    assert test["p_holm"] == test["p_value"]


@pytest.mark.parametrize("seed", range(3))
def test_wilcoxon_with_ties_against_all_signs(seed):
    """Small whole numbers have ties and zeros; scipy goes through all signs."""
    gain = np.random.default_rng(seed).integers(-3, 4, 8)
    expected = stats.wilcoxon(gain, zero_method="zsplit", method=stats.PermutationMethod(n_resamples=10**4))
    ours = wilcoxon_holm(np.column_stack([gain, np.zeros(8)]), higher_is_better=True).iloc[0]
    assert ours["statistic"] == expected.statistic
    assert ours["p_value"] == pytest.approx(expected.pvalue)


@pytest.mark.slow
def test_wilcoxon_with_holm_against_scikit_posthocs():
    expected = scikit_posthocs.posthoc_wilcoxon(
        list(EPCVM.to_numpy().T), p_adjust="holm", zero_method="zsplit"
    ).to_numpy()
    ours = wilcoxon_holm(EPCVM)["p_holm"]
    np.testing.assert_allclose(ours, expected[np.triu_indices(6, 1)], rtol=1e-12)


def test_equal_methods_do_not_differ():
    test = wilcoxon_holm([[1.0, 1.0], [2.0, 2.0]]).iloc[0]
    assert (test["p_value"], test["ties"]) == (1.0, 2)


def test_holm_by_hand():
    """Demsar 2006, section 3.2.2: 0.016, 0.019, 0.607 are compared with 0.05 / 3, 0.05 / 2, 0.05."""
    np.testing.assert_allclose(holm([0.019, 0.607, 0.016]), [0.048, 0.607, 0.048])
    np.testing.assert_allclose(holm([0.5, 0.9]), [1.0, 1.0])


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
    """The posterior of the correlated t test is the same distribution: its tail is half the p-value."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.8, 0.02, 100), rng.normal(0.79, 0.02, 100)
    test = corrected_t(first, second, 1 / 9).iloc[0]
    left, right = baycomp.CorrelatedTTest.probs(first, second, runs=10)
    assert test["p_value"] == pytest.approx(2 * min(left, right), rel=1e-6)
    assert test["p_value"] > paired_t(first, second).iloc[0]["p_value"]


def test_bayesian_signed_rank_against_baycomp():
    table = bayesian_signed_rank(EPCVM[["RVM", "EPCVM-Lap"]], rope=0.1).iloc[0]
    scores = -EPCVM["RVM"].to_numpy(), -EPCVM["EPCVM-Lap"].to_numpy()
    expected = baycomp.SignedRankTest.probs(*scores, rope=0.1, random_state=0)
    ours = table[["first_better", "equivalent", "second_better"]].tolist()
    assert ours == pytest.approx(list(expected), abs=0.01)
    assert ours[2] > 0.95
    assert sum(ours) == pytest.approx(1)


def test_bayesian_signed_rank_prefers_no_place():
    equal = bayesian_signed_rank(np.tile(np.linspace(0, 1, 8)[:, None], 2)).iloc[0]
    assert equal["first_better"] == equal["second_better"] == 0.5
    there, back = (bayesian_signed_rank(EPCVM[names]).iloc[0] for names in (["RVM", "SVM"], ["SVM", "RVM"]))
    assert there["first_better"] == back["second_better"]


@pytest.mark.parametrize("test", [paired_t, five_by_two_f, lambda a, b: corrected_t(a, b, 0.1)])
def test_equal_and_constantly_different_scores(test):
    scores = np.linspace(0.5, 0.75, 10)
    assert test(scores, scores).iloc[0]["p_value"] == 1.0
    assert test(np.ones(10), np.zeros(10)).iloc[0]["p_value"] == 0.0


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="equally long"):
        paired_t([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="10 scores; got 4"):
        five_by_two_f([1, 2, 3, 4], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="test_over_train"):
        corrected_t([1, 2], [2, 3], 0)
