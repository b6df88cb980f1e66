"""Expectation propagation over the latent values of several classes, which share one design."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...numerics import (
    Accelerator,
    add_to_diagonal,
    half_log_det,
    robust_cholesky,
    solve_with_factor,
    squared_lengths_within,
)
from ..ep.sites import LEAST_CAVITY, cavity, log_scale, matched_sites
from ..protocols import JointTiltedLikelihood, check_parts
from .priors import DesignPrior
from .result import left_out, steady_step

# Most rounds, and the damping of the first one; set by hand.
_MAX_ROUNDS, _FIRST_STEP, _LARGEST_STEP = 100, 0.5, 0.8
# Precision of a site, as a share of the largest of its class, below which its row is left out of the normal
# equations; numerical guard.
_NEGLIGIBLE = 1e-9
# Bounds of the variance of a cavity; numerical guards.
_LEAST_VARIANCE, _LARGEST_VARIANCE = 1e-10, 1e8
# Change of a site, in standard deviations of its marginal, up to which rounds that went on too long have
# nearly converged; set by hand.
_NEARLY = 0.1


class ClassFits(NamedTuple):
    """Gaussian weights of each class, and the sites of the rows.

    Parameters
    ----------
    means : ndarray of shape (n_classes, n_weights)
        Posterior means.
    factors : list of ndarray of shape (n_weights, n_weights)
        Lower Cholesky factors of the posterior precisions.
    sites : ndarray of shape (2, n_rows, n_classes)
        Precisions and shifts of the sites of rows of weight one.
    latent : tuple of two ndarrays of shape (n_rows, n_classes)
        Means and variances of Φ w_k of each row.
    log_evidence : float
        Approximate log evidence in nats.
    converged : bool
        Whether the sites converged, or nearly so.
    """

    means: NDArray
    factors: list[NDArray]
    sites: NDArray
    latent: tuple[NDArray, NDArray]
    log_evidence: float
    converged: bool

    def left_out(self, weights: NDArray) -> tuple[NDArray, NDArray]:
        """Means and variances of Φ w_k at each row given all observations but one of that row."""
        return left_out(*self.latent, self.sites, weights)


def joint_latent_ep(
    likelihood: Any,
    prior: DesignPrior,
    offsets: NDArray,
    y: NDArray,
    weights: NDArray,
    start: NDArray | None = None,
    tol: float = 1e-2,
    max_rounds: int | None = None,
) -> ClassFits:
    """One Gaussian for each class; every row has one factor of all its latent values and a site for each.

    Parameters
    ----------
    likelihood : MultinomialProbit
        Likelihood of one latent value per class, with ``tilted_moments``.
    prior : DesignPrior
        Prior of the latent values of each class.
    offsets : ndarray of shape (n_classes,)
        Prior means of the latent values.
    y : ndarray of int of shape (n_rows,)
        Class codes.
    weights : ndarray of shape (n_rows,)
        Weights of the rows; one below one has that share of the site of a row of weight one.
    start : ndarray of shape (2, n_rows, n_classes), optional
        Sites to start from; by default empty ones.
    tol : float, default=1e-2
        Largest change of a site, in standard deviations of its marginal, at which the sites have converged.
    max_rounds : int, optional
        Most rounds; by default a hundred.

    Returns
    -------
    fits : ClassFits
    """
    check_parts("joint_latent_ep", (likelihood, JointTiltedLikelihood))
    problem = JointProblem(likelihood, prior, offsets, y, weights)
    sites = np.zeros((2, len(y), len(offsets))) if start is None else start
    step, before, accelerator = _FIRST_STEP, np.inf, Accelerator()
    nearest: _Round | None = None
    for _ in range(max_rounds or _MAX_ROUNDS):
        found = problem.round(sites)
        if nearest is None or found.change <= nearest.change:
            nearest = found
        if found.change < tol:
            break
        step, before = steady_step(step, before, found.change, _LARGEST_STEP), found.change
        damped = sites + step * (found.matched - sites)
        sites = accelerator.after(sites, damped, found.units)
        sites[0] = np.maximum(sites[0], 0.0)
        if not np.isfinite(sites).all():  # the nearest round is what there is
            break
    assert nearest is not None  # there is at least one round
    means, factors, latent = nearest.means, nearest.factors, nearest.latent
    return ClassFits(means, factors, nearest.sites, latent, nearest.log_evidence, nearest.change < _NEARLY)


class _Round(NamedTuple):
    """Sites, those that match the tilted moments, units of standard deviations, and the posterior."""

    sites: NDArray
    matched: NDArray
    units: NDArray
    change: float
    means: NDArray
    factors: list[NDArray]
    latent: tuple[NDArray, NDArray]
    log_evidence: float


class JointProblem:
    """Arguments of `joint_latent_ep`, and rounds of it."""

    def __init__(
        self, likelihood: Any, prior: DesignPrior, offsets: NDArray, y: NDArray, weights: NDArray
    ) -> None:
        self.likelihood, self.prior, self.offsets, self.y = likelihood, prior, offsets, y
        self.copies = weights[:, None]
        self.left = np.broadcast_to(prior.left, len(y))[:, None]

    def round(self, sites: NDArray) -> _Round:
        """Posterior, cavities, evidence and matched sites."""
        precisions, shifts = self.copies * sites
        parts = [self._gaussian(b, h) for b, h in zip(precisions.T, shifts.T, strict=True)]
        means, factors = np.array([mean for mean, _ in parts]), [factor for _, factor in parts]
        m = self.prior.design @ means.T
        v = squared_lengths_within(factors, self.prior.design)
        part = np.minimum(self.copies, 1.0) * sites
        proper = (1 - part[0] * v > LEAST_CAVITY).all(axis=1, keepdims=True)
        mean, var = cavity(m, np.maximum(v, _LEAST_VARIANCE), *np.where(proper, part, 0.0))
        log_z, tilted_mean, tilted_var = self._tilted(mean, var)
        matched = matched_sites(mean, var, tilted_mean, tilted_var)
        matched = np.where(proper & np.isfinite(matched).all(axis=0), matched, sites)
        units = self.copies * np.stack([v, np.sqrt(v)])
        scales = log_scale(log_z[:, None] / len(self.offsets), sites[0], sites[1], mean, var)
        log_evidence = (self.copies * (scales + 0.5 * m * sites[1])).sum() - sum(map(half_log_det, factors))
        change = float((units * np.abs(matched - sites)).max(initial=0.0))
        return _Round(sites, matched, units, change, means, factors, (m, v), float(log_evidence))

    def _gaussian(self, precision: NDArray, shift: NDArray) -> tuple[NDArray, NDArray]:
        """Mean and factor of the weights of one class."""
        rows = precision > _NEGLIGIBLE * precision.max(initial=0.0)
        half = np.sqrt(precision[rows])[:, None] * self.prior.design[rows]
        factor = robust_cholesky(add_to_diagonal(half.T @ half, 1.0))
        return solve_with_factor(factor, self.prior.design.T @ shift), factor

    def _tilted(self, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """log Z, means and variances of Φw times the likelihood of f = offset + Φw + e."""
        var = np.clip(var, _LEAST_VARIANCE, _LARGEST_VARIANCE)
        whole, total = self.offsets + mean, var + self.left
        log_z, tilted_mean, tilted_var = self.likelihood.tilted_moments(self.y, whole, total)
        share = var / total
        return log_z, mean + share * (tilted_mean - whole), var + share * share * (tilted_var - total)
