"""What a comparison says: who is best by how much, and whether chance explains it."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from .comparison import HIGHER_IS_BETTER, NEITHER_IS_BETTER
from .frames import frame, pandas
from .pairs import corrected_t, holm, wilcoxon_holm
from .ranks import bonferroni_dunn, critical_difference, friedman, mean_ranks, nemenyi, rank_table

# The t test over splits of a table is not made of fewer.
FEWEST_SPLITS = 3


@dataclass(frozen=True)
class Analysis:
    """Statistics of one measure; frames that do not apply are None.

    Attributes
    ----------
    measure : str
    scores : pandas.DataFrame
        Means over splits, datasets by methods, without datasets on which a method failed.
    ranks, mean_ranks, friedman, nemenyi, wilcoxon, control : pandas.DataFrame or None
        Over the datasets; ``control`` is the Bonferroni-Dunn test. They need two datasets, the test of all
        methods at once three methods.
    critical_difference : float or None
        Of Nemenyi's test, or of the Bonferroni-Dunn test if there is a control.
    splits : pandas.DataFrame
        For each dataset all pairs of methods, or those of the control, by the corrected t test over splits
        with Holm's adjustment; ``gain`` is positive if the first of a pair is better.
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


def analyse(comparison, measure, *, control=None, alpha=0.05, test_over_train=1.0):
    """Tests of a `Comparison`.

    Parameters
    ----------
    comparison : Comparison
    measure : str
        A column of its results.
    control : str, optional
        A method to compare all others with.
    alpha : float, default=0.05
        Level of the tests.
    test_over_train : float, default=1
        Number of test rows over number of training rows, for the corrected t test.

    Returns
    -------
    Analysis
    """
    if measure in NEITHER_IS_BETTER:
        raise ValueError(f"measure={measure!r} should be neither large nor small: it ranks nothing.")
    higher = measure in HIGHER_IS_BETTER
    scores = comparison.scores(measure).dropna()
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


def _over_splits(comparison, measure, control, alpha, test_over_train):
    """Pairs of methods on each dataset."""
    parts = []
    for dataset in comparison.datasets:
        scores = comparison.split_scores(dataset, measure).dropna(axis=1)
        if len(scores) >= FEWEST_SPLITS and scores.shape[1] > 1:
            gains = scores if measure in HIGHER_IS_BETTER else -scores
            parts.append(_pairs(gains, control, alpha, test_over_train).assign(dataset=dataset))
    return pandas().concat(parts, ignore_index=True) if parts else frame([])


def _pairs(gains, control, alpha, test_over_train):
    """The corrected t test of pairs, or of the control with every other method; more is better."""
    rows = []
    for first, second in combinations(_control_first(list(gains.columns), control), 2):
        if control in (None, first):
            test = corrected_t(gains[first], gains[second], test_over_train).iloc[0]
            pair = {"method_1": first, "method_2": second}
            rows.append({**pair, "gain": test["difference"], "p_value": test["p_value"]})
    adjusted = holm([row["p_value"] for row in rows])
    return frame(rows).assign(p_holm=adjusted, significant=adjusted < alpha)


def _control_first(methods, control):
    return sorted(methods, key=lambda method: method != control)
