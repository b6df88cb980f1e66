"""Ranks of several methods over several datasets: mean ranks, Friedman's test and post-hoc tests.

Scores are a data frame (or an array) with one row for each dataset and one column for each method; lower is
better unless ``higher_is_better``. The procedures are those of J. Demsar, Statistical comparisons of
classifiers over multiple data sets, JMLR 7, 2006.
"""

from __future__ import annotations

from itertools import combinations
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ...validation import check_number, check_share, check_size
from ..tables import frame, pandas, posthocs

if TYPE_CHECKING:
    from pandas import DataFrame

# Significant digits of a score that count: later digits are rounding errors, not differences. Set by hand.
_SCORE_DIGITS = 12
# Relative room below which Friedman's statistic has its largest value; numerical guard.
_UNANIMOUS = 1e-12


def rank_table(scores: DataFrame | ArrayLike, *, higher_is_better: bool = False) -> DataFrame:
    """Rank the methods on every dataset, 1 for the best; ties share the mean of their ranks.

    Parameters
    ----------
    scores : data frame or array of shape (n_datasets, n_methods)
        Scores without gaps.
    higher_is_better : bool, default=False
        Whether larger scores are better.

    Returns
    -------
    pandas.DataFrame of shape (n_datasets, n_methods)
    """
    scores = check_scores(scores)
    return scores.rank(axis=1, ascending=not higher_is_better)


def mean_ranks(scores: DataFrame | ArrayLike, *, higher_is_better: bool = False) -> DataFrame:
    """Average the ranks of each method over the datasets.

    Parameters
    ----------
    scores : data frame or array of shape (n_datasets, n_methods)
        Scores without gaps.
    higher_is_better : bool, default=False
        Whether larger scores are better.

    Returns
    -------
    pandas.DataFrame
        Columns ``method`` and ``mean_rank``, best method first.
    """
    means = rank_table(scores, higher_is_better=higher_is_better).mean().sort_values(kind="stable")
    return frame({"method": means.index, "mean_rank": means.to_numpy()})


def friedman(scores: DataFrame | ArrayLike, *, correct_ties: bool = True) -> DataFrame:
    """Test whether the methods differ at all, by Friedman's chi-squared and Iman and Davenport's F test.

    Parameters
    ----------
    scores : data frame or array of shape (n_datasets, n_methods)
        At least two datasets and three methods. The direction does not matter.
    correct_ties : bool, default=True
        Correct the statistic for the smaller variance of tied ranks, as scipy does; Demsar's formula does
        not.

    Returns
    -------
    pandas.DataFrame
        One row for each of the two tests: ``test``, ``statistic``, ``df1``, ``df2``, ``p_value``.
    """
    scores = check_scores(scores, min_methods=3)
    n, k = scores.shape
    with np.errstate(invalid="ignore"):
        chi2 = stats.friedmanchisquare(*scores.to_numpy().T).statistic if correct_ties else _friedman(scores)
    chi2 = 0.0 if np.isnan(chi2) else float(chi2)
    # Iman & Davenport 1980; Demsar 2006, section 3.2.2.
    denominator = n * (k - 1) - chi2
    F = np.inf if denominator <= _UNANIMOUS * n * k else (n - 1) * chi2 / denominator
    df2 = (k - 1) * (n - 1)
    return frame(
        [
            _test("Friedman", chi2, k - 1, np.nan, stats.chi2.sf(chi2, k - 1)),
            _test("Iman-Davenport", F, k - 1, df2, stats.f.sf(F, k - 1, df2)),
        ]
    )


def critical_difference(
    n_methods: int, n_datasets: int, alpha: float = 0.05, *, control: bool = False
) -> float:
    """Smallest difference of two mean ranks that is significant, ``q sqrt(k (k + 1) / (6 N))``.

    For all pairs q is Nemenyi's (the studentized range over sqrt 2); with ``control`` it is that of the
    Bonferroni-Dunn test (a normal quantile).

    Parameters
    ----------
    n_methods : int
        Number of methods k.
    n_datasets : int
        Number of datasets N.
    alpha : float, default=0.05
        Significance level.
    control : bool, default=False
        Whether one method is compared with all others, instead of all pairs.

    Returns
    -------
    float
    """
    check_number("n_methods", n_methods, 2, kind=Integral)
    check_number("n_datasets", n_datasets, 1, kind=Integral)
    check_share("alpha", alpha)
    if control:
        q = stats.norm.isf(alpha / (2 * (n_methods - 1)))
    else:
        q = stats.studentized_range.isf(alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * _rank_error(n_methods, n_datasets))


def nemenyi(
    scores: DataFrame | ArrayLike, alpha: float = 0.05, *, higher_is_better: bool = False
) -> DataFrame:
    """Compare every pair of methods by Nemenyi's test.

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
        ``method_1``, ``method_2``, ``rank_difference`` (negative: the first is better),
        ``critical_difference``, ``p_value``, ``significant``.
    """
    ranks = rank_table(scores, higher_is_better=higher_is_better)
    p_values = nemenyi_matrix(scores)
    means, critical = ranks.mean(), critical_difference(ranks.shape[1], len(ranks), alpha)
    rows = [
        {
            "method_1": first,
            "method_2": second,
            "rank_difference": means[first] - means[second],
            "critical_difference": critical,
            "p_value": p_values.loc[first, second],
            "significant": bool(p_values.loc[first, second] < alpha),
        }
        for first, second in combinations(ranks.columns, 2)
    ]
    return frame(rows)


def nemenyi_matrix(scores: DataFrame | ArrayLike) -> DataFrame:
    """Tabulate the p-values of Nemenyi's test, which do not depend on the direction of the scores.

    Parameters
    ----------
    scores : data frame or array of shape (n_datasets, n_methods)
        Scores without gaps.

    Returns
    -------
    pandas.DataFrame of shape (n_methods, n_methods)
    """
    scores = check_scores(scores)
    p_values = posthocs().posthoc_nemenyi_friedman(scores.to_numpy())
    p_values.index = p_values.columns = scores.columns
    return p_values


def bonferroni_dunn(
    scores: DataFrame | ArrayLike,
    control: Any = None,
    alpha: float = 0.05,
    *,
    higher_is_better: bool = False,
) -> DataFrame:
    """Compare one method with all others by the Bonferroni-Dunn test.

    Parameters
    ----------
    scores : data frame or array of shape (n_datasets, n_methods)
        Scores without gaps.
    control : label, optional
        Method to compare the others with; the one with the best mean rank by default.
    alpha : float, default=0.05
        Significance level.
    higher_is_better : bool, default=False
        Whether larger scores are better.

    Returns
    -------
    pandas.DataFrame
        ``control``, ``method``, ``rank_difference`` (positive: the control is better),
        ``critical_difference``, ``z``, ``p_value`` (times the number of comparisons), ``significant``.
    """
    ranks = rank_table(scores, higher_is_better=higher_is_better)
    means, (n, k) = ranks.mean(), ranks.shape
    control = means.idxmin() if control is None else control
    if control not in means.index:
        raise ValueError(
            f"control {control!r} is not a method; there are {', '.join(map(str, means.index))}."
        )
    others = means.drop(control)
    z = (others - means[control]) / _rank_error(k, n)
    p_values = np.minimum(1.0, 2 * (k - 1) * stats.norm.sf(np.abs(z)))
    return frame(
        {
            "control": control,
            "method": others.index,
            "rank_difference": (others - means[control]).to_numpy(),
            "critical_difference": critical_difference(k, n, alpha, control=True),
            "z": z.to_numpy(),
            "p_value": p_values,
            "significant": p_values < alpha,
        }
    )


def check_scores(scores: DataFrame | ArrayLike, min_methods: int = 2) -> DataFrame:
    """Return scores as a data frame of finite floats with distinct methods, or raise a ValueError."""
    try:
        scores = pandas().DataFrame(scores).astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError("scores must be a table of numbers: a row a dataset, a column a method.") from error
    if scores.shape[1] < min_methods or len(scores) < 2:
        raise ValueError(
            f"scores has shape {scores.shape}; expected at least two datasets (rows) and "
            f"{min_methods} methods (columns)."
        )
    if not np.isfinite(scores.to_numpy()).all():
        raise ValueError(
            "scores has gaps: drop the datasets (rows) or methods (columns) that were not measured."
        )
    if scores.columns.has_duplicates:
        raise ValueError("scores has two methods (columns) of one name.")
    check_size("scores", scores.to_numpy())
    return scores.map(_rounded)


def _rounded(score: float) -> float:
    """Score with the digits that count."""
    return float(f"{score:.{_SCORE_DIGITS}g}")


def _friedman(scores: DataFrame) -> float:
    """Friedman's statistic without a correction for ties: Demsar 2006, section 3.2.2."""
    n, k = scores.shape
    means = rank_table(scores).mean()
    return 12 * n / (k * (k + 1)) * float(np.sum(np.square(means - (k + 1) / 2)))


def _rank_error(k: int, n: int) -> float:
    """Standard error of a difference of two mean ranks under the null hypothesis."""
    return np.sqrt(k * (k + 1) / (6 * n))


def _test(name: str, statistic: float, df1: float, df2: float, p_value: float) -> dict[str, Any]:
    """Row of a table of tests."""
    return {"test": name, "statistic": statistic, "df1": df1, "df2": df2, "p_value": float(p_value)}
