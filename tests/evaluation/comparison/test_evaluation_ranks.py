"""Rank tests against Demsar's worked example, a published table, and the reference libraries."""

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pauca.evaluation import (
    bonferroni_dunn,
    critical_difference,
    friedman,
    mean_ranks,
    nemenyi,
    nemenyi_matrix,
    rank_table,
    wilcoxon_holm,
)

# Demsar 2006, table 6: areas under the curve of four variants of C4.5 on 14 datasets. The paper ranks the
# last two of the 13th set 2 and 3, though both are printed as 0.975.
DEMSAR = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)
# Chen, Tino & Yao 2014, table III: error in percent of the six methods that table VI ranks.
EPCVM = pd.DataFrame(
    [
        [21.19, 20.95, 20.98, 22.14, 21.16, 20.42],
        [9.72, 9.76, 9.74, 9.88, 9.60, 9.62],
        [27.31, 28.37, 27.39, 27.08, 26.65, 26.71],
        [23.50, 24.86, 23.39, 23.35, 23.18, 23.11],
        [29.87, 25.85, 25.06, 23.96, 23.85, 24.09],
        [16.15, 18.90, 19.52, 16.76, 16.65, 16.65],
        [5.63, 5.25, 5.89, 5.22, 5.16, 5.18],
        [1.67, 1.65, 1.68, 1.67, 1.66, 1.52],
        [10.41, 12.10, 11.41, 12.05, 11.27, 11.30],
        [4.57, 5.49, 5.25, 4.91, 5.16, 5.02],
        [21.18, 22.14, 21.18, 22.16, 21.02, 20.83],
        [2.42, 2.51, 2.32, 2.36, 2.31, 2.31],
        [8.86, 9.27, 9.21, 10.23, 9.16, 9.13],
    ],
    columns=["SVM", "RVM", "SMLR", "PCVM", "EPCVM-EP", "EPCVM-Lap"],
)


def by_method(table, column):
    return table.set_index("method")[column]


def test_demsars_mean_ranks():
    ranks = by_method(mean_ranks(DEMSAR, higher_is_better=True), "mean_rank")
    expected = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
    assert ranks.round(3).to_dict() == expected
    assert ranks.index[0] == "C4.5+m+cf"


def test_demsars_friedman_and_iman_davenport():
    test = friedman(DEMSAR, correct_ties=False).set_index("test")
    assert test.loc["Friedman", "statistic"] == pytest.approx(9.28, abs=0.01)
    assert test.loc["Iman-Davenport", "statistic"] == pytest.approx(3.69, abs=0.01)
    assert test.loc["Iman-Davenport", ["df1", "df2"]].tolist() == [3, 39]
    assert test.loc["Iman-Davenport", "p_value"] < 0.05


def test_ties_are_corrected_as_in_scipy():
    test = friedman(DEMSAR).set_index("test")
    expected = stats.friedmanchisquare(*DEMSAR.to_numpy().T)
    assert test.loc["Friedman", "statistic"] == pytest.approx(expected.statistic)
    assert test.loc["Friedman", "p_value"] == pytest.approx(expected.pvalue)


def test_demsars_critical_differences():
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.005)
    assert critical_difference(4, 14, control=True) == pytest.approx(1.16, abs=0.0105)
    assert critical_difference(4, 14, 0.10, control=True) == pytest.approx(1.04, abs=0.005)


# Demsar 2006, table 5: critical values of the two tests for 2, 3, ..., 10 methods.
NEMENYI_05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
NEMENYI_10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]
DUNN_05 = [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.724, 2.773]
DUNN_10 = [1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450, 2.498, 2.539]


@pytest.mark.parametrize(
    ("alpha", "control", "published"),
    [(0.05, False, NEMENYI_05), (0.10, False, NEMENYI_10), (0.05, True, DUNN_05), (0.10, True, DUNN_10)],
)
def test_published_critical_values(alpha, control, published):
    for k, q in enumerate(published, start=2):
        unit = (k * (k + 1) / 6) ** 0.5
        # The value printed for nine methods and Dunn's test is 2.724 where the normal quantile is 2.734.
        assert critical_difference(k, 1, alpha, control=control) / unit == pytest.approx(q, abs=0.011)


def test_demsars_comparison_with_a_control():
    test = bonferroni_dunn(DEMSAR, "C4.5", higher_is_better=True)
    z = by_method(test, "z").abs()
    assert z["C4.5+m+cf"] == pytest.approx(2.416, abs=0.001)
    assert z["C4.5+m"] == pytest.approx(2.343, abs=0.001)
    assert z["C4.5+cf"] == pytest.approx(0.512, abs=0.001)
    p_values = by_method(test, "p_value")
    assert p_values["C4.5+m+cf"] == pytest.approx(3 * 0.016, abs=0.002)
    assert by_method(test, "significant").to_dict() == {"C4.5+m": False, "C4.5+cf": False, "C4.5+m+cf": True}


def test_ranks_and_critical_difference_of_the_epcvm_paper():
    ranks = by_method(mean_ranks(EPCVM), "mean_rank").round(2).to_dict()
    published = {"SVM": 3.46, "RVM": 4.85, "SMLR": 4.42, "PCVM": 4.19, "EPCVM-EP": 2.15, "EPCVM-Lap": 1.92}
    assert ranks == published
    test = bonferroni_dunn(EPCVM, alpha=0.10)
    assert set(test["control"]) == {"EPCVM-Lap"}
    assert test["critical_difference"].iloc[0] == pytest.approx(1.71, abs=0.005)
    differences = by_method(test, "rank_difference").round(2).to_dict()
    assert differences == {"SVM": 1.54, "RVM": 2.92, "SMLR": 2.50, "PCVM": 2.27, "EPCVM-EP": 0.23}
    assert set(test.loc[test["significant"], "method"]) == {"RVM", "SMLR", "PCVM"}


def test_nemenyi_against_scikit_posthocs_and_the_critical_difference():
    table = nemenyi(EPCVM)
    expected = scikit_posthocs.posthoc_nemenyi_friedman(EPCVM.to_numpy()).to_numpy()
    np.testing.assert_allclose(nemenyi_matrix(EPCVM).to_numpy(), expected)
    assert len(table) == 15
    beyond = table["rank_difference"].abs() > table["critical_difference"]
    assert (beyond == table["significant"]).all()
    assert 0 < table["significant"].sum() < 15


def test_bonferroni_dunn_against_scikit_posthocs():
    if not hasattr(scikit_posthocs, "posthoc_demsar"):
        pytest.skip("this version of scikit-posthocs has no test against a control")
    expected = scikit_posthocs.posthoc_demsar(
        EPCVM.to_numpy(), control=5, p_adjust="bonferroni", to_matrix=False
    )
    ours = bonferroni_dunn(EPCVM, "EPCVM-Lap")["p_value"]
    np.testing.assert_allclose(ours, expected.to_numpy())


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(3, 6))
def test_without_ties_the_two_formulas_of_friedman_agree(seed, n, k):
    scores = np.random.default_rng(seed).permuted(np.tile(np.arange(k), (n, 1)), axis=1)
    ours = friedman(scores, correct_ties=False)["statistic"]
    assert ours[0] == pytest.approx(stats.friedmanchisquare(*scores.T).statistic)
    assert rank_table(scores).sum(axis=1).tolist() == [k * (k + 1) / 2] * n


def test_unanimous_and_equal_scores():
    F = friedman([[1, 2, 3]] * 4).set_index("test")["p_value"]
    assert F["Iman-Davenport"] == 0.0
    with np.errstate(invalid="ignore"):
        equal = friedman(np.ones((4, 3)))
    assert equal["p_value"].tolist() == [1.0, 1.0]


def test_rounding_is_no_difference():
    means = [sum(scores) / 3 for scores in ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2])]
    assert len(set(means)) > 1
    scores = np.tile(means, (4, 1))
    np.testing.assert_array_equal(rank_table(scores), 2)
    assert friedman(scores)["p_value"].tolist() == [1, 1]
    assert wilcoxon_holm(scores)["ties"].tolist() == [4, 4, 4]


def test_direction():
    assert rank_table([[1, 2], [3, 4]]).to_numpy().tolist() == [[1, 2], [1, 2]]
    assert rank_table([[1, 2], [3, 4]], higher_is_better=True).to_numpy().tolist() == [[2, 1], [2, 1]]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[1, 2, 3]], "at least two datasets"),
        ([[1, 2], [2, 1]], "3 methods"),
        ([[1, 2, np.nan], [1, 2, 3]], "gaps"),
        (pd.DataFrame([[1, 2, 3], [1, 2, 3]], columns=list("aab")), "one name"),
    ],
)
def test_bad_scores_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        friedman(scores)


def test_unknown_controls_are_refused():
    with pytest.raises(ValueError, match="'KNN' is not a method; there are SVM"):
        bonferroni_dunn(EPCVM, "KNN")
    with pytest.raises(ValueError, match="n_methods must be an integer of at least 2"):
        critical_difference(1, 5)
