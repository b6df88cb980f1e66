"""Scores of predicted probabilities and predicted distributions."""

from __future__ import annotations

from functools import partial
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from sklearn.metrics import log_loss, r2_score, roc_auc_score

from ..validation import as_labels, as_numbers, check_number, check_share, check_size, distinct


def expected_calibration_error(
    y: ArrayLike, p: ArrayLike, n_bins: int = 15, *, labels: ArrayLike | None = None
) -> float:
    """Mean absolute difference of predicted probability and observed frequency, over bins of equal width.

    With n_b of the n rows in bin b, ``ECE = sum_b n_b / n |freq_b - mean_b|``. For two classes p is the
    probability of the second one; for more classes it is the probability of the predicted class, and the
    frequency is its accuracy.

    Parameters
    ----------
    y : array-like of shape (n,)
        True classes.
    p : array-like of shape (n,) or (n, n_classes)
        Probability of the second class, or of every class.
    n_bins : int, default=15
        Number of bins on [0, 1].
    labels : array-like, optional
        Classes in the order of the columns of ``p``; the sorted values of ``y`` by default.

    Returns
    -------
    float
        Between 0 (calibrated) and 1.

    References
    ----------
    C. Guo et al., On calibration of modern neural networks, ICML 2017.
    """
    check_number("n_bins", n_bins, 1, kind=Integral)
    codes, p = _checked(y, p, labels)
    predicted, observed = predicted_and_observed(codes, p)
    bins = np.minimum((predicted * n_bins).astype(int), n_bins - 1)
    difference = np.bincount(bins, weights=observed - predicted, minlength=n_bins)
    return float(np.abs(difference).sum() / len(codes))


def classification_scores(y: ArrayLike, p: ArrayLike, labels: ArrayLike | None = None) -> dict[str, float]:
    """Score predicted probabilities: error rate, log-loss, area under the ROC curve, calibration error.

    Parameters
    ----------
    y : array-like of shape (n,)
        True classes.
    p : array-like of shape (n,) or (n, n_classes)
        Probability of the second class, or of every class.
    labels : array-like, optional
        Classes in the order of the columns of ``p``; the sorted values of ``y`` by default.

    Returns
    -------
    dict
        ``error``, ``log_loss``, ``auc`` (one-vs-rest mean for more than two classes; NaN if a class does not
        occur in ``y``), ``calibration_error``, ``probability_rmse`` (root of half the mean Brier score over
        all classes; for two classes the root mean square of y - p).
    """
    codes, p = _checked(y, p, labels)
    return {
        "error": float(np.mean(p.argmax(axis=1) != codes)),
        "log_loss": float(log_loss(codes, p, labels=range(p.shape[1]))),
        "auc": _auc(codes, p),
        "calibration_error": expected_calibration_error(codes, p, labels=range(p.shape[1])),
        "probability_rmse": _probability_rmse(codes, p),
    }


def regression_scores(y: ArrayLike, mean: ArrayLike, std: ArrayLike | None = None) -> dict[str, float]:
    """Score predicted means by RMSE and R², and predicted Gaussians by log density and coverage.

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
        ``coverage`` (fraction of y inside the 95 % interval); the last two are NaN without ``std``.
    """
    y, mean = _numbers(y, mean)
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


def negative_log_density(y: ArrayLike, mean: ArrayLike, std: ArrayLike) -> float:
    """Mean negative log predictive density, -log N(y | mean, std²), in nats.

    Parameters
    ----------
    y : array-like of shape (n,)
        True values.
    mean : array-like of shape (n,)
        Predicted means.
    std : array-like of shape (n,)
        Predicted standard deviations of y, noise included.

    Returns
    -------
    float
    """
    y, mean, std = _numbers(y, mean, std)
    if (std <= 0).any():
        raise ValueError("std must be positive.")
    with np.errstate(over="ignore"):  # the density of a point far away is zero
        squares = np.square((y - mean) / std)
    return float(np.mean(0.5 * squares + np.log(std) + 0.5 * np.log(2 * np.pi)))


def interval(
    mean: ArrayLike, std: ArrayLike, level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Central interval of N(mean, std²) with the given probability.

    Parameters
    ----------
    mean : array-like of shape (n,)
        Predicted means.
    std : array-like of shape (n,)
        Predicted standard deviations.
    level : float, default=0.95
        Probability of the interval.

    Returns
    -------
    lower : ndarray of shape (n,)
        Lower ends.
    upper : ndarray of shape (n,)
        Upper ends.
    """
    check_share("level", level)
    mean = as_numbers("mean", mean)
    std = _like(mean, "std", std)
    half = ndtri(0.5 + level / 2) * std
    return mean - half, mean + half


def _numbers(y: ArrayLike, *others: ArrayLike) -> list[NDArray[np.float64]]:
    """Targets, means and standard deviations: finite numbers, one for each row or one for all."""
    targets = as_numbers("y", y, 1)
    check_size("y", targets)
    if not len(targets):
        raise ValueError("y must have at least one row.")
    return [targets, *map(partial(_like, targets), ("mean", "std"), others)]


def _like(shaped: NDArray, name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Finite numbers in the shape of another array."""
    numbers = as_numbers(name, values)
    check_size(name, numbers)
    if numbers.shape not in (shaped.shape, ()):
        raise ValueError(f"{name} must have shape {shaped.shape}; got {numbers.shape}.")
    return np.broadcast_to(numbers, shaped.shape)


def _checked(
    y: ArrayLike, p: ArrayLike, labels: ArrayLike | None
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Index of the true class for every row, and one column of probabilities for every class."""
    y, p = as_labels("y", y), as_numbers("p", p)
    if p.ndim not in (1, 2):
        raise ValueError(f"p must have one or two dimensions; got shape {p.shape}.")
    labels = distinct("y", y) if labels is None else as_labels("labels", labels)
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


def predicted_and_observed(codes: NDArray, p: NDArray) -> tuple[NDArray, NDArray]:
    """Predicted probability of an event for every row, and 1 where it was observed, else 0."""
    if p.shape[1] == 2:
        return p[:, 1], codes.astype(float)
    return p.max(axis=1), (codes == p.argmax(axis=1)).astype(float)


def _probability_rmse(codes: NDArray, p: NDArray) -> float:
    """Root of half the mean Brier score over all classes; for two classes the root mean square of y - p."""
    half_brier = np.square(p - np.eye(p.shape[1])[codes]).sum(axis=1) / 2
    return float(np.sqrt(half_brier.mean()))


def _auc(codes: NDArray, p: NDArray) -> float:
    """Area under the ROC curve, one-vs-rest for more than two classes; NaN if a class is absent."""
    n_classes = p.shape[1]
    if len(np.unique(codes)) < max(n_classes, 2):
        return np.nan
    if n_classes == 2:
        return float(roc_auc_score(codes, p[:, 1]))
    return float(roc_auc_score(codes, p, multi_class="ovr"))
