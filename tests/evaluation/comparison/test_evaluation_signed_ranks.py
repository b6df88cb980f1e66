"""Signed-rank tests beside worked examples and reference libraries."""

import baycomp
import numpy as np
import pytest
import scikit_posthocs
from scipy import stats
from test_evaluation_ranks import DEMSAR, EPCVM

from pauca.evaluation import (
    bayesian_signed_rank,
    holm,
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
