"""Expectation propagation with a full covariance: all sites at once, in turn where that does not settle."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..posterior import Posterior, Sites, WarmStart, gaussian_posterior, latent_moments, log_integral
from .sites import cavity, log_scale

SCHEDULES = ("auto", "parallel", "sequential")
_MAX_PARALLEL = 100
_MAX_SEQUENTIAL = 100
_FIRST_STEP = 0.8
_SMALLEST_STEP = 0.05
_GROWTH = 1.2
# A site whose cavity has less than this share of the marginal precision is left as it is.
_LEAST_CAVITY = 1e-10


@dataclass(frozen=True)
class EPPosterior(Posterior):
    """Gaussian posterior with the sites behind it: precisions and shifts, those of the rows first.

    The sites of the weights follow, where the prior has factors of its own.
    """

    all_sites: np.ndarray = field(default_factory=lambda: np.empty((2, 0)))
    schedule: str = "parallel"

    @property
    def weight_sites(self):
        sites = self.all_sites[:, len(self.sites.precision) :]
        return tuple(sites) if sites.shape[1] else super().weight_sites

    def warm_start(self, stays, n_added):
        """Sites of the rows stay, those of the remaining weights too; a new weight has an empty one."""
        rows, weights = np.split(self.all_sites, [len(self.sites.precision)], axis=1)
        if weights.shape[1]:
            weights = np.hstack([weights[:, stays], np.zeros((2, n_added))])
        return WarmStart(np.append(self.mean[stays], np.zeros(n_added)), np.hstack([rows, weights]))


@dataclass(frozen=True)
class Factors:
    """The factors of a posterior that are no Gaussians: t_k(a_k · w), once or ``copies`` times.

    The rows a_k of ``directions`` are those of Φ for the likelihood, followed, where the prior has factors of
    its own, by the unit vectors.
    """

    likelihood: Any
    prior: Any
    directions: np.ndarray
    y: np.ndarray
    copies: np.ndarray

    @classmethod
    def of(cls, likelihood, prior, Phi, y, weights):
        """The factors of likelihood and prior."""
        if not prior.has_factors:
            return cls(likelihood, prior, Phi, y, weights)
        n_weights = Phi.shape[1]
        directions = np.vstack([Phi, np.eye(n_weights)])
        return cls(likelihood, prior, directions, y, np.append(weights, np.ones(n_weights)))

    @cached_property
    def taken(self):
        """How much of a site its cavity is without: one copy, or what there is of it."""
        return np.where(self.copies > 0, np.minimum(self.copies, 1.0), 1.0)

    def tilted(self, mean, var):
        """log Z, mean and variance of every factor times its cavity N(mean, var)."""
        n_rows = len(self.y)
        rows = self._tilted_rows(mean[:n_rows], var[:n_rows])
        if len(mean) == n_rows:
            return rows
        weights = self.prior.tilted_moments(mean[n_rows:], var[n_rows:])
        return tuple(np.concatenate(parts) for parts in zip(rows, weights, strict=True))

    def _tilted_rows(self, mean, var):
        moments = self.likelihood.tilted_moments(self.y, mean, var)
        part = np.flatnonzero(self.taken[: len(self.y)] < 1)
        if len(part):
            partial = self.likelihood.tempered_moments(self.y[part], mean[part], var[part], self.taken[part])
            for whole, values in zip(moments, partial, strict=True):
                whole[part] = values
        return moments


@dataclass(frozen=True)
class _Round:
    """The posterior that the sites give, the log evidence, and what the sites should be."""

    mean: np.ndarray
    factor: np.ndarray
    latent: np.ndarray
    log_evidence: float
    sites: np.ndarray
    change: float
    all_proper: bool


def ep(likelihood, prior, Phi, y, weights, start=None, tol=1e-2, schedule="auto"):
    """Gaussian whose moments agree with those of every factor times the rest (PARD 2004, eq. 4-11).

    Sites begin where ``start`` has them, or empty. ``schedule="parallel"`` updates all from one
    factorisation, "sequential" one after the other, "auto" in parallel and, should that not settle, in
    turn. Settled: no site moves its marginal by more than ``tol`` standard deviations.
    """
    factors = Factors.of(likelihood, prior, Phi, y, weights)
    sites = np.zeros((2, len(factors.copies))) if start is None or start.sites is None else start.sites
    n_iter, settled, done = 0, False, "parallel"
    if schedule != "sequential":
        sites, result, n_iter, settled = _all_at_once(factors, sites, tol)
    if not settled and schedule != "parallel":
        sites, n_sweeps, settled = _in_turn(factors, sites, tol)
        result, n_iter, done = _look(factors, sites), n_iter + n_sweeps, "sequential"
    return _posterior(factors, sites, result, n_iter, settled, done)


def _all_at_once(factors, sites, tol):
    """Rounds of parallel updates."""
    step, before = _FIRST_STEP, np.inf
    for n_iter in range(1, _MAX_PARALLEL + 1):
        result = _look(factors, sites)
        settled = result.change < tol and result.all_proper
        if settled or n_iter == _MAX_PARALLEL:
            break
        step, before = next_step(step, before, result.change), result.change
        sites = sites + step * (result.sites - sites)
    return sites, result, n_iter, settled


def next_step(step, before, change):
    """How far to go towards the new sites: half as far when the changes have grown, else further again."""
    return max(step / 2, _SMALLEST_STEP) if change > before else min(_GROWTH * step, _FIRST_STEP)


def _look(factors, sites):
    """One factorisation: posterior, cavities, evidence and all updates."""
    prior, directions = factors.prior, factors.directions
    precision, shift = factors.copies * sites
    mean, factor = gaussian_posterior(directions, precision, shift, prior.precision)
    m, v = latent_moments(directions, mean, factor)
    part = factors.taken * sites
    proper = 1 - part[0] * v > _LEAST_CAVITY
    cavity_mean, cavity_var = cavity(m, v, *np.where(proper, part, 0.0))
    log_z, tilted_mean, tilted_var = factors.tilted(cavity_mean, cavity_var)
    wanted = np.stack([1 / tilted_var - 1 / cavity_var, tilted_mean / tilted_var - cavity_mean / cavity_var])
    wanted[0] = np.maximum(wanted[0], 0.0)
    wanted = np.where(proper, wanted / factors.taken, sites)
    moved = factors.copies * np.abs(wanted - sites) * np.stack([v, np.sqrt(v)])
    scales = log_scale(log_z, part[0], part[1], cavity_mean, cavity_var) * factors.copies / factors.taken
    log_evidence = log_integral(scales.sum() + 0.5 * m @ shift, factor, prior.precision)
    return _Round(mean, factor, m, log_evidence, wanted, moved.max(), bool(proper.all()))


def _in_turn(factors, sites, tol):
    """Sweeps over all sites, the posterior updated after each of them."""
    from .sequential import sweep_until_settled

    return sweep_until_settled(factors, sites, tol, next_step, _MAX_SEQUENTIAL, _LEAST_CAVITY)


def _posterior(factors, sites, result, n_iter, settled, schedule):
    n_rows = len(factors.y)
    precision, shift = (factors.copies * sites)[:, :n_rows]
    rows = Sites(precision, shift - precision * result.latent[:n_rows])
    return EPPosterior(
        result.mean, result.factor, result.log_evidence, rows, n_iter, bool(settled), sites, schedule
    )
