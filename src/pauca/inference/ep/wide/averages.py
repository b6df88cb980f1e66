"""Averages of posteriors of linear models, and the model in which no feature matters.

The posterior of an average over priors is the mixture of their posteriors, weighted by evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from ....numerics import gauss_hermite, log_ndtr
from .factorised import FactorisedPosterior
from .observations import Observations

__all__ = ["AveragedPosterior", "averaged_posterior", "no_features"]

# Newton steps to the mode of the bias, and nodes of the quadrature around it; set by hand.
_MAX_STEPS, _N_NODES = 50, 40
# Weight below which a posterior has no part in an average; numerical guard.
_LEAST_WEIGHT = 1e-9


@dataclass(frozen=True)
class AveragedPosterior:
    """Mixture of posteriors.

    Parameters
    ----------
    inclusion, mean, var : ndarray of shape (1 + n_features,)
        Inclusion probabilities, means and variances of the weights, the bias first.
    log_evidence : float
        Log evidence in nats.
    n_iter : int
        Largest number of sweeps of the posteriors.
    converged : bool
        Whether all of them converged.
    schedule : str
        Schedule of the one with the largest weight among those that have features.
    weights : ndarray of shape (n_posteriors,)
        Posterior probabilities of all posteriors.
    parts : tuple of (float, posterior)
        Posteriors that are part of the mixture, with their weights.
    assignments : ndarray of shape (n_effects, n_features) or None
        Probability that each single effect is that of each feature, of a mixture of one sum of single effects
        and others without features.
    noise : float
        Variance of Gaussian noise; zero: labels.
    """

    inclusion: NDArray
    mean: NDArray
    var: NDArray
    log_evidence: float
    n_iter: int
    converged: bool
    schedule: str
    weights: NDArray
    parts: tuple
    assignments: NDArray | None = None
    noise: float = 0.0


def no_features(observations: Observations, slab: float) -> FactorisedPosterior:
    """Posterior of the bias w_0 ~ N(0, slab) where no feature matters.

    Parameters
    ----------
    observations : Observations
        Rows and targets; the first column of X is that of the bias.
    slab : float
        Prior variance of the bias.
    """
    log_evidence, mean, var = (_of_labels if observations.noise == 0 else _of_numbers)(observations, slab)
    nothing = np.zeros(observations.X.shape[1])
    first = nothing.copy()
    first[0] = 1.0
    # Excluded weights are zero; the posteriors of the others need a variance that is not.
    return FactorisedPosterior(first, mean * first, var * first, log_evidence, 0, True, "no features")


def _of_numbers(observations, slab):
    """Log evidence and moments of the bias with Gaussian noise."""
    weights, y, noise = observations.weights, observations.y, observations.noise
    total = weights.sum()
    precision = total / noise + 1 / slab
    mean = (weights @ y / noise) / precision
    at_zero = -0.5 * (weights @ np.square(y) / noise + total * np.log(2 * np.pi * noise))
    value = at_zero + 0.5 * (precision * mean**2 - np.log(slab * precision))
    return float(value), mean, 1 / precision


def _of_labels(observations, slab):
    """Log evidence and moments of the bias under the probit, by quadrature around the mode."""
    positive = observations.weights @ (observations.y > 0)
    negative = observations.weights.sum() - positive
    mode, spread = _mode(positive, negative, slab)
    nodes, weights = gauss_hermite(_N_NODES)
    b = mode + spread * nodes
    logs = positive * log_ndtr(b) + negative * log_ndtr(-b) - 0.5 * b**2 / slab + 0.5 * nodes**2
    logs += np.log(weights * spread / np.sqrt(slab))
    total = logsumexp(logs)
    chance = np.exp(logs - total)
    mean = chance @ b
    return float(total), mean, float(chance @ np.square(b - mean))


def _mode(positive, negative, slab):
    """Mode of the bias and the standard deviation of the Gaussian there."""
    b = 0.0
    for _ in range(_MAX_STEPS):
        up, down = (np.exp(-0.5 * b**2 - log_ndtr(s * b)) / np.sqrt(2 * np.pi) for s in (1, -1))
        gradient = positive * up - negative * down - b / slab
        curvature = positive * up * (up + b) + negative * down * (down - b) + 1 / slab
        b += gradient / curvature
        if abs(gradient / curvature) < 1e-10:
            break
    return b, 1 / np.sqrt(curvature)


def averaged_posterior(
    posteriors: Sequence[Any],
    prior: NDArray,
    *,
    log_evidences: Sequence[float] | None = None,
    noises: Sequence[float] | None = None,
) -> AveragedPosterior:
    """Average of posteriors, weighted by prior probability and evidence.

    Parameters
    ----------
    posteriors : sequence of FactorisedPosterior, CorrelatedPosterior or SingleEffectsPosterior
        Posteriors under several priors, the first of which has features; those without an evidence have no
        weight.
    prior : ndarray of shape (n_posteriors,)
        Prior probability of each.
    log_evidences : sequence of float or None, default=None
        Log evidences that take the place of those of the posteriors.
    noises : sequence of float or None, default=None
        Variance of the noise under each; None: labels.
    """
    given = [each.log_evidence for each in posteriors] if log_evidences is None else log_evidences
    logs = np.log(prior) + np.array(given, dtype=float)
    logs[~np.isfinite(logs)] = -np.inf
    log_evidence = logsumexp(logs)
    weights = np.exp(logs - log_evidence)
    inclusion, means, variances = (
        np.array([getattr(each, name) for each in posteriors], dtype=float)
        for name in ("inclusion", "mean", "var")
    )
    mean = weights @ means
    chances = getattr(posteriors[0], "assignments", None)
    parts = [pair for pair in zip(weights, posteriors, strict=True) if pair[0] > _LEAST_WEIGHT]
    return AveragedPosterior(
        weights @ inclusion,
        mean,
        weights @ (variances + np.square(means - mean)),
        float(log_evidence),
        max(each.n_iter for each in posteriors),
        all(each.converged for _, each in parts),
        max(zip(weights, posteriors, strict=True), key=_weight_with_features)[1].schedule,
        weights,
        tuple((float(weight), each) for weight, each in parts),
        None if chances is None else weights[0] * chances,
        0.0 if noises is None else float(weights @ np.asarray(noises)),
    )


def _weight_with_features(pair):
    """Weight of a posterior, less than any where it has no features."""
    return pair[0] if pair[1].inclusion[1:].any() else -1.0
