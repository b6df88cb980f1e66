"""Expectation propagation for several classes: a Gaussian for each, joined by the factors of the rows."""

import numpy as np

from ..posterior import Sites, gaussian_posterior, latent_moments
from .engine import EPPosterior, next_step
from .sites import cavity, log_scale

_MAX_ROUNDS = 300
_FIRST_STEP = 0.8
# A site whose cavity has less than this share of the marginal precision is left as it is.
_LEAST_CAVITY = 1e-10


def joint_ep(likelihood, priors, Phis, y, weights, starts=None, tol=1e-2):
    """A posterior for each class; every row has one factor of all its latent values and a site for each.

    All sites are updated at once. Settled: none moves its marginal by more than ``tol`` standard
    deviations. The log evidences of the classes add up to that of all, of which they have equal shares where
    it cannot be told apart. A row of weight below one has that part of the sites of a whole one.
    """
    run = _Run(likelihood, priors, Phis, y, weights)
    sites, step, before = run.first_sites(starts), _FIRST_STEP, np.inf
    for n_iter in range(1, _MAX_ROUNDS + 1):
        wanted, change, all_proper = run.look(sites)
        settled = change < tol and all_proper
        if settled or n_iter == _MAX_ROUNDS:
            break
        step, before = next_step(step, before, change), change
        sites = sites + step * (wanted - sites)
    return run.posteriors(sites, n_iter, settled)


class _Run:
    """Sites are arrays (2, n_rows, n_classes) of precisions and shifts; see `look` for the rest."""

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
        """What the sites should be, how far they would move, and whether all cavities exist."""
        precisions, shifts = self.copies * sites
        self.gaussians = [
            gaussian_posterior(Phi, b, h, prior.precision)
            for Phi, b, h, prior in zip(self.Phis, precisions.T, shifts.T, self.priors, strict=True)
        ]
        pairs = zip(self.Phis, self.gaussians, strict=True)
        moments = [latent_moments(Phi, mean, factor) for Phi, (mean, factor) in pairs]
        self.latent, var = (np.column_stack(part) for part in zip(*moments, strict=True))
        part = np.minimum(self.copies, 1.0) * sites
        proper = (1 - part[0] * var > _LEAST_CAVITY).all(axis=1, keepdims=True)
        around = cavity(self.latent, var, *np.where(proper, part, 0.0))
        log_z, tilted_mean, tilted_var = self.likelihood.tilted_moments(self.y, *around)
        wanted = np.stack([1 / tilted_var - 1 / around[1], tilted_mean / tilted_var - around[0] / around[1]])
        wanted[0] = np.maximum(wanted[0], 0.0)
        wanted = np.where(proper, wanted, sites)
        scales = self.copies * log_scale(log_z[:, None] / len(self.Phis), *sites, *around)
        self.log_evidences = scales.sum(axis=0) + 0.5 * (self.latent * shifts).sum(axis=0)
        moved = self.copies * np.abs(wanted - sites) * np.stack([var, np.sqrt(var)])
        return wanted, moved.max(initial=0.0), bool(proper.all())

    def posteriors(self, sites, n_iter, settled):
        """Those of the last look."""
        result = []
        for k, ((mean, factor), prior) in enumerate(zip(self.gaussians, self.priors, strict=True)):
            volume = 0.5 * np.log(prior.precision).sum() - np.log(np.diag(factor)).sum()
            precision, shift = self.copies[:, 0] * sites[:, :, k]
            rows = Sites(precision, shift - precision * self.latent[:, k])
            log_evidence = float(self.log_evidences[k] + volume)
            result.append(
                EPPosterior(mean, factor, log_evidence, rows, n_iter, bool(settled), sites[:, :, k])
            )
        return result
