"""Two methods at a time: over datasets (Wilcoxon, Bayesian signed ranks) or over splits of one (t and F)."""

from importlib import import_module
from itertools import combinations

import numpy as np
from scipy import stats

from .frames import frame
from .ranks import checked

# Up to this many datasets the signed-rank test is exact, as in scipy.
_MOST_EXACT = 50


def wilcoxon_holm(scores, alpha=0.05, *, higher_is_better=False):
    """Every pair of methods by Wilcoxon's signed-rank test, p-values adjusted by Holm's step-down rule.

    Zero differences are shared between the signs (Demsar 2006, section 3.1.3).

    Parameters
    ----------
    scores : data frame or array of shape (n_datasets, n_methods)

    Returns
    -------
    pandas.DataFrame
        ``method_1``, ``method_2``, ``wins``, ``ties``, ``losses`` (of the first), ``statistic`` (the smaller
        sum of ranks), ``p_value``, ``p_holm``, ``significant``.
    """
    scores = checked(scores)
    sign = 1 if higher_is_better else -1
    rows = []
    for first, second in combinations(scores.columns, 2):
        gain = sign * (scores[first] - scores[second]).to_numpy()
        rows.append({"method_1": first, "method_2": second, **_wins(gain), **_wilcoxon(gain)})
    adjusted = holm([row["p_value"] for row in rows])
    return frame(rows).assign(p_holm=adjusted, significant=adjusted < alpha)


def holm(p_values):
    """Holm's adjusted p-values: the i-th smallest of m times m - i + 1, made monotone."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values)
    stepped = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty_like(stepped)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def paired_t(first, second):
    """Paired t test of scores on independent samples.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Scores of two methods on the same samples.

    Returns
    -------
    pandas.DataFrame
        One row: ``test``, ``difference`` (mean of first - second), ``statistic``, ``df1``, ``df2``,
        ``p_value``.
    """
    gap = _gaps(first, second)
    return _row("paired t", gap.mean(), *_t(gap, 1 / len(gap)))


def corrected_t(first, second, test_over_train):
    """Paired t test of scores on overlapping random splits, the variance corrected for the overlap.

    ``t = mean / sqrt((1 / J + n_test / n_train) var)`` with J - 1 degrees of freedom.

    Parameters
    ----------
    first, second : array-like of shape (J,)
        Scores of two methods on the same J random splits of one dataset.
    test_over_train : float
        Number of test rows over number of training rows; 1 / (k - 1) for k-fold cross-validation.

    Returns
    -------
    pandas.DataFrame
        As `paired_t`.

    References
    ----------
    C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    """
    if not test_over_train > 0:
        raise ValueError(f"test_over_train must be positive; got {test_over_train}.")
    gap = _gaps(first, second)
    return _row("corrected resampled t", gap.mean(), *_t(gap, 1 / len(gap) + test_over_train))


def five_by_two_f(first, second):
    """Combined F test over five repetitions of two-fold cross-validation.

    ``f = sum_ij d_ij² / (2 sum_i s_i²)`` with 10 and 5 degrees of freedom, where d_ij is the difference of
    the scores on fold j of repetition i, and s_i² the variance of the two differences of repetition i.

    Parameters
    ----------
    first, second : array-like of shape (5, 2) or (10,)
        Scores of two methods; flat arrays have the two folds of a repetition one after the other, as
        `five_by_two` gives them.

    Returns
    -------
    pandas.DataFrame
        As `paired_t`.

    References
    ----------
    E. Alpaydin, Combined 5x2 cv F test for comparing supervised classification learning algorithms, Neural
    Computation 11, 1999.
    """
    gap = _gaps(np.ravel(first), np.ravel(second))
    if gap.shape != (10,):
        raise ValueError(f"five repetitions of two folds are 10 scores; got {gap.size}.")
    gap = gap.reshape(5, 2)
    spread = np.square(gap - gap.mean(axis=1, keepdims=True)).sum()
    F = _quotient(np.square(gap).sum(), 2 * spread)
    return _row("5x2cv F", gap.mean(), F, 10, 5, stats.f.sf(F, 10, 5) if F > 0 else 1.0)


def bayesian_signed_rank(scores, rope=0.0, *, higher_is_better=False, random_state=0):
    """Every pair of methods by the Bayesian signed-rank test (by the package baycomp).

    Parameters
    ----------
    scores : data frame or array of shape (n_datasets, n_methods)
    rope : float, default=0
        Differences up to this count as practically none.
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
    scores, test = checked(scores), _signed_rank_test()
    sign = 1 if higher_is_better else -1
    rows = []
    for first, second in combinations(scores.columns, 2):
        pair = sign * scores[first].to_numpy(), sign * scores[second].to_numpy()
        # Either way round, since draws that favour neither method count for the one that is named first.
        there, back = (
            np.array(test(*order, rope, random_state=random_state).probs()) for order in (pair, pair[::-1])
        )
        better, equivalent, worse = (there + back[::-1]) / 2
        probabilities = {"first_better": better, "equivalent": equivalent, "second_better": worse}
        rows.append({"method_1": first, "method_2": second, **probabilities})
    return frame(rows)


def _signed_rank_test():
    try:
        return import_module("baycomp").SignedRankTest
    except ImportError as error:
        raise ImportError('Bayesian tests need baycomp: pip install "pauca[evaluation]"') from error


def _wins(gain):
    return {"wins": int((gain > 0).sum()), "ties": int((gain == 0).sum()), "losses": int((gain < 0).sum())}


def _wilcoxon(gain):
    if not gain.any():
        return {"statistic": np.nan, "p_value": 1.0}
    if len(np.unique(np.abs(gain))) < len(gain) <= _MOST_EXACT:
        statistic, p_value = _wilcoxon_with_ties(gain)
    else:
        statistic, p_value = stats.wilcoxon(gain, zero_method="zsplit")
    return {"statistic": float(statistic), "p_value": float(p_value)}


def _wilcoxon_with_ties(gain):
    """Exact test with ties, for which scipy goes through all 2^n signs: the sums of ranks are counted."""
    twice = np.rint(2 * stats.rankdata(np.abs(gain))).astype(int)
    signed = twice[gain != 0]
    # Chance that ranks of positive sign sum to 0, 1/2, 1, ...: one convolution for each rank.
    chance = np.ones(1)
    for rank in signed:
        chance = np.convolve(chance, np.bincount([0, rank], minlength=rank + 1) / 2)
    positive = twice[gain > 0].sum()
    tails = chance[: positive + 1].sum(), chance[positive:].sum()
    shared = twice[gain == 0].sum() / 2
    smaller = min(positive, signed.sum() - positive) + shared
    return smaller / 2, min(1.0, 2 * min(tails))


def _gaps(first, second):
    """Differences of the scores on the same splits."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape or first.ndim != 1 or first.size < 2:
        raise ValueError(f"need two equally long lists of scores; got shapes {first.shape}, {second.shape}.")
    return first - second


def _t(gap, factor):
    """Statistic, degrees of freedom and two-sided p-value."""
    statistic = _quotient(gap.mean(), np.sqrt(factor * gap.var(ddof=1)))
    df = len(gap) - 1
    return statistic, np.nan, df, 2 * stats.t.sf(abs(statistic), df)


def _quotient(numerator, denominator):
    """0 / 0 is 0: scores that are all equal do not differ."""
    if denominator > 0:
        return float(numerator / denominator)
    return float(np.sign(numerator) * np.inf) if numerator else 0.0


def _row(name, difference, statistic, df1, df2, p_value):
    return frame(
        [
            {
                "test": name,
                "difference": float(difference),
                "statistic": statistic,
                "df1": df1,
                "df2": df2,
                "p_value": float(p_value),
            }
        ]
    )
