"""Final fits of Bayes machines: over all training rows, or over a small active set of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...inference.ep import DualPosterior, EPMode, dual_ep, dual_kernel
from ...selection import select_active_set
from .label_noise import UnsettledError, first_settled

# Largest loss, in nats a row, of the log probability of inactive labels at which the sites of the active
# rows are settled anew: few rows at the border of the classes may look like nothing but noise. Set by hand,
# not tuned.
_MAX_LOSS = 0.02
# Number of rows among which active ones are sought, and its least multiple of the size of the active set; set
# by hand for the time of a fit, after 3000 to 4000 rows of spam, magic, twonorm and ringnorm.
_MOST_CANDIDATES, _CANDIDATES_SHARE = 1500, 5


@dataclass(frozen=True)
class RowFit:
    """Posterior of one latent function over some active ``rows``, and the flip probabilities of all rows."""

    rows: NDArray
    posterior: DualPosterior
    flip: NDArray
    n_iter: int
    converged: bool
    n_passes: int = 0
    settled: bool = True


@dataclass(frozen=True)
class AllRows:
    """Expectation propagation over all rows, in the first mode that settles."""

    tol: float
    max_iter: int

    def __call__(self, gram, likelihood, weights, modes: Sequence[EPMode], start: Any) -> RowFit:
        rows, options = np.arange(len(weights)), {"tol": self.tol, "max_iter": self.max_iter}
        posterior = settle(gram.block(rows), likelihood, weights, modes, start=start, **options)
        return RowFit(rows, posterior, posterior.flip, posterior.n_iter, posterior.converged)


@dataclass(frozen=True)
class ActiveRows:
    """Expectation propagation over an active set that is chosen greedily and refined by exchanges.

    Parameters
    ----------
    size : int
        Number of active rows.
    growth : float or None
        Least growth of the log evidence, in nats a row, at which rows are added; None: up to ``size``.
    expected : bool
        Whether rows are scored with their label averaged out.
    max_passes : int
        Limit on refining passes.
    refine : bool
        Whether active rows are exchanged and their sites settled; False gives the informative vector machine.
    tol : float
        Largest change of a site, in posterior standard deviations, at which expectation propagation ends.
    max_iter : int
        Limit on the number of sweeps in each mode.
    unconditional : bool
        Whether exchanges are made for more informative rows even where labels are predicted worse.
    """

    size: int
    growth: float | None
    expected: bool
    max_passes: int
    refine: bool
    tol: float
    max_iter: int
    unconditional: bool = False

    def __call__(self, gram, likelihood, weights, modes: Sequence[EPMode], start: Any) -> RowFit:
        pool = self._pool(len(weights))
        active = select_active_set(
            gram.part(pool),
            likelihood,
            weights[pool],
            self.size,
            expected=self.expected,
            max_passes=self.max_passes if self.refine else 0,
            growth=self.growth,
            strata=gram.y[pool] if self.expected else None,
            unconditional=self.unconditional,
        )
        rows = pool[active.rows]
        C, own = gram.block(rows), weights[rows]
        first = dual_ep(C, likelihood, own, start=active.sites, max_iter=0)
        predicted, flips = _all_rows(gram, rows, first, weights)
        if not self.refine:
            return RowFit(rows, first, flips, 1, True)
        options = {"start": active.sites, "tol": self.tol, "max_iter": self.max_iter}
        last = settle(C, likelihood, own, modes, **options)
        predicted_last, flips_last = _all_rows(gram, rows, last, weights)
        if predicted_last < predicted - _MAX_LOSS * (weights.sum() - own.sum()):
            return RowFit(rows, first, flips, 1, False, active.n_passes, active.settled)
        return RowFit(rows, last, flips_last, last.n_iter, last.converged, active.n_passes, active.settled)

    def _pool(self, n_rows: int) -> NDArray:
        """Rows among which active ones are sought: all, or a random part of many."""
        size = max(_MOST_CANDIDATES, _CANDIDATES_SHARE * min(self.size, n_rows))
        if n_rows <= size:
            return np.arange(n_rows)
        return np.sort(np.random.default_rng(0).choice(n_rows, size, replace=False))


def _all_rows(gram, rows, posterior, weights):
    """Log probability of the labels of inactive rows, and flip probabilities of all rows."""
    columns = gram.columns(rows)
    kernel = dual_kernel(columns[rows], posterior.sites[:, 0])
    explained = ((columns @ kernel) * columns).sum(axis=1)
    var = np.maximum(gram.diagonal - explained, 1e-12 * gram.diagonal)
    log_z, flips, _, _ = posterior.noise.tilt(columns @ posterior.coef, var, weights=weights)
    flips[rows] = posterior.flip
    return np.delete(log_z, rows).sum(), flips


def settle(C: NDArray, likelihood: Any, weights: NDArray, modes: Sequence[EPMode], **options: Any):
    """Posterior in the first of the modes in which expectation propagation settles, else in the last."""

    def attempt(mode, is_last):
        posterior = dual_ep(C, likelihood, weights, mode, **options)
        if not (posterior.converged or is_last):
            raise UnsettledError
        return posterior

    return first_settled(attempt, modes)
