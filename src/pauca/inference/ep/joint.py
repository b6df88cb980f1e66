"""Expectation propagation for several classes: a Gaussian for each, joined by the factors of the rows."""

from dataclasses import dataclass

import numpy as np

from ...numerics import Accelerator
from ..posterior import Sites, gaussian_posterior, latent_moments, log_integral
from .engine import EPPosterior
from .sites import cavity, log_scale

_MAX_ROUNDS = 300
# How far sites go towards what they should be: shorter when they turn back, longer when they go on.
_LONGEST_STEP, _SHORTER, _LONGER = 0.4, 0.7, 1.1
# Changes so many times as large as the smallest lead nowhere.
_TOO_FAR = 10.0
# A site whose cavity has less than this share of the marginal precision is left as it is.
_LEAST_CAVITY = 1e-10


def joint_ep(likelihood, priors, Phis, y, weights, starts=None, tol=1e-2):
    """A posterior for each class; every row has one factor of all its latent values and a site for each.

    All sites are updated at once, in shorter steps from where they moved least should they move ever more.
    Settled: none moves its marginal by more than ``tol`` standard deviations. The log evidences of the
    classes add up to that of all, of which they have equal shares where it cannot be told apart. A row of
    weight below one has that part of the sites of a whole one.
    """
    run = _Run(likelihood, priors, Phis, y, weights)
    sites, step, move = run.first_sites(starts), _LONGEST_STEP, 0.0
    nearest, accelerator = None, Accelerator()
    for n_iter in range(1, _MAX_ROUNDS + 1):
        look = run.look(sites)
        if look.change < tol and look.all_proper:
            return run.posteriors(look, n_iter, True)
        if nearest is None or look.change <= nearest.change:
            nearest = look
        elif not look.change < _TOO_FAR * nearest.change:
            look, step = nearest, step / 4
            accelerator.forget()
        turns_back = np.sum(move * look.move) < 0
        step, move = min(step * (_SHORTER if turns_back else _LONGER), _LONGEST_STEP), look.move
        sites = accelerator.after(look.sites, look.sites + step * (look.wanted - look.sites), look.units)
        sites[0] = np.maximum(sites[0], 0.0)
    return run.posteriors(nearest, n_iter, False)


@dataclass(frozen=True)
class _Look:
    """Sites, what they should be, how far they would move in standard deviations of their marginals (times
    ``units``), whether all cavities exist; the Gaussians that they give, their latent values, and all of the
    log evidences but the volumes of these Gaussians."""

    sites: np.ndarray
    wanted: np.ndarray
    units: np.ndarray
    change: float
    all_proper: bool
    gaussians: list
    latent: np.ndarray
    log_evidences: np.ndarray

    @property
    def move(self):
        """Where the sites would go, in standard deviations."""
        return (self.units * (self.wanted - self.sites)).ravel()


class _Run:
    """Sites are arrays (2, n_rows, n_classes) of precisions and shifts."""

    def __init__(self, likelihood, priors, Phis, y, weights):
        self.likelihood, self.priors, self.Phis, self.y = likelihood, priors, Phis, y
        self.copies = weights[:, None]

    def first_sites(self, starts):
        """Those of the ``starts``, else empty ones."""
        shape = (2, len(self.y), len(self.Phis))
        if starts is None or any(start.sites is None for start in starts):
            return np.zeros(shape)
        return np.stack([start.sites for start in starts], axis=2)

    def look(self, sites):
        """The posterior of some sites, and what they should be."""
        gaussians, latent, var = self._gaussians(*(self.copies * sites))
        part = np.minimum(self.copies, 1.0) * sites
        proper = (1 - part[0] * var > _LEAST_CAVITY).all(axis=1, keepdims=True)
        mean, spread = cavity(latent, var, *np.where(proper, part, 0.0))
        log_z, tilted_mean, tilted_var = self.likelihood.tilted_moments(self.y, mean, spread)
        wanted = np.stack([1 / tilted_var - 1 / spread, tilted_mean / tilted_var - mean / spread])
        wanted[0] = np.maximum(wanted[0], 0.0)
        wanted = np.where(proper, wanted, sites)
        units = self.copies * np.stack([var, np.sqrt(var)])
        scales = log_scale(log_z[:, None] / len(self.Phis), sites[0], sites[1], mean, spread)
        log_evidences = (self.copies * (scales + 0.5 * latent * sites[1])).sum(axis=0)
        change = float((units * np.abs(wanted - sites)).max(initial=0.0))
        return _Look(sites, wanted, units, change, bool(proper.all()), gaussians, latent, log_evidences)

    def _gaussians(self, precisions, shifts):
        """Mean and factor of the weights of each class; means and variances of latent values."""
        parts = zip(self.Phis, precisions.T, shifts.T, self.priors, strict=True)
        gaussians = [gaussian_posterior(Phi, b, h, prior.precision) for Phi, b, h, prior in parts]
        pairs = zip(self.Phis, gaussians, strict=True)
        moments = [latent_moments(Phi, mean, factor) for Phi, (mean, factor) in pairs]
        return gaussians, *(np.column_stack(part) for part in zip(*moments, strict=True))

    def posteriors(self, look, n_iter, settled):
        """Those that were seen in a look."""
        result = []
        for k, ((mean, factor), prior) in enumerate(zip(look.gaussians, self.priors, strict=True)):
            sites = look.sites[:, :, k]
            precision, shift = self.copies[:, 0] * sites
            rows = Sites(precision, shift - precision * look.latent[:, k])
            log_evidence = log_integral(look.log_evidences[k], factor, prior.precision)
            result.append(EPPosterior(mean, factor, log_evidence, rows, n_iter, settled, sites))
        return result
