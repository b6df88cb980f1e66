"""Posterior of correlated weights, and a covariance as variances less what its directions share."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CorrelatedPosterior", "covariance_parts"]


@dataclass(frozen=True)
class CorrelatedPosterior:
    """Posterior of correlated weights.

    The latent value at x has mean mean_0 + x·mean and variance
    ``bias_var`` + z²·``spread`` − Σ_k (z·``shared``_k)², z = x − ``origin``.

    Parameters
    ----------
    inclusion, mean, var : ndarray of shape (1 + n_features,)
        Inclusion probabilities, means and variances of the weights, the bias first.
    origin, spread : ndarray of shape (n_features,)
        Parts of the variance of the latent value.
    shared : ndarray of shape (n_parts, n_features)
        Parts of the variance of the latent value.
    bias_var : float
        Variance of the latent value at ``origin``.
    log_evidence : float
        Log evidence in nats, or its approximation.
    n_iter : int
        Number of sweeps.
    converged : bool
        Whether the sweeps ended before their limit.
    schedule : str
        Name of the engine.
    """

    inclusion: NDArray
    mean: NDArray
    var: NDArray
    origin: NDArray
    spread: NDArray
    shared: NDArray
    bias_var: float
    log_evidence: float
    n_iter: int
    converged: bool
    schedule: str


def covariance_parts(covariance: NDArray) -> tuple[NDArray, NDArray]:
    """Variances and rows whose outer products, subtracted from them, give a covariance.

    Parameters
    ----------
    covariance : ndarray of shape (n_features, n_features)
        Covariance of the weights.

    Returns
    -------
    spread : ndarray of shape (n_features,)
        Equal variances, the largest of any direction.
    shared : ndarray of shape (n_features, n_features)
        One row for each direction.
    """
    values, vectors = np.linalg.eigh(covariance)
    most = max(float(values.max(initial=0.0)), np.finfo(float).tiny)
    return np.full(len(values), most), (vectors * np.sqrt(np.maximum(most - values, 0.0))).T
