"""Whether features that a process does not see explain what it leaves: score tests, all features at once."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import chi2

# Features whose tests are made at a time, so that no temporary is as large as the rows.
_BLOCK = 512
# Largest standardised value whose square is tested, so that outliers do not decide; set by hand.
_CLIP = 3.0
# Variance left of a function of a feature, as a share of its own, below which it says nothing new; numerical
# guard.
_TINY = 1e-8
# Decay of the tail of interactions as a multiple of that between their median and upper tenth, for which a
# quadratic form of one direction has 1.4; set by hand.
_TAIL = 1.5


class Residuals(NamedTuple):
    """What a process leaves of some targets, of which it sees few features.

    Parameters
    ----------
    precision : ndarray of shape (n_rows, n_rows)
        Inverse of the marginal covariance of each target.
    coef : ndarray of shape (n_rows, n_targets)
        Precision times targets.
    covariance : ndarray of shape (n_rows, n_rows) or None
        Prior covariance of the process, by which its features may interact with another; None: it sees none.
    rank : int
        Number of independent targets.
    """

    precision: NDArray
    coef: NDArray
    covariance: NDArray | None
    rank: int


def group_significance(X: Any, groups: NDArray, residuals: Residuals) -> NDArray:
    """Minus the log of the probability that a group without effect looks like this one, of every group.

    A column u that is a feature or its square has, by the derivative of the log evidence in the variance of
    an effect of it, the statistic (uᵀ a)² / uᵀ R u of a chi-squared distribution, a and R being coefficients
    and precision. For interactions of u with the process, whose covariance K becomes K + ε K ∘ u uᵀ, the
    derivatives are compared with those of all features, most of which have none.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Rows.
    groups : ndarray of int, shape (n_features,)
        Group of each feature.
    residuals : Residuals
        What the process leaves.
    """
    n_features, n_groups = X.shape[1], int(groups.max(initial=-1)) + 1
    columns = sparse.csc_array(X) if sparse.issparse(X) else X
    blocks = [slice(first, first + _BLOCK) for first in range(0, n_features, _BLOCK)]
    parts = [_tests(_dense(columns[:, block]), residuals) for block in blocks]
    main, count, joint = (np.concatenate(values, axis=-1) for values in zip(*parts, strict=True))
    freedom = residuals.rank * np.bincount(groups, count, n_groups)
    significance = -chi2.logsf(np.bincount(groups, main, n_groups), np.maximum(freedom, 1.0))
    if residuals.covariance is not None:
        np.maximum.at(significance, groups, _unusual(joint).max(axis=0))
    return np.where(freedom > 0, significance, 0.0)


def _dense(columns: Any) -> NDArray:
    return columns.toarray() if sparse.issparse(columns) else np.asarray(columns)


def _tests(X: NDArray, residuals: Residuals) -> tuple[NDArray, NDArray, NDArray]:
    """Summed statistics of each feature and its square, their number, and derivatives of interactions."""
    linear = _standardised(X - X.mean(axis=0))
    bent = np.square(np.clip(linear, -_CLIP, _CLIP))
    bent = bent - bent.mean(axis=0)
    bent = bent - linear * (linear * bent).mean(axis=0)
    main, count, joint = np.zeros(X.shape[1]), np.zeros(X.shape[1]), np.zeros((2, X.shape[1]))
    U = None
    if residuals.covariance is not None:
        coef = residuals.coef
        U = (coef @ coef.T - residuals.rank * residuals.precision) * residuals.covariance
    for place, values in enumerate((linear, _standardised(bent))):
        left = np.einsum("ij,ij->j", values, residuals.precision @ values)
        new = left > _TINY * np.diag(residuals.precision).sum()
        squares = np.square(residuals.coef.T @ values).sum(axis=0)
        main += np.where(new, squares / np.where(new, left, 1.0), 0.0)
        count += new
        if U is not None:
            joint[place] = np.where(new, np.einsum("ij,ij->j", values, U @ values), np.nan)
    return main, count, joint


def _standardised(columns: NDArray) -> NDArray:
    """Columns of mean zero divided by their standard deviations; zero where there is none."""
    size = np.sqrt(np.square(columns).mean(axis=0))
    return np.divide(columns, size, out=np.zeros(columns.shape), where=size > np.sqrt(_TINY))


def _unusual(values: NDArray) -> NDArray:
    """Minus the log tail probability of each value among those of its row, whose tail is exponential."""
    significance = np.zeros(values.shape)
    for place, row in enumerate(values):
        known = np.isfinite(row)
        if not known.any():
            continue
        middle, high = np.quantile(row[known], [0.5, 0.9])
        if high > middle:
            # One in ten is above the second quantile, one in two above the first.
            excess = np.log(5) * (row[known] - middle) / (_TAIL * (high - middle))
            significance[place, known] = np.log(2) + np.maximum(excess, -np.log(2))
    return significance
