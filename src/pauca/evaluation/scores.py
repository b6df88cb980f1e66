"""Scores of predicted probabilities and predicted distributions."""

import numpy as np
from scipy.special import ndtri
from sklearn.metrics import log_loss, r2_score, roc_auc_score


def expected_calibration_error(y, p, n_bins=15, *, labels=None):
    """Mean gap between stated probability and observed frequency, over bins of equal width.

    With n_b of the n rows in bin b, ``ECE = sum_b n_b / n |freq_b - mean_b|``. Two classes: the probability
    of the second one. More classes: the probability of the predicted class, and how often it was right.

    Parameters
    ----------
    y : array-like of shape (n,)
        True classes.
    p : array-like of shape (n,) or (n, n_classes)
        Probability of the second class, or of every class.
    n_bins : int, default=15
        Number of bins on [0, 1].
    labels : array-like, optional
        The classes in the order of the columns of ``p``; the sorted values of ``y`` by default.

    Returns
    -------
    float
        Between 0 (calibrated) and 1.

    References
    ----------
    C. Guo et al., On calibration of modern neural networks, ICML 2017.
    """
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1; got {n_bins}.")
    codes, p = _checked(y, p, labels)
    stated, happened = stated_and_happened(codes, p)
    bins = np.minimum((stated * n_bins).astype(int), n_bins - 1)
    gap = np.bincount(bins, weights=happened - stated, minlength=n_bins)
    return float(np.abs(gap).sum() / len(codes))


def classification_scores(y, p, labels=None):
    """Error rate, log-loss, area under the ROC curve and calibration error.

    Parameters
    ----------
    y : array-like of shape (n,)
        True classes.
    p : array-like of shape (n,) or (n, n_classes)
        Probability of the second class, or of every class.
    labels : array-like, optional
        The classes in the order of the columns of ``p``; the sorted values of ``y`` by default.

    Returns
    -------
    dict
        ``error``, ``log_loss``, ``auc`` (more than two classes: mean of one against the rest; NaN if a class
        does not occur in ``y``), ``calibration_error``, ``probability_rmse``.
    """
    codes, p = _checked(y, p, labels)
    return {
        "error": float(np.mean(p.argmax(axis=1) != codes)),
        "log_loss": float(log_loss(codes, p, labels=range(p.shape[1]))),
        "auc": _auc(codes, p),
        "calibration_error": expected_calibration_error(codes, p, labels=range(p.shape[1])),
        "probability_rmse": _probability_rmse(codes, p),
    }


def regression_scores(y, mean, std=None):
    """Root mean square error and R², and with standard deviations the quality of the distributions.

    Parameters
    ----------
    y : array-like of shape (n,)
        True values.
    mean : array-like of shape (n,)
        Predicted means.
    std : array-like of shape (n,), optional
        Predicted standard deviations of y, noise included.

    Returns
    -------
    dict
        ``rmse``, ``r2`` (NaN for fewer than two rows), ``nlpd`` (mean negative log predictive density) and
        ``coverage`` (share of y inside the 95 % interval); the last two NaN without ``std``.
    """
    y, mean = np.asarray(y, dtype=float), np.asarray(mean, dtype=float)
    scores = {
        "rmse": float(np.sqrt(np.mean(np.square(y - mean)))),
        "r2": float(r2_score(y, mean)) if len(y) > 1 else np.nan,
        "nlpd": np.nan,
        "coverage": np.nan,
    }
    if std is not None:
        lower, upper = interval(mean, std)
        scores["nlpd"] = negative_log_density(y, mean, std)
        scores["coverage"] = float(np.mean((lower <= y) & (y <= upper)))
    return scores


def negative_log_density(y, mean, std):
    """Mean of -log N(y | mean, std²)."""
    std = np.asarray(std, dtype=float)
    standardised = (np.asarray(y, dtype=float) - mean) / std
    return float(np.mean(0.5 * np.square(standardised) + np.log(std) + 0.5 * np.log(2 * np.pi)))


def interval(mean, std, level=0.95):
    """Central interval of N(mean, std²) that holds the given probability: (lower, upper)."""
    half = ndtri(0.5 + level / 2) * np.asarray(std, dtype=float)
    return np.asarray(mean) - half, np.asarray(mean) + half


def _checked(y, p, labels):
    """Column of the true class for every row, and one column of probabilities for every class."""
    y, p = np.asarray(y), np.asarray(p, dtype=float)
    labels = np.unique(y) if labels is None else np.asarray(labels)
    if p.ndim == 1:
        p = np.column_stack([1 - p, p])
    if p.shape != (len(y), len(labels)) or p.size == 0:
        raise ValueError(f"p has shape {p.shape}; expected {(len(y), len(labels))}: rows of y, classes.")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p must hold probabilities between 0 and 1.")
    matches = y[:, None] == labels
    if not matches.any(axis=1).all():
        raise ValueError(f"y holds classes that are not among labels {labels.tolist()}.")
    return matches.argmax(axis=1), p


def stated_and_happened(codes, p):
    """For every row the probability of an event, and whether it happened."""
    if p.shape[1] == 2:
        return p[:, 1], codes.astype(float)
    return p.max(axis=1), (codes == p.argmax(axis=1)).astype(float)


def _probability_rmse(codes, p):
    """Root mean square of the probability that is missing at the true class; two classes: of y - p."""
    gaps = np.square(p - np.eye(p.shape[1])[codes]).sum(axis=1) / 2
    return float(np.sqrt(gaps.mean()))


def _auc(codes, p):
    n_classes = p.shape[1]
    if len(np.unique(codes)) < max(n_classes, 2):
        return np.nan
    if n_classes == 2:
        return float(roc_auc_score(codes, p[:, 1]))
    return float(roc_auc_score(codes, p, multi_class="ovr"))
