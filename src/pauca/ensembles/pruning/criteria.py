"""Pruning criteria: one M x M matrix of joint errors that every search works on.

Member outputs have the members first: shape (n_members, n_samples), or (n_members, n_samples, n_outputs) for
several targets. The criterion of a set S of u members is 1'C_SS 1 / u².
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import MemberOutputs, check_outputs


@dataclass(frozen=True)
class SubEnsemble:
    """Members that a search for a sub-ensemble of one size keeps.

    Attributes
    ----------
    selected : ndarray of int of shape (n_kept,)
        Indices of the kept members, in rising order.
    criterion : float
        Criterion of the kept members.
    lower_bound : float
        Lower bound of the criterion of all sub-ensembles of the same size.
    """

    selected: NDArray
    criterion: float
    lower_bound: float


def error_products(
    outputs: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    known: ArrayLike | None = None,
) -> NDArray:
    """Mean products of the errors of two members (thesis, eq. 3.6).

    ``C_ij = sum_n w_n (f_i(x_n) - y_n) (f_j(x_n) - y_n) / sum_n w_n``: the criterion of a set of members is
    the mean squared error of their average.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples) or (n_members, n_samples, n_outputs)
        Predictions of each member.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Targets.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    known : boolean array-like of shape (n_members, n_samples), default=None
        Rows that count for a member, such as those it was not trained on. A product is averaged over the
        rows that count for both; a pair without any gets the mean of the other pairs.

    Returns
    -------
    C : ndarray of shape (n_members, n_members)
        Mean products of errors.
    """
    data = check_outputs(outputs, y, "regression", sample_weight, known)
    return _regression_matrix(data)


def common_errors(
    outputs: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    known: ArrayLike | None = None,
) -> NDArray:
    """Error rates of members and shares of common errors (Zhang, Burer & Street 2006).

    With P the matrix of errors (1: wrong) and G = P P', the diagonal is G_ii / N and the rest
    (G_ij / G_ii + G_ij / G_jj) / 2, zero for a member without errors.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples)
        Classes predicted by each member.
    y : array-like of shape (n_samples,)
        Classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    known : boolean array-like of shape (n_members, n_samples), default=None
        Rows that count for a member, such as those it was not trained on. Errors of a pair are counted on the
        rows that count for both.

    Returns
    -------
    G : ndarray of shape (n_members, n_members)
        Error rates on the diagonal, shares of common errors elsewhere.
    """
    return _classification_matrix(check_outputs(outputs, y, "classification", sample_weight, known))


def criterion_matrix(data: MemberOutputs) -> NDArray:
    """Matrix of `error_products` or `common_errors`, by the task of the data."""
    return _regression_matrix(data) if data.task == "regression" else _classification_matrix(data)


def path_criterion(C: NDArray, order: NDArray) -> NDArray:
    """Criterion of the first u members of an order, for every u."""
    ordered = C[np.ix_(order, order)]
    totals = np.cumsum(np.cumsum(ordered, axis=0), axis=1).diagonal()
    return totals / np.square(np.arange(1, len(order) + 1))


def criterion(C: NDArray, members: ArrayLike) -> float:
    """Criterion 1'C_SS 1 / u² of a set of u members, given by their indices."""
    members = np.asarray(members)
    return float(C[np.ix_(members, members)].sum() / len(members) ** 2)


def _regression_matrix(data):
    errors = (data.outputs - data.y).reshape(len(data.outputs), -1)
    weights = np.repeat(data.weights, errors.shape[1] // len(data.weights))
    if data.known is None:
        scaled = errors * np.sqrt(weights / weights.sum())
        return scaled @ scaled.T
    counts = np.repeat(data.known, errors.shape[1] // len(data.weights), axis=1)
    scaled = np.where(counts, errors, 0.0) * np.sqrt(weights)
    return _mean_over_pairs(scaled @ scaled.T, (counts * weights) @ counts.T)


def _classification_matrix(data):
    wrong = (data.outputs != data.y).astype(float)
    known = np.ones_like(wrong) if data.known is None else data.known.astype(float)
    wrong *= known
    weighted = wrong * data.weights
    together = weighted @ wrong.T
    # Errors of i on the rows that count for both i and j.
    own = weighted @ known.T
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(own > 0, together / own, 0.0)
    matrix = (share + share.T) / 2
    rows = known @ data.weights
    _require_rows(rows)
    np.fill_diagonal(matrix, together.diagonal() / rows)
    return matrix


def _mean_over_pairs(sums, weights):
    """Sums divided by weights; a pair that no row counts for takes the mean of the other pairs."""
    _require_rows(weights.diagonal())
    met = weights > 0
    means = np.divide(sums, weights, out=np.zeros_like(sums), where=met)
    pairs = met & ~np.eye(len(sums), dtype=bool)
    if not met.all():
        means[~met] = means[pairs].mean() if pairs.any() else 0.0
    return means


def _require_rows(weights):
    """Every member must have rows of positive weight to be evaluated on."""
    empty = np.flatnonzero(weights == 0)
    if len(empty):
        raise ValueError(
            f"known leaves member {empty[0]} no row to be evaluated on: give more rows, or leave it out."
        )
