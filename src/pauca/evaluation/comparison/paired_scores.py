"""Tests of two methods by their scores on several splits of one dataset: t and F tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from ...validation import as_numbers, check_number, check_size
from ..tables import frame

if TYPE_CHECKING:
    from pandas import DataFrame


def paired_t(first: ArrayLike, second: ArrayLike) -> DataFrame:
    """Compare two methods by the paired t test of their scores on independent samples.

    Parameters
    ----------
    first : array-like of shape (n,)
        Scores of the first method on each sample.
    second : array-like of shape (n,)
        Scores of the second method on the same samples.

    Returns
    -------
    pandas.DataFrame
        One row: ``test``, ``difference`` (mean of first - second), ``statistic``, ``df1``, ``df2``,
        ``p_value``.
    """
    difference = _differences(first, second)
    return _row("paired t", difference.mean(), *_t(difference, 1 / len(difference)))


def corrected_t(first: ArrayLike, second: ArrayLike, test_over_train: float) -> DataFrame:
    """Compare two methods by the t test of their scores on random splits, corrected for their overlap.

    ``t = mean / sqrt((1 / J + n_test / n_train) var)`` with J - 1 degrees of freedom.

    Parameters
    ----------
    first : array-like of shape (J,)
        Scores of the first method on J random splits of one dataset.
    second : array-like of shape (J,)
        Scores of the second method on the same splits.
    test_over_train : float
        Number of test rows over number of training rows; 1 / (k - 1) for k-fold cross-validation.

    Returns
    -------
    pandas.DataFrame
        One row: ``test``, ``difference`` (mean of first - second), ``statistic``, ``df1``, ``df2``,
        ``p_value``.

    References
    ----------
    C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    """
    check_number("test_over_train", test_over_train, 0, strict=True)
    difference = _differences(first, second)
    return _row(
        "corrected resampled t", difference.mean(), *_t(difference, 1 / len(difference) + test_over_train)
    )


def five_by_two_f(first: ArrayLike, second: ArrayLike) -> DataFrame:
    """Compare two methods by the combined F test over five repetitions of two-fold cross-validation.

    ``f = sum_ij d_ij² / (2 sum_i s_i²)`` with 10 and 5 degrees of freedom, where d_ij is the difference of
    the scores on fold j of repetition i, and s_i² the variance of the two differences of repetition i.

    Parameters
    ----------
    first : array-like of shape (5, 2) or (10,)
        Scores of the first method; flat arrays have the two folds of a repetition one after the other, in the
        order of `five_by_two`.
    second : array-like of shape (5, 2) or (10,)
        Scores of the second method on the same folds.

    Returns
    -------
    pandas.DataFrame
        One row: ``test``, ``difference`` (mean of first - second), ``statistic``, ``df1``, ``df2``,
        ``p_value``.

    References
    ----------
    E. Alpaydin, Combined 5x2 cv F test for comparing supervised classification learning algorithms, Neural
    Computation 11, 1999.
    """
    difference = _differences(as_numbers("first", first).ravel(), as_numbers("second", second).ravel())
    if difference.shape != (10,):
        raise ValueError(
            f"first and second must hold 10 scores, five repetitions of two folds; got {difference.size}."
        )
    difference = difference.reshape(5, 2)
    spread = np.square(difference - difference.mean(axis=1, keepdims=True)).sum()
    F = _quotient(np.square(difference).sum(), 2 * spread)
    return _row("5x2cv F", difference.mean(), F, 10, 5, stats.f.sf(F, 10, 5) if F > 0 else 1.0)


def _differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Differences of the scores of two methods, split by split."""
    first, second = as_numbers("first", first), as_numbers("second", second)
    if first.shape != second.shape or first.ndim != 1 or first.size < 2:
        raise ValueError(
            f"first and second must be two equally long lists of scores; got shapes {first.shape}, "
            f"{second.shape}."
        )
    check_size("first", first)
    check_size("second", second)
    return first - second


def _t(difference: NDArray, factor: float) -> tuple[float, float, int, float]:
    """Statistic, df1 (NaN: a t test has none), df2 and two-sided p-value of a t test."""
    statistic = _quotient(difference.mean(), np.sqrt(factor * difference.var(ddof=1)))
    df = len(difference) - 1
    return statistic, np.nan, df, 2 * stats.t.sf(abs(statistic), df)


def _quotient(numerator: float, denominator: float) -> float:
    """Quotient with 0 / 0 = 0: scores that are all equal do not differ."""
    if denominator > 0:
        return float(numerator / denominator)
    return float(np.sign(numerator) * np.inf) if numerator else 0.0


def _row(name: str, difference: float, statistic: float, df1: float, df2: float, p_value: float) -> DataFrame:
    """Result of a test as a data frame of one row."""
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
