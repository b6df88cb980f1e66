"""Averages of fitted Bayes machines, one for each value of the kernel parameter."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

GAMMA_RECORD = np.dtype([("gamma", float), ("log_evidence", float), ("probability", float)])


def gamma_records(trials: list, weights: NDArray) -> NDArray:
    """Structured array of the values of gamma, their log evidences and their probabilities."""
    rows = [(trial.gamma, trial.score, weight) for trial, weight in zip(trials, weights, strict=True)]
    return np.array(rows, dtype=GAMMA_RECORD)


def averaged(weights: NDArray, values: list) -> Any:
    """Weighted mean of one array for each machine."""
    return np.tensordot(weights, np.array(values, dtype=float), axes=1)


def averaged_logs(weights: NDArray, logs: list) -> NDArray:
    """Logarithm of the weighted mean of the exponentials of one array for each machine."""
    return np.asarray(logsumexp(np.array(logs), axis=0, b=weights[:, None, None]))


def log_odds_of(log_probabilities: NDArray) -> NDArray:
    """Log odds of each class against the others; of two classes those of the second alone."""
    if log_probabilities.shape[1] == 2:
        return log_probabilities[:, 1] - log_probabilities[:, 0]
    tiny = np.finfo(float).tiny
    return log_probabilities - np.log(np.maximum(-np.expm1(log_probabilities), tiny))


def matched_beta(weights: NDArray, pairs: NDArray) -> NDArray:
    """Beta distributions with mean and variance of mixtures of Beta distributions.

    Parameters
    ----------
    weights : ndarray of shape (n_machines,)
        Probabilities of the parts of the mixtures.
    pairs : ndarray of shape (n_machines, ..., 2)
        Parameters (a, b) of each part.
    """
    total = pairs.sum(axis=-1)
    mean = pairs[..., 0] / total
    variance = mean * (1 - mean) / (total + 1)
    middle = averaged(weights, list(mean))
    spread = averaged(weights, list(variance + np.square(mean - middle)))
    size = middle * (1 - middle) / np.maximum(spread, np.finfo(float).tiny) - 1
    return np.stack([middle * size, (1 - middle) * size], axis=-1)
