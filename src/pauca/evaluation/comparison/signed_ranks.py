"""Tests of pairs of methods over several datasets: Wilcoxon's and the Bayesian signed-rank test.

Scores are a data frame (or an array) with one row for each dataset and one column for each method.
"""

from __future__ import annotations

from importlib import import_module
from itertools import combinations
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from ...validation import as_numbers, check_number, check_share
from ..tables import frame
from .ranks import check_scores

if TYPE_CHECKING:
    from pandas import DataFrame

# Number of datasets up to which the signed-rank test is exact; the limit of scipy's `wilcoxon`.
_MAX_EXACT_DATASETS = 50


def wilcoxon_holm(
    scores: DataFrame | ArrayLike, alpha: float = 0.05, *, higher_is_better: bool = False
) -> DataFrame:
    """Compare every pair of methods by Wilcoxon's signed-rank test with Holm's adjustment of the p-values.

    Zero differences are shared between the signs (Demsar 2006, section 3.1.3).

    Parameters
    ----------
    scores : data frame or array of shape (n_datasets, n_methods)
        Scores without gaps.
    alpha : float, default=0.05
        Significance level.
    higher_is_better : bool, default=False
        Whether larger scores are better.

    Returns
    -------
    pandas.DataFrame
        ``method_1``, ``method_2``, ``wins``, ``ties``, ``losses`` (of the first method),
        ``statistic`` (the smaller sum of ranks), ``p_value``, ``p_holm``, ``significant``.
    """
    check_share("alpha", alpha)
    scores = check_scores(scores)
    sign = 1 if higher_is_better else -1
    rows = []
    for first, second in combinations(scores.columns, 2):
        gain = sign * (scores[first] - scores[second]).to_numpy()
        rows.append({"method_1": first, "method_2": second, **_wins(gain), **_wilcoxon(gain)})
    adjusted = holm([row["p_value"] for row in rows])
    return frame(rows).assign(p_holm=adjusted, significant=adjusted < alpha)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values by Holm's step-down rule: the i-th smallest of m times m - i + 1, made monotone.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        P-values of m tests.

    Returns
    -------
    ndarray of shape (m,)
        Adjusted p-values, at most 1.
    """
    p_values = as_numbers("p_values", p_values, 1)
    if ((p_values < 0) | (p_values > 1)).any():
        raise ValueError("p_values must lie between 0 and 1.")
    order = np.argsort(p_values)
    stepped = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty_like(stepped)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def bayesian_signed_rank(
    scores: DataFrame | ArrayLike,
    rope: float = 0.0,
    *,
    higher_is_better: bool = False,
    random_state: int = 0,
) -> DataFrame:
    """Compare every pair of methods by the Bayesian signed-rank test of the package baycomp.

    Parameters
    ----------
    scores : data frame or array of shape (n_datasets, n_methods)
        Scores without gaps.
    rope : float, default=0
        Half-width of the region of practical equivalence, in units of the score.
    higher_is_better : bool, default=False
        Whether larger scores are better.
    random_state : int, default=0
        Seed of the 50000 draws from the posterior.

    Returns
    -------
    pandas.DataFrame
        ``method_1``, ``method_2``, and the posterior probabilities ``first_better``, ``equivalent``,
        ``second_better``.

    References
    ----------
    A. Benavoli et al., Time for a change: a tutorial for comparing multiple classifiers through Bayesian
    analysis, JMLR 18, 2017.
    """
    check_number("rope", rope, 0)
    check_number("random_state", random_state, 0, kind=Integral)
    scores, test = check_scores(scores), _import_signed_rank_test()
    sign = 1 if higher_is_better else -1
    rows = []
    for first, second in combinations(scores.columns, 2):
        pair = sign * scores[first].to_numpy(), sign * scores[second].to_numpy()
        # Averaged over both orders: draws that favour neither method count for the first one.
        forward, backward = (
            np.array(test(*order, rope, random_state=random_state).probs()) for order in (pair, pair[::-1])
        )
        better, equivalent, worse = (forward + backward[::-1]) / 2
        probabilities = {"first_better": better, "equivalent": equivalent, "second_better": worse}
        rows.append({"method_1": first, "method_2": second, **probabilities})
    return frame(rows)


def _import_signed_rank_test() -> Any:
    """Import the test class of baycomp, or raise an error that names the extra."""
    try:
        return import_module("baycomp").SignedRankTest
    except ImportError as error:
        raise ImportError('Bayesian tests need baycomp: pip install "pauca[evaluation]"') from error


def _wins(gain: NDArray) -> dict[str, int]:
    """Number of datasets on which the first method wins, ties and loses."""
    return {"wins": int((gain > 0).sum()), "ties": int((gain == 0).sum()), "losses": int((gain < 0).sum())}


def _wilcoxon(gain: NDArray) -> dict[str, float]:
    """Statistic and two-sided p-value of the signed-rank test, zero differences split between the signs."""
    if not gain.any():
        return {"statistic": np.nan, "p_value": 1.0}
    if len(np.unique(np.abs(gain))) < len(gain) <= _MAX_EXACT_DATASETS:
        statistic, p_value = _wilcoxon_with_ties(gain)
    else:
        statistic, p_value = stats.wilcoxon(gain, zero_method="zsplit")
    return {"statistic": float(statistic), "p_value": float(p_value)}


def _wilcoxon_with_ties(gain: NDArray) -> tuple[float, float]:
    """Exact test with ties by the distribution of the rank sum; scipy would enumerate all 2^n signs."""
    twice = np.rint(2 * stats.rankdata(np.abs(gain))).astype(int)
    signed = twice[gain != 0]
    # Probability that the ranks of positive sign sum to 0, 1/2, 1, ...: one convolution for each rank.
    probability = np.ones(1)
    for rank in signed:
        probability = np.convolve(probability, np.bincount([0, rank], minlength=rank + 1) / 2)
    positive = twice[gain > 0].sum()
    tails = probability[: positive + 1].sum(), probability[positive:].sum()
    shared = twice[gain == 0].sum() / 2
    smaller = min(positive, signed.sum() - positive) + shared
    return smaller / 2, min(1.0, 2 * min(tails))
