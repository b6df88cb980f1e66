"""Expectation propagation over the latent values of rows, all sites in parallel."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ep.sites import LEAST_CAVITY, cavity, log_scale, matched_sites
from ..protocols import TiltedLikelihood, check_parts
from .priors import DensePrior, DesignPrior
from .result import LatentFit, steady_step

# Most rounds, and the damping of the first one; set by hand.
_MAX_ROUNDS, _FIRST_STEP = 100, 0.8
# Smallest variance of a latent value; numerical guard.
_LEAST_VARIANCE = 1e-12
# Largest moment of a cavity; numerical guard.
_LARGEST = 1e8


def latent_ep(
    likelihood: Any,
    prior: DensePrior | DesignPrior,
    offset: NDArray | float,
    y: NDArray,
    weights: NDArray,
    start: NDArray | None = None,
    tol: float = 1e-3,
) -> LatentFit:
    """Gaussian whose moments agree with those of every row's likelihood times its cavity.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood with ``tilted_moments`` and ``tempered_moments``.
    prior : DensePrior or DesignPrior
        Prior of g.
    offset : ndarray of shape (n_rows,) or float
        Prior mean of the latent values.
    y : ndarray of shape (n_rows,)
        Observations.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    start : ndarray of shape (2, n_rows), optional
        Sites to start from, those of rows of weight one; by default empty ones.
    tol : float, default=1e-3
        Largest change of a site, in standard deviations of its marginal, at which the sites have converged.

    Returns
    -------
    fit : LatentFit
    """
    check_parts("latent_ep", (likelihood, TiltedLikelihood))
    problem = _Problem(likelihood, prior, offset, y, weights)
    sites = np.zeros((2, len(y))) if start is None else start
    step, before = _FIRST_STEP, np.inf
    nearest: _Round | None = None
    for _ in range(_MAX_ROUNDS):
        found = problem.round(sites)
        if nearest is None or found.change <= nearest.change:
            nearest = found
        if found.change < tol:
            break
        step, before = steady_step(step, before, found.change), found.change
        sites = sites + step * (found.matched - sites)
    assert nearest is not None  # there is at least one round
    done = nearest.change < tol
    return LatentFit(nearest.posterior, weights * nearest.sites, nearest.log_evidence, nearest.sites, done)


class _Round(NamedTuple):
    """Sites, those that match the tilted moments, and the largest difference in standard deviations."""

    sites: NDArray
    matched: NDArray
    change: float
    posterior: Any
    log_evidence: float


class _Problem:
    """Arguments of `latent_ep`."""

    def __init__(self, likelihood: Any, prior: Any, offset: Any, y: NDArray, weights: NDArray) -> None:
        self.likelihood, self.prior, self.offset, self.y = likelihood, prior, offset, y
        self.weights = weights
        self.taken = np.where(weights > 0, np.minimum(weights, 1.0), 1.0)

    def round(self, sites: NDArray) -> _Round:
        """Posterior, cavities, evidence and matched sites."""
        precision, shift = self.weights * sites
        posterior = self.prior.posterior(precision, shift)
        m, v = posterior.mean, np.maximum(posterior.variance, _LEAST_VARIANCE)
        part = self.taken * sites
        proper = 1 - part[0] * v > LEAST_CAVITY
        mean, var = cavity(m, v, *np.where(proper, part, 0.0))
        # A covariance that is not one, of a kernel that the user gave, has no bounds.
        mean, var = np.clip(mean, -_LARGEST, _LARGEST), np.clip(var, _LEAST_VARIANCE, _LARGEST)
        log_z, tilted_mean, tilted_var = self._tilted(mean, var)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # sites that are not finite stay
            matched = matched_sites(mean, var, tilted_mean, tilted_var) / self.taken
        matched = np.where(proper & np.isfinite(matched).all(axis=0), matched, sites)
        moved = self.weights * np.abs(matched - sites) * np.stack([v, np.sqrt(v)])
        scales = log_scale(log_z, part[0], part[1], mean, var) * self.weights / self.taken
        log_evidence = scales.sum() + 0.5 * m @ shift - posterior.half_log_det
        return _Round(sites, matched, float(moved.max(initial=0.0)), posterior, float(log_evidence))

    def _tilted(self, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """log Z, mean and variance of Φw times the likelihood of f = offset + Φw + e."""
        whole, total = self.offset + mean, var + self.prior.left
        log_z, tilted_mean, tilted_var = self.likelihood.tilted_moments(self.y, whole, total)
        few = np.flatnonzero(self.taken < 1)
        if len(few):
            parts = self.likelihood.tempered_moments(self.y[few], whole[few], total[few], self.taken[few])
            for values, part in zip((log_z, tilted_mean, tilted_var), parts, strict=True):
                values[few] = part
        share = var / total
        return log_z, mean + share * (tilted_mean - whole), var + share * share * (tilted_var - total)


def site_of_cavity(
    likelihood: Any, y: NDArray, offset: NDArray | float, mean: NDArray, var: NDArray
) -> NDArray:
    """Sites that match the tilted moments of rows whose latent value has the cavity offset + N(mean, var).

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood with ``tilted_moments``.
    y : ndarray of shape (n_rows,)
        Observations.
    offset : ndarray of shape (n_rows,) or float
        Prior mean of the latent values.
    mean, var : ndarray of shape (n_rows,)
        Moments of the cavity, without the offset.

    Returns
    -------
    sites : ndarray of shape (2, n_rows)
        Precisions and shifts.
    """
    _, tilted_mean, tilted_var = likelihood.tilted_moments(y, offset + mean, var)
    return matched_sites(mean, var, tilted_mean - offset, tilted_var)
