"""A posterior that factorises over the weights: n·d numbers a sweep, for many features and few rows.

Rows are visited in turn, features all at once, the prior once a sweep with damping. A prior site may have a
negative precision, which is legitimate but can leave a row without a cavity. If that, or features that are
all but equal, keep the sites from settling, they start again with the negative precisions cut.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

__all__ = ["FactorisedPosterior", "Observations", "factorised"]

# What a negative precision of a prior site is replaced by, if it is cut.
_LEAST_PRECISION = 0.01


class Schedule(NamedTuple):
    """How prior sites move: the share of the way, how it shrinks with the sweeps, and whether negative
    precisions are cut."""

    name: str
    damping: float
    decay: float
    cut: bool

    def share(self, n_iter):
        """The share of the way in the given sweep, from 1 on."""
        return self.damping * self.decay ** (n_iter - 1)


SCHEDULES = (
    Schedule("damped", 0.5, 1.0, False),
    Schedule("cut", 1.0, 1.0, True),
    Schedule("cut, slowing", 1.0, 0.99, True),
)


class Observations(NamedTuple):
    """Rows, labels ±1 (or numbers with Gaussian noise of the given variance) and weights."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    noise: float = 0.0


@dataclass(frozen=True)
class FactorisedPosterior:
    """Π_j Bern(γ_j | inclusion_j) N(w_j | mean_j, var_j) (thesis 7.9), and how it was found."""

    inclusion: np.ndarray
    mean: np.ndarray
    var: np.ndarray
    log_evidence: float
    n_iter: int
    converged: bool
    schedule: str


def factorised(observations, prior, *, tol=1e-3, max_iter=200):
    """Expectation propagation with one Gaussian for each weight (thesis, section 7.3).

    Parameters
    ----------
    observations : Observations
        ``X`` is float32 or float64; sites are kept, and rows are visited, in the same precision.
    prior : SpikeSlab
        Gives the moments of each weight under its own factor.
    tol : float
        The sites have settled when no probability, and no mean by more than this share of the largest,
        changes by more in a sweep in which no row was skipped.
    max_iter : int
        Sweeps for each schedule.

    Returns
    -------
    FactorisedPosterior
        Of the first schedule that settles; if none does, the one with the largest evidence.
    """
    best = None
    for schedule in SCHEDULES:
        posterior = _settle(observations, prior, schedule, tol, max_iter)
        if posterior.converged:
            return posterior
        if best is None or posterior.log_evidence > best.log_evidence:
            best = posterior
    return best


def _settle(observations, prior, schedule, tol, max_iter):
    """Sweep from empty sites until nothing changes; sites that run away leave the prior, and no evidence."""
    sites, settled, change, n_iter = _Sites(observations, prior), False, 0.0, 0
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        while not settled and n_iter < max_iter and np.isfinite(change):
            n_iter += 1
            n_skipped = sites.visit_rows()
            change = sites.visit_prior(schedule.share(n_iter), schedule.cut)
            settled = change < tol and n_skipped == 0
        moments, log_evidence = sites.summary()
    if not np.isfinite([log_evidence, moments.mean.sum(), moments.var.sum()]).all():
        nothing = np.zeros(len(prior.inclusion))
        moments, log_evidence, settled = prior.tilted(nothing, nothing), -np.inf, False
    return FactorisedPosterior(
        moments.inclusion, moments.mean, moments.var, log_evidence, n_iter, settled, schedule.name
    )


class _Sites:
    """Sites of all rows, in the precision of X, and of the prior, and their totals."""

    def __init__(self, observations, prior):
        from .factorised_sweep import log_scales, sweep

        self._sweep: Callable = sweep
        self._log_scales: Callable = log_scales
        self._observations, self._prior = observations, prior
        X = observations.X
        self.precision, self.shift = np.zeros_like(X), np.zeros_like(X)
        self.prior_precision = (1 / prior.variance).astype(X.dtype)
        self.prior_shift = np.zeros(X.shape[1], dtype=X.dtype)
        self.total_precision, self.total_shift = self.prior_precision.copy(), self.prior_shift.copy()
        self._last = prior.tilted(self.prior_shift, self.prior_shift)

    def visit_rows(self):
        """One sweep over the rows; how many were skipped."""
        sites = (self.precision, self.shift, self.total_precision, self.total_shift)
        return self._sweep(*self._observations, *sites)

    def visit_prior(self, damping, cut=False):
        """Update the sites of the prior; the largest change of a probability, or of a mean."""
        precision = np.maximum(self.total_precision - self.prior_precision, 0)
        shift = self.total_shift - self.prior_shift
        moments = self._prior.tilted(precision, shift)
        change = self._change(moments)
        wanted, wanted_shift = 1 / moments.var - precision, moments.mean / moments.var - shift
        if cut:
            negative = wanted < 0
            wanted[negative] = _LEAST_PRECISION
            wanted_shift[negative] = (moments.mean * (precision + _LEAST_PRECISION) - shift)[negative]
        self._move_prior(wanted, wanted_shift, precision, damping)
        self.total_precision[:] = precision + self.prior_precision
        self.total_shift[:] = shift + self.prior_shift
        return change

    def _change(self, moments):
        """How far the posterior is from the last one, and from what the prior says it should be."""
        others = self._last.mean, self.total_shift / self.total_precision
        moved = max(np.abs(moments.mean - other).max() for other in others)
        largest = np.abs(moments.mean).max()
        changed = np.abs(moments.inclusion - self._last.inclusion).max()
        self._last = moments
        return max(changed, moved / largest if largest else 0.0)

    def _move_prior(self, wanted, wanted_shift, precision, damping):
        """Go a share of the way; all of it where the share would leave no proper posterior."""
        way, way_shift = wanted - self.prior_precision, wanted_shift - self.prior_shift
        whole = precision + self.prior_precision + damping * way <= 0
        for site, move in ((self.prior_precision, way), (self.prior_shift, way_shift)):
            site += damping * move
            site[whole] += (1 - damping) * move[whole]

    def summary(self):
        """Moments and log evidence (thesis 7.47, with every scale in logs)."""
        precision, shift = (part.sum(axis=0, dtype=float) for part in (self.precision, self.shift))
        totals = precision + self.prior_precision, shift + self.prior_shift
        scales = self._log_scales(*self._observations, self.precision, self.shift, *totals)
        return self._prior.tilted(precision, shift), scales + self._prior.log_normaliser(precision, shift)
