"""How members err together: one M x M matrix that every search works on.

Member outputs have the members first: shape (n_members, n_samples), or (n_members, n_samples, n_outputs) for
several targets. The criterion of a set S of u members is 1'C_SS 1 / u².
"""

import numpy as np

from .checks import check_outputs


def error_products(outputs, y, *, sample_weight=None, known=None):
    """Mean products of the errors of two members (thesis, eq. 3.6).

    ``C_ij = sum_n w_n (f_i(x_n) - y_n) (f_j(x_n) - y_n) / sum_n w_n``: the criterion of a set of members is
    the mean squared error of their average.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples) or (n_members, n_samples, n_outputs)
        What each member predicts.
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
    """
    data = check_outputs(outputs, y, "regression", sample_weight, known)
    return regression_matrix(data)


def common_errors(outputs, y, *, sample_weight=None, known=None):
    """Error rates of members and shares of common errors (Zhang, Burer & Street 2006).

    With P the matrix of errors (1: wrong) and G = P P', the diagonal is G_ii / N and the rest
    (G_ij / G_ii + G_ij / G_jj) / 2, zero for a member without errors.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples)
        The class that each member predicts.
    y : array-like of shape (n_samples,)
        Classes.
    sample_weight, known
        See `error_products`.

    Returns
    -------
    G : ndarray of shape (n_members, n_members)
    """
    return classification_matrix(check_outputs(outputs, y, "classification", sample_weight, known))


def regression_matrix(data):
    """C of checked outputs."""
    errors = (data.outputs - data.y).reshape(len(data.outputs), -1)
    weights = np.repeat(data.weights, errors.shape[1] // len(data.weights))
    if data.known is None:
        scaled = errors * np.sqrt(weights / weights.sum())
        return scaled @ scaled.T
    counts = np.repeat(data.known, errors.shape[1] // len(data.weights), axis=1)
    scaled = np.where(counts, errors, 0.0) * np.sqrt(weights)
    return _mean_over_pairs(scaled @ scaled.T, (counts * weights) @ counts.T)


def classification_matrix(data):
    """G of checked outputs."""
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


def criterion_matrix(data):
    """C or G, by the task of the data."""
    return regression_matrix(data) if data.task == "regression" else classification_matrix(data)


def path_criterion(C, order):
    """The criterion of the first u members of an order, for every u."""
    ordered = C[np.ix_(order, order)]
    totals = np.cumsum(np.cumsum(ordered, axis=0), axis=1).diagonal()
    return totals / np.square(np.arange(1, len(order) + 1))


def criterion(C, members):
    """1'C_SS 1 / u² of some members."""
    return float(C[np.ix_(members, members)].sum() / len(members) ** 2)


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
    """Every member must have rows of some weight to be judged by."""
    empty = np.flatnonzero(weights == 0)
    if len(empty):
        raise ValueError(
            f"known leaves member {empty[0]} no row to be judged by: give more rows, or leave it out."
        )
