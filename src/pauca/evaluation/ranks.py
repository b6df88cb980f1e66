"""Several methods on several datasets: mean ranks, Friedman's test, and which methods differ.

Scores are a data frame (or an array) with one row for each dataset and one column for each method; lower is
better unless ``higher_is_better``. The procedures are those of J. Demsar, Statistical comparisons of
classifiers over multiple data sets, JMLR 7, 2006.
"""

from itertools import combinations

import numpy as np
from scipy import stats

from .frames import frame, pandas, posthocs


def rank_table(scores, *, higher_is_better=False):
    """Rank of every method on every dataset, 1 for the best; ties share the mean of their ranks."""
    scores = checked(scores)
    return scores.rank(axis=1, ascending=not higher_is_better)


def mean_ranks(scores, *, higher_is_better=False):
    """Mean rank of each method over the datasets, best first: columns ``method`` and ``mean_rank``."""
    means = rank_table(scores, higher_is_better=higher_is_better).mean().sort_values(kind="stable")
    return frame({"method": means.index, "mean_rank": means.to_numpy()})


def friedman(scores, *, correct_ties=True):
    """Do the methods differ at all? Friedman's chi-squared test and Iman and Davenport's less cautious F.

    Parameters
    ----------
    scores : data frame or array of shape (n_datasets, n_methods)
        At least two datasets and three methods. The direction does not matter.
    correct_ties : bool, default=True
        Divide the statistic by what ties take from the variance of the ranks, as scipy does; Demsar's formula
        does not.

    Returns
    -------
    pandas.DataFrame
        One row for each of the two tests: ``test``, ``statistic``, ``df1``, ``df2``, ``p_value``.
    """
    scores = checked(scores, least_methods=3)
    n, k = scores.shape
    with np.errstate(invalid="ignore"):
        chi2 = stats.friedmanchisquare(*scores.to_numpy().T).statistic if correct_ties else _friedman(scores)
    chi2 = 0.0 if np.isnan(chi2) else float(chi2)
    # Iman & Davenport 1980; Demsar 2006, section 3.2.2.
    room = n * (k - 1) - chi2
    F = np.inf if room <= 1e-12 * n * k else (n - 1) * chi2 / room
    df2 = (k - 1) * (n - 1)
    return frame(
        [
            _test("Friedman", chi2, k - 1, np.nan, stats.chi2.sf(chi2, k - 1)),
            _test("Iman-Davenport", F, k - 1, df2, stats.f.sf(F, k - 1, df2)),
        ]
    )


def critical_difference(n_methods, n_datasets, alpha=0.05, *, control=False):
    """Difference of two mean ranks from which on they are significantly different.

    ``q sqrt(k (k + 1) / (6 N))`` with Nemenyi's q for all pairs (the studentized range over sqrt 2) or, with
    ``control``, Bonferroni-Dunn's for one method against the others (a normal quantile).
    """
    if n_methods < 2 or n_datasets < 1:
        raise ValueError(f"need two methods and a dataset; got {n_methods} and {n_datasets}.")
    if control:
        q = stats.norm.isf(alpha / (2 * (n_methods - 1)))
    else:
        q = stats.studentized_range.isf(alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * _rank_error(n_methods, n_datasets))


def nemenyi(scores, alpha=0.05, *, higher_is_better=False):
    """Every pair of methods by Nemenyi's test.

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


def nemenyi_matrix(scores):
    """Square table of the p-values of Nemenyi's test, which do not depend on the direction."""
    scores = checked(scores)
    p_values = posthocs().posthoc_nemenyi_friedman(scores.to_numpy())
    p_values.index = p_values.columns = scores.columns
    return p_values


def bonferroni_dunn(scores, control=None, alpha=0.05, *, higher_is_better=False):
    """One method against all others by the Bonferroni-Dunn test.

    Parameters
    ----------
    control : label, optional
        The method to compare with; the one with the best mean rank by default.

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


def checked(scores, least_methods=2):
    """Scores as a data frame of finite floats with distinct methods."""
    scores = pandas().DataFrame(scores).astype(float)
    if scores.shape[1] < least_methods or len(scores) < 2:
        raise ValueError(
            f"scores has shape {scores.shape}; expected at least two datasets (rows) and "
            f"{least_methods} methods (columns)."
        )
    if not np.isfinite(scores.to_numpy()).all():
        raise ValueError(
            "scores has gaps: drop the datasets (rows) or methods (columns) that were not measured."
        )
    if scores.columns.has_duplicates:
        raise ValueError("scores has two methods (columns) of one name.")
    return scores.map(_without_noise)


def _without_noise(score):
    """Twelve digits: what differs after that is rounding, not a difference."""
    return float(f"{score:.12g}")


def _friedman(scores):
    """Friedman's statistic without a correction for ties: Demsar 2006, section 3.2.2."""
    n, k = scores.shape
    means = rank_table(scores).mean()
    return 12 * n / (k * (k + 1)) * float(np.sum(np.square(means - (k + 1) / 2)))


def _rank_error(k, n):
    """Standard error of a difference of two mean ranks, if the methods do not differ."""
    return np.sqrt(k * (k + 1) / (6 * n))


def _test(name, statistic, df1, df2, p_value):
    return {"test": name, "statistic": statistic, "df1": df1, "df2": df2, "p_value": float(p_value)}
