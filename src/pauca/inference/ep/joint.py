"""Expectation propagation for several classes: a Gaussian for each, joined by the factors of the rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...numerics import Accelerator
from ..posterior import Sites, WarmStart, gaussian_posterior, latent_moments, log_integral
from ..protocols import GaussianPrior, JointTiltedLikelihood, check_parts
from .engine import EPPosterior
from .sites import LEAST_CAVITY, cavity, log_scale, matched_sites

# Most rounds of parallel updates; set by hand.
_MAX_ROUNDS = 300
# Damping of site updates: the largest step, and the factors by which it shrinks where sites reverse their
# direction and grows where they go on. Set by hand.
_LARGEST_STEP, _SHRINK, _GROWTH = 0.4, 0.7, 1.1
# Ratio of the change of a round to the smallest change so far from which the search goes back to the round
# of the smallest change, and the factor by which it then shortens the step. Set by hand.
_DIVERGED, _RESTART_SHRINK = 10.0, 0.25


def joint_ep(
    likelihood: JointTiltedLikelihood,
    priors: Sequence[GaussianPrior],
    Phis: Sequence[NDArray],
    y: NDArray,
    weights: NDArray,
    starts: Sequence[WarmStart] | None = None,
    tol: float = 1e-2,
) -> list[EPPosterior]:
    """One Gaussian for each class; every row has one factor of all its latent values and a site for each.

    All sites are updated in parallel; where they diverge, the search goes back to the round of the smallest
    change and takes shorter steps. The log evidences of the classes add up to the joint one, of which they
    have equal shares where it cannot be divided. A row of weight below one has that share of the sites of a
    row of weight one.

    Parameters
    ----------
    likelihood : MultinomialProbit
        Likelihood of one latent value per class, with ``tilted_moments``.
    priors : list of Prior
        Gaussian prior of the weights of each class.
    Phis : list of ndarray of shape (n_rows, n_weights)
        Design matrix of each class.
    y : ndarray of int of shape (n_rows,)
        Class codes.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    starts : list of WarmStart, optional
        Sites of each class to start from; by default empty ones.
    tol : float, default=1e-2
        Largest change of a site, in standard deviations of its marginal, at which the sites have converged.

    Returns
    -------
    posteriors : list of EPPosterior
    """
    check_parts(
        "joint_ep", (likelihood, JointTiltedLikelihood), *((prior, GaussianPrior) for prior in priors)
    )
    problem = _Problem(likelihood, priors, Phis, y, weights)
    sites, step, accelerator = problem.first_sites(starts), _LARGEST_STEP, Accelerator()
    move: NDArray | float = 0.0
    nearest: _Round | None = None
    for n_iter in range(1, _MAX_ROUNDS + 1):
        result = problem.update(sites)
        if result.change < tol and result.all_proper:
            return problem.posteriors(result, n_iter, True)
        if nearest is None or result.change <= nearest.change:
            nearest = result
        elif not result.change < _DIVERGED * nearest.change:
            result, step = nearest, step * _RESTART_SHRINK
            accelerator.forget()
        reverses = np.sum(move * result.move) < 0
        step, move = min(step * (_SHRINK if reverses else _GROWTH), _LARGEST_STEP), result.move
        damped = result.sites + step * (result.matched - result.sites)
        sites = accelerator.after(result.sites, damped, result.units)
        sites[0] = np.maximum(sites[0], 0.0)
    assert nearest is not None  # there is at least one round
    return problem.posteriors(nearest, n_iter, False)


@dataclass(frozen=True)
class _Round:
    """Sites, the ``matched`` sites that should replace them, and the posterior that they give.

    Sites times ``units`` are in standard deviations of their marginals, ``change`` is the largest change in
    these units. ``gaussians`` are mean and factor of the weights of each class, ``latent`` the latent means,
    ``log_peaks`` the log evidences but for the volumes of the Gaussians.
    """

    sites: NDArray
    matched: NDArray
    units: NDArray
    change: float
    all_proper: bool
    gaussians: list[tuple[NDArray, NDArray]]
    latent: NDArray
    log_peaks: NDArray

    @property
    def move(self) -> NDArray:
        """Undamped change of all sites, in standard deviations."""
        return (self.units * (self.matched - self.sites)).ravel()


class _Problem:
    """Arguments of `joint_ep`; sites are arrays (2, n_rows, n_classes) of precisions and shifts."""

    def __init__(
        self,
        likelihood: JointTiltedLikelihood,
        priors: Sequence[GaussianPrior],
        Phis: Sequence[NDArray],
        y: NDArray,
        weights: NDArray,
    ) -> None:
        self.likelihood, self.priors, self.Phis, self.y = likelihood, priors, Phis, y
        self.copies = weights[:, None]

    def first_sites(self, starts: Sequence[WarmStart] | None) -> NDArray:
        """Sites of the ``starts``, or empty ones."""
        found = [] if starts is None else [start.sites for start in starts if start.sites is not None]
        if len(found) < len(self.Phis):
            return np.zeros((2, len(self.y), len(self.Phis)))
        return np.stack(found, axis=2)

    def update(self, sites: NDArray) -> _Round:
        """Posterior, cavities, evidence and all site updates from one factorisation for each class."""
        gaussians, latent, var = self._gaussians(*(self.copies * sites))
        part = np.minimum(self.copies, 1.0) * sites
        proper = (1 - part[0] * var > LEAST_CAVITY).all(axis=1, keepdims=True)
        mean, spread = cavity(latent, var, *np.where(proper, part, 0.0))
        log_z, tilted_mean, tilted_var = self.likelihood.tilted_moments(self.y, mean, spread)
        matched = np.where(proper, matched_sites(mean, spread, tilted_mean, tilted_var), sites)
        units = self.copies * np.stack([var, np.sqrt(var)])
        scales = log_scale(log_z[:, None] / len(self.Phis), sites[0], sites[1], mean, spread)
        log_peaks = (self.copies * (scales + 0.5 * latent * sites[1])).sum(axis=0)
        change = float((units * np.abs(matched - sites)).max(initial=0.0))
        return _Round(sites, matched, units, change, bool(proper.all()), gaussians, latent, log_peaks)

    def _gaussians(
        self, precisions: NDArray, shifts: NDArray
    ) -> tuple[list[tuple[NDArray, NDArray]], NDArray, NDArray]:
        """Mean and factor of the weights of each class; means and variances of the latent values."""
        parts = zip(self.Phis, precisions.T, shifts.T, self.priors, strict=True)
        gaussians = [gaussian_posterior(Phi, b, h, prior.precision) for Phi, b, h, prior in parts]
        pairs = zip(self.Phis, gaussians, strict=True)
        moments = [latent_moments(Phi, mean, factor) for Phi, (mean, factor) in pairs]
        latent, var = (np.column_stack(part) for part in zip(*moments, strict=True))
        return gaussians, latent, var

    def posteriors(self, result: _Round, n_iter: int, converged: bool) -> list[EPPosterior]:
        """Posterior of each class in a round."""
        posteriors = []
        for k, ((mean, factor), prior) in enumerate(zip(result.gaussians, self.priors, strict=True)):
            sites = result.sites[:, :, k]
            precision, shift = self.copies[:, 0] * sites
            rows = Sites(precision, shift - precision * result.latent[:, k])
            log_evidence = log_integral(result.log_peaks[k], factor, prior.precision)
            posteriors.append(EPPosterior(mean, factor, log_evidence, rows, n_iter, converged, sites))
        return posteriors
