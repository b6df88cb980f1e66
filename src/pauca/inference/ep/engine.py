"""Expectation propagation with a full covariance, in parallel or else sequentially."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..posterior import Posterior, Sites, WarmStart, gaussian_posterior, latent_moments, log_integral
from ..protocols import FactorPrior, TiltedLikelihood, check_parts
from .factors import Factors
from .sequential import sweep_until_converged
from .sites import LEAST_CAVITY, cavity, log_scale, matched_sites

# Most rounds of parallel updates, and most sequential sweeps; set by hand.
_MAX_PARALLEL = 100
_MAX_SEQUENTIAL = 100
# Damping of site updates: the first and largest step, the smallest, and the growth of a step after a round
# that changed less than the one before. Set by hand.
_LARGEST_STEP, _SMALLEST_STEP, _GROWTH = 0.8, 0.05, 1.2


@dataclass(frozen=True)
class EPPosterior(Posterior):
    """Gaussian posterior with the sites of expectation propagation behind it.

    Parameters
    ----------
    mean : ndarray of shape (n_weights,)
        Posterior mean.
    factor : ndarray of shape (n_weights, n_weights)
        Lower Cholesky factor of the posterior precision.
    log_evidence : float
        Approximate log marginal likelihood in nats.
    sites : Sites
        Sites of the rows as Gaussian pseudo-data.
    n_iter : int, default=1
        Iterations of the engine.
    converged : bool, default=True
        Whether the engine converged.
    all_sites : ndarray of shape (2, n_factors)
        Precisions and shifts of the sites: those of the rows first, then, where the prior has factors of its
        own, those of the weights.
    schedule : str, default="parallel"
        Schedule that gave the result.
    """

    all_sites: NDArray = field(default_factory=lambda: np.empty((2, 0)))
    schedule: str = "parallel"

    @property
    def weight_sites(self) -> tuple[Any, Any]:
        precision, shift = self.all_sites[:, len(self.sites.precision) :]
        return (precision, shift) if len(precision) else super().weight_sites

    def warm_start(self, stays: Any, n_added: int) -> WarmStart:
        """Start with the sites of all rows and of the weights that stay; a new weight has an empty site."""
        rows, weights = np.split(self.all_sites, [len(self.sites.precision)], axis=1)
        if weights.shape[1]:
            weights = np.hstack([weights[:, stays], np.zeros((2, n_added))])
        return WarmStart(np.append(self.mean[stays], np.zeros(n_added)), np.hstack([rows, weights]))


@dataclass(frozen=True)
class _Round:
    """Posterior that some sites give, its log evidence, and the updated ``sites``.

    ``change`` is the largest change of a site in standard deviations of its marginal.
    """

    mean: NDArray
    factor: NDArray
    latent: NDArray
    log_evidence: float
    sites: NDArray
    change: float
    all_proper: bool


def ep(
    likelihood: TiltedLikelihood,
    prior: FactorPrior,
    Phi: NDArray,
    y: NDArray,
    weights: NDArray,
    start: WarmStart | None = None,
    tol: float = 1e-2,
    schedule: str = "auto",
) -> EPPosterior:
    """Gaussian whose moments agree with those of every factor times its cavity (PARD 2004, eq. 4-11).

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood with ``tilted_moments`` and ``tempered_moments``.
    prior : Prior
        Gaussian prior, which may have a further factor for each weight.
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    y : ndarray of shape (n_rows,)
        Observations.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    start : WarmStart, optional
        Sites to start from; by default empty ones.
    tol : float, default=1e-2
        Largest change of a site, in standard deviations of its marginal, at which the sites have converged.
    schedule : {"auto", "parallel", "sequential"}, default="auto"
        Update all sites from one factorisation, one after the other, or first the one and, where it does not
        converge, then the other.

    Returns
    -------
    posterior : EPPosterior
    """
    check_parts("ep", (likelihood, TiltedLikelihood), (prior, FactorPrior))
    factors = Factors.of(likelihood, prior, Phi, y, weights)
    sites = np.zeros((2, len(factors.copies))) if start is None or start.sites is None else start.sites
    n_iter, converged, done = 0, False, "parallel"
    if schedule != "sequential":
        sites, result, n_iter, converged = _in_parallel(factors, sites, tol)
    if not converged and schedule != "parallel":
        sites, n_sweeps, converged = sweep_until_converged(factors, sites, tol, next_step, _MAX_SEQUENTIAL)
        result, n_iter, done = _update(factors, sites), n_iter + n_sweeps, "sequential"
    return _posterior(factors, sites, result, n_iter, converged, done)


def _in_parallel(factors: Factors, sites: NDArray, tol: float) -> tuple[NDArray, _Round, int, bool]:
    """Sites after rounds of parallel updates, their last round, its number, and whether they converged."""
    step, before = _LARGEST_STEP, np.inf
    for n_iter in range(1, _MAX_PARALLEL + 1):
        result = _update(factors, sites)
        converged = result.change < tol and result.all_proper
        if converged or n_iter == _MAX_PARALLEL:
            break
        step, before = next_step(step, before, result.change), result.change
        sites = sites + step * (result.sites - sites)
    return sites, result, n_iter, converged


def next_step(step: float, before: float, change: float) -> float:
    """Damping of the next update: half the step where the changes have grown, else a longer one."""
    return max(step / 2, _SMALLEST_STEP) if change > before else min(_GROWTH * step, _LARGEST_STEP)


def _update(factors: Factors, sites: NDArray) -> _Round:
    """Posterior, cavities, evidence and all site updates from one factorisation."""
    prior, directions = factors.prior, factors.directions
    precision, shift = factors.copies * sites
    mean, factor = gaussian_posterior(directions, precision, shift, prior.precision)
    m, v = latent_moments(directions, mean, factor)
    part = factors.taken * sites
    proper = 1 - part[0] * v > LEAST_CAVITY
    cavity_mean, cavity_var = cavity(m, v, *np.where(proper, part, 0.0))
    log_z, tilted_mean, tilted_var = factors.tilted(cavity_mean, cavity_var)
    matched = matched_sites(cavity_mean, cavity_var, tilted_mean, tilted_var)
    matched = np.where(proper, matched / factors.taken, sites)
    moved = factors.copies * np.abs(matched - sites) * np.stack([v, np.sqrt(v)])
    scales = log_scale(log_z, part[0], part[1], cavity_mean, cavity_var) * factors.copies / factors.taken
    log_evidence = log_integral(scales.sum() + 0.5 * m @ shift, factor, prior.precision)
    return _Round(mean, factor, m, log_evidence, matched, moved.max(), bool(proper.all()))


def _posterior(
    factors: Factors, sites: NDArray, result: _Round, n_iter: int, converged: bool, schedule: str
) -> EPPosterior:
    """Posterior of the last round, with the sites of the rows as precisions and residuals."""
    n_rows = len(factors.y)
    precision, shift = (factors.copies * sites)[:, :n_rows]
    rows = Sites(precision, shift - precision * result.latent[:n_rows])
    return EPPosterior(
        result.mean, result.factor, result.log_evidence, rows, n_iter, bool(converged), sites, schedule
    )
