"""Statistical analysis of a comparison: mean scores, ranks, and the significance of differences."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ...validation import check_option, check_share
from ..tables import frame, pandas
from .experiment import HIGHER_IS_BETTER, NEITHER_IS_BETTER, Comparison
from .paired_scores import corrected_t
from .ranks import bonferroni_dunn, critical_difference, friedman, mean_ranks, nemenyi, rank_table
from .signed_ranks import holm, wilcoxon_holm

if TYPE_CHECKING:
    from pandas import DataFrame

#: Smallest number of splits of a dataset for which the t test is made; set by hand, not tuned.
MIN_SPLITS = 3


@dataclass(frozen=True)
class Analysis:
    """Statistics of one measure of a comparison; tables that do not apply are None.

    Tests over datasets need at least two datasets and two methods, Friedman's test three methods.

    Attributes
    ----------
    measure : str
        Name of the measure.
    scores : pandas.DataFrame
        Means over splits, datasets by methods, without datasets on which a method failed.
    splits : pandas.DataFrame
        For each dataset all pairs of methods, or the control with every other method, by the corrected t
        test over splits with Holm's adjustment; ``gain`` is positive if the first of a pair is better.
    ranks : pandas.DataFrame or None
        Rank of every method on every dataset.
    mean_ranks : pandas.DataFrame or None
        Mean rank of every method over the datasets, best first.
    friedman : pandas.DataFrame or None
        Friedman's and Iman and Davenport's tests of all methods at once.
    nemenyi : pandas.DataFrame or None
        Nemenyi's test of all pairs.
    wilcoxon : pandas.DataFrame or None
        Wilcoxon's signed-rank test of all pairs with Holm's adjustment.
    control : pandas.DataFrame or None
        Bonferroni-Dunn test of the control against the other methods.
    critical_difference : float or None
        Critical difference of mean ranks: Nemenyi's, or Bonferroni-Dunn's if there is a control.
    """

    measure: str
    scores: Any
    splits: Any
    ranks: Any = None
    mean_ranks: Any = None
    friedman: Any = None
    nemenyi: Any = None
    wilcoxon: Any = None
    control: Any = None
    critical_difference: float | None = None


def analyse(
    comparison: Comparison,
    measure: str,
    *,
    control: str | None = None,
    alpha: float = 0.05,
    test_over_train: float = 1.0,
) -> Analysis:
    """Test the differences between the methods of a comparison.

    Parameters
    ----------
    comparison : Comparison
        Results of `compare`.
    measure : str
        Column of the results that is analysed.
    control : str, optional
        Method to compare all others with.
    alpha : float, default=0.05
        Significance level of the tests.
    test_over_train : float, default=1
        Number of test rows over number of training rows, for the corrected t test.

    Returns
    -------
    Analysis
    """
    if not isinstance(comparison, Comparison):
        raise TypeError(f"comparison must be a Comparison, as compare returns it; got {comparison!r}.")
    if not isinstance(measure, str):
        raise TypeError(f"measure must be the name of a column of the results; got {measure!r}.")
    if measure in NEITHER_IS_BETTER:
        raise ValueError(f"measure={measure!r} should be neither large nor small: it ranks nothing.")
    check_share("alpha", alpha)
    higher = measure in HIGHER_IS_BETTER
    scores = comparison.scores(measure).dropna()
    if control is not None:
        check_option("control", control, list(scores.columns))
    splits = _over_splits(comparison, measure, control, alpha, test_over_train)
    if len(scores) < 2 or scores.shape[1] < 2:
        return Analysis(measure, scores, splits)
    n, k = scores.shape
    direction = {"higher_is_better": higher}
    against = None if control is None else bonferroni_dunn(scores, control, alpha, **direction)
    return Analysis(
        measure,
        scores,
        splits,
        ranks=rank_table(scores, **direction),
        mean_ranks=mean_ranks(scores, **direction),
        friedman=friedman(scores) if k > 2 else None,
        nemenyi=nemenyi(scores, alpha, **direction),
        wilcoxon=wilcoxon_holm(scores, alpha, **direction),
        control=against,
        critical_difference=critical_difference(k, n, alpha, control=control is not None),
    )


def _over_splits(
    comparison: Comparison, measure: str, control: str | None, alpha: float, test_over_train: float
) -> DataFrame:
    """Tests of pairs of methods over the splits of each dataset."""
    parts = []
    for dataset in comparison.datasets:
        scores = comparison.split_scores(dataset, measure).dropna(axis=1)
        known = control is None or control in scores.columns
        if known and len(scores) >= MIN_SPLITS and scores.shape[1] > 1:
            gains = scores if measure in HIGHER_IS_BETTER else -scores
            parts.append(_pairs(gains, control, alpha, test_over_train).assign(dataset=dataset))
    return pandas().concat(parts, ignore_index=True) if parts else frame([])


def _pairs(gains: DataFrame, control: str | None, alpha: float, test_over_train: float) -> DataFrame:
    """Corrected t tests of all pairs, or of the control with every other method; larger gains are better."""
    rows = []
    for first, second in combinations(_control_first(list(gains.columns), control), 2):
        if control in (None, first):
            test = corrected_t(gains[first], gains[second], test_over_train).iloc[0]
            pair = {"method_1": first, "method_2": second}
            rows.append({**pair, "gain": test["difference"], "p_value": test["p_value"]})
    adjusted = holm([row["p_value"] for row in rows])
    return frame(rows).assign(p_holm=adjusted, significant=adjusted < alpha)


def _control_first(methods: list[str], control: str | None) -> list[str]:
    return sorted(methods, key=lambda method: method != control)
