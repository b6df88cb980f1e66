"""What the engines of latent values return."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ep.sites import LEAST_CAVITY, cavity


@dataclass(frozen=True)
class LatentFit:
    """Gaussian approximation of the posterior of g, where f = offset + g are the latent values of some rows.

    Parameters
    ----------
    posterior : DensePosterior or DesignPosterior
        Posterior of g given the sites.
    sites : ndarray of shape (2, n_rows)
        Precision and shift of the Gaussian site of each row, weights included.
    log_evidence : float
        Approximate log evidence in nats.
    state : ndarray
        Point from which a similar problem may start.
    converged : bool
        Whether the engine converged.
    """

    posterior: Any
    sites: NDArray
    log_evidence: float
    state: NDArray
    converged: bool = True

    @property
    def coef(self) -> NDArray:
        """C⁻¹ ĝ of the prior covariance C at the posterior mean ĝ."""
        return self.posterior.coef

    def left_out(self, weights: NDArray) -> tuple[NDArray, NDArray]:
        """Mean and variance of g at each row given all observations but one of that row."""
        return left_out(self.posterior.mean, self.posterior.variance, self.sites / weights, weights)


def left_out(mean: NDArray, var: NDArray, sites: NDArray, weights: NDArray) -> tuple[NDArray, NDArray]:
    """Moments of latent values given all observations but one of their own row.

    Parameters
    ----------
    mean, var : ndarray of shape (n_rows,) or (n_rows, n_latent)
        Moments given all observations.
    sites : ndarray of shape (2, n_rows) or (2, n_rows, n_latent)
        Precisions and shifts of the sites of rows of weight one.
    weights : ndarray of shape (n_rows,)
        Weights of the rows, all positive.
    """
    part = sites * np.minimum(weights, 1.0).reshape(-1, *[1] * (mean.ndim - 1))
    proper = 1 - part[0] * var > LEAST_CAVITY
    return cavity(mean, var, *np.where(proper, part, 0.0))


def steady_step(step: float, before: float, change: float, largest: float = 1.0) -> float:
    """Damping of the next round: half the step where changes have grown, else a longer one."""
    return max(step / 2, 0.05) if change > before else min(1.2 * step, largest)
