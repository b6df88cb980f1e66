"""Expectation propagation with a posterior that factorises over the weights, for many features and few rows.

A sweep costs n·d operations: rows are updated in turn, features all at once, and the sites of the prior once,
with damping. A prior site may have a negative precision, which is legitimate but can leave a row without a
cavity. Where that, or very many or nearly equal features, prevent convergence, a sum of single effects takes
its place, or for other priors the search starts again with negative precisions clipped.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...protocols import FactorisedPrior, check_parts
from .observations import Observations
from .single_effects import SingleEffectsPosterior, single_effects

__all__ = ["FactorisedPosterior", "factorised"]

# Precision of a prior site that replaces a negative one where these are clipped; set by hand.
_LEAST_PRECISION = 0.01
# Sweeps of which the smallest change must fall from one lot to the next; set by hand.
_PATIENCE = 20
# Features for each row from which single effects are used at once: sweeps seldom settle there, and their
# sites would take twice the memory of X. Set by hand, after tables of noise of 50 and 100 rows.
_VERY_WIDE = 300
# Prior variance of a weight below which single precision would lose what rows add to the prior; numerical
# guard.
_MIN_SINGLE_VARIANCE = 1e-4
# Number of single effects where they take the place of independent weights; customary.
_N_EFFECTS = 10


class Schedule(NamedTuple):
    """Damping of the updates of the prior sites.

    Parameters
    ----------
    name : str
        Name of the schedule.
    damping : float
        Share of an update that is made in the first sweep.
    decay : float
        Factor of that share from sweep to sweep.
    clip : bool
        Whether negative precisions are clipped.
    """

    name: str
    damping: float
    decay: float
    clip: bool

    def share(self, n_iter: int) -> float:
        """Share of an update that is made in the given sweep, counted from 1."""
        return self.damping * self.decay ** (n_iter - 1)


#: Schedules in the order in which they are tried; dampings are set by hand.
SCHEDULES = (
    Schedule("damped", 0.5, 1.0, False),
    Schedule("cut", 1.0, 1.0, True),
    Schedule("cut, slowing", 1.0, 0.99, True),
)


@dataclass(frozen=True)
class FactorisedPosterior:
    """Posterior Π_j Bern(γ_j | inclusion_j) N(w_j | mean_j, var_j) (thesis 7.9).

    Parameters
    ----------
    inclusion : ndarray of shape (n_features,)
        Posterior inclusion probabilities.
    mean, var : ndarray of shape (n_features,)
        Posterior means and variances of the weights.
    log_evidence : float
        Log evidence in nats; −inf where the sites diverged.
    n_iter : int
        Number of sweeps.
    converged : bool
        Whether the sites converged.
    schedule : str
        Name of the schedule that gave the result.
    """

    inclusion: NDArray
    mean: NDArray
    var: NDArray
    log_evidence: float
    n_iter: int
    converged: bool
    schedule: str


def factorised(
    observations: Observations, prior: FactorisedPrior, *, tol: float = 1e-3, max_iter: int = 200
) -> "FactorisedPosterior | SingleEffectsPosterior":
    """Expectation propagation with one Gaussian for each weight (thesis, section 7.3).

    Parameters
    ----------
    observations : Observations
        Rows and targets. ``X`` is float32 or float64; sites are stored and updated in the same precision, in
        double precision where a prior variance is tiny.
    prior : SpikeSlab
        Independent priors of the weights.
    tol : float, default=1e-3
        Largest change of an inclusion probability, or of a mean as a share of the largest mean, in a sweep
        without skipped rows at which the sites have converged.
    max_iter : int, default=200
        Most sweeps of each schedule.

    Returns
    -------
    posterior : FactorisedPosterior or SingleEffectsPosterior
        Result of the first schedule that converges; where none does, the one with the largest evidence.
    """
    check_parts("factorised", (prior, FactorisedPrior))
    n_rows, n_features = observations.X.shape
    has_effects = _has_effects(prior)
    results: list[Any] = []
    for schedule in SCHEDULES[int(has_effects and n_features > _VERY_WIDE * n_rows) :]:
        if schedule.clip and has_effects:
            n_effects, has_effects = min(_N_EFFECTS, n_features - 1), False
            results.append(single_effects(observations, prior, n_effects, tol=tol, max_iter=max_iter))
            if results[-1].converged:
                return results[-1]
        results.append(_converge(observations, prior, schedule, tol, max_iter))
        if results[-1].converged:
            return results[-1]
    return max(results, key=lambda posterior: posterior.log_evidence)


def _has_effects(prior: Any) -> bool:
    """Whether a sum of single effects can take the place of independent weights."""
    return prior.spike == 0 and bool((prior.inclusion[1:] < 1).all()) and prior.inclusion[0] == 1


def _stagnates(changes: list[float]) -> bool:
    """Whether the smallest change of some sweeps is no smaller than that of as many before."""
    recent, before = changes[-_PATIENCE:], changes[-2 * _PATIENCE : -_PATIENCE]
    return len(before) == _PATIENCE and min(recent) >= min(before)


def _converge(
    observations: Observations, prior: FactorisedPrior, schedule: Schedule, tol: float, max_iter: int
) -> FactorisedPosterior:
    """Posterior of sweeps from empty sites; where they diverge, the prior with a log evidence of −inf."""
    sites, converged, change, n_iter = _Sites(observations, prior), False, 0.0, 0
    changes: list[float] = []
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        while not (converged or _stagnates(changes)) and n_iter < max_iter and np.isfinite(change):
            n_iter += 1
            n_skipped = sites.update_rows()
            change = sites.update_prior(schedule.share(n_iter), schedule.clip)
            changes.append(change)
            converged = change < tol and n_skipped == 0
        moments, log_evidence = sites.summary()
    if not np.isfinite([log_evidence, moments.mean.sum(), moments.var.sum()]).all():
        nothing = np.zeros(len(prior.inclusion))
        moments, log_evidence, converged = prior.tilted(nothing, nothing), -np.inf, False
    return FactorisedPosterior(
        moments.inclusion, moments.mean, moments.var, log_evidence, n_iter, converged, schedule.name
    )


class _Sites:
    """Sites of all rows, sites of the prior, and the sums of both."""

    def __init__(self, observations: Observations, prior: FactorisedPrior) -> None:
        from .factorised_sweep import log_scales, sweep

        self._sweep: Callable = sweep
        self._log_scales: Callable = log_scales
        X = observations.X
        if prior.variance.min() <= _MIN_SINGLE_VARIANCE:
            X = X.astype(float, copy=False)
        self._observations, self._prior = observations._replace(X=X), prior
        self.precision, self.shift = np.zeros_like(X), np.zeros_like(X)
        self.prior_precision = (1 / prior.variance).astype(X.dtype)
        self.prior_shift = np.zeros(X.shape[1], dtype=X.dtype)
        self.total_precision, self.total_shift = self.prior_precision.copy(), self.prior_shift.copy()
        self._last = prior.tilted(self.prior_shift, self.prior_shift)

    def update_rows(self) -> int:
        """Sweep over the rows; returns how many were skipped."""
        sites = (self.precision, self.shift, self.total_precision, self.total_shift)
        return self._sweep(*self._observations, *sites)

    def update_prior(self, damping: float, clip: bool = False) -> float:
        """Update the sites of the prior; returns the largest change of a probability or of a mean."""
        precision = np.maximum(self.total_precision - self.prior_precision, 0)
        shift = self.total_shift - self.prior_shift
        moments = self._prior.tilted(precision, shift)
        change = self._change(moments)
        matched, matched_shift = 1 / moments.var - precision, moments.mean / moments.var - shift
        if clip:
            negative = matched < 0
            matched[negative] = _LEAST_PRECISION
            matched_shift[negative] = (moments.mean * (precision + _LEAST_PRECISION) - shift)[negative]
        self._move_prior(matched, matched_shift, precision, damping)
        self.total_precision[:] = precision + self.prior_precision
        self.total_shift[:] = shift + self.prior_shift
        return change

    def _change(self, moments: Any) -> float:
        """Largest difference of the moments from the last ones and from those of the sites."""
        others = self._last.mean, self.total_shift / self.total_precision
        moved = max(np.abs(moments.mean - other).max() for other in others)
        largest = np.abs(moments.mean).max()
        changed = np.abs(moments.inclusion - self._last.inclusion).max()
        self._last = moments
        return max(changed, moved / largest if largest else 0.0)

    def _move_prior(
        self, matched: NDArray, matched_shift: NDArray, precision: NDArray, damping: float
    ) -> None:
        """Damped update of the prior sites, undamped where the posterior would not be proper otherwise."""
        change, change_shift = matched - self.prior_precision, matched_shift - self.prior_shift
        whole = precision + self.prior_precision + damping * change <= 0
        for site, move in ((self.prior_precision, change), (self.prior_shift, change_shift)):
            site += damping * move
            site[whole] += (1 - damping) * move[whole]

    def summary(self) -> tuple[Any, float]:
        """Moments and log evidence (thesis 7.47, with the logarithm of every scale)."""
        precision, shift = (part.sum(axis=0, dtype=float) for part in (self.precision, self.shift))
        totals = precision + self.prior_precision, shift + self.prior_shift
        scales = self._log_scales(*self._observations, self.precision, self.shift, *totals)
        return self._prior.tilted(precision, shift), scales + self._prior.log_normaliser(precision, shift)
