"""Expectation propagation one site at a time, compiled where the factors have compiled moments."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...numerics import solve_with_factor
from ..posterior import gaussian_posterior
from .factors import Factors
from .sites import LEAST_CAVITY


def sweep_until_converged(
    factors: Factors,
    sites: NDArray,
    tol: float,
    next_step: Callable[[float, float, float], float],
    max_sweeps: int,
) -> tuple[NDArray, int, bool]:
    """Sites after sequential sweeps, the covariance being recomputed after each sweep.

    Parameters
    ----------
    factors : Factors
        Factors of the posterior that are not Gaussian.
    sites : ndarray of shape (2, n_factors)
        Precisions and shifts to start from.
    tol : float
        Largest change of a site, in standard deviations of its marginal, at which the sites have converged.
    next_step : callable
        Damping of the next sweep from the last damping and the last two changes.
    max_sweeps : int
        Most sweeps.

    Returns
    -------
    sites : ndarray of shape (2, n_factors)
    n_sweeps : int
    converged : bool
    """
    sweep, row_moments, weight_moments = _compiled(factors) or _interpreted(factors)
    sites = sites.copy()
    directions, identity = np.ascontiguousarray(factors.directions), np.eye(factors.directions.shape[1])
    step, before = 1.0, np.inf
    for n_sweeps in range(1, max_sweeps + 1):
        precision, shift = factors.copies * sites
        mean, factor = gaussian_posterior(directions, precision, shift, factors.prior.precision)
        covariance = np.ascontiguousarray(solve_with_factor(factor, identity))
        change, n_skipped = sweep(
            *(directions, factors.y, factors.copies, factors.taken, sites, covariance, mean),
            *(row_moments, weight_moments, LEAST_CAVITY, step),
        )
        step, before = next_step(step, before, change), change
        if change < tol and n_skipped == 0:
            return sites, n_sweeps, True
    return sites, max_sweeps, False


def sweep_once(
    directions, y, copies, taken, sites, covariance, mean, row_moments, weight_moments, least_cavity, step
):
    """Update every site once, in place; returns the largest change and the number of sites skipped."""
    n_rows, largest, n_skipped = len(y), 0.0, 0
    for k in range(len(copies)):
        if k == n_rows or copies[k] == 0:  # the bias has no factor of its own
            continue
        along = covariance @ directions[k]
        v, m = directions[k] @ along, directions[k] @ mean
        share = 1 - taken[k] * sites[0, k] * v
        if share <= least_cavity:
            n_skipped += 1
            continue
        cavity_mean, cavity_var = (m - v * taken[k] * sites[1, k]) / share, v / share
        if k < n_rows:
            tilted_mean, tilted_var = row_moments(y[k], cavity_mean, cavity_var, taken[k])
        else:
            tilted_mean, tilted_var = weight_moments(cavity_mean, cavity_var)
        precision = max((1 / tilted_var - 1 / cavity_var) / taken[k], 0.0)
        shift = (tilted_mean / tilted_var - cavity_mean / cavity_var) / taken[k]
        precision_step, shift_step = step * (precision - sites[0, k]), step * (shift - sites[1, k])
        sites[0, k] += precision_step
        sites[1, k] += shift_step
        more, further = copies[k] * precision_step, copies[k] * shift_step
        spread = 1 + more * v
        mean += along * ((further - more * m) / spread)
        covariance -= np.outer(along, along) * (more / spread)
        largest = max(largest, abs(more) * v, abs(further) * np.sqrt(v))
    return largest, n_skipped


def _interpreted(factors: Factors) -> tuple[Callable, Callable, Callable]:
    """Sweep and moments of one value at a time in Python, for any likelihood and prior."""

    def row_moments(y: float, mean: float, var: float, power: float) -> tuple[float, float]:
        likelihood, values = factors.likelihood, (np.array([y]), np.array([mean]), np.array([var]))
        if power < 1:
            _, tilted_mean, tilted_var = likelihood.tempered_moments(*values, np.array([power]))
        else:
            _, tilted_mean, tilted_var = likelihood.tilted_moments(*values)
        return tilted_mean[0], tilted_var[0]

    def weight_moments(mean: float, var: float) -> tuple[float, float]:
        _, tilted_mean, tilted_var = factors.prior.tilted_moments(np.array([0, mean]), np.array([1, var]))
        return tilted_mean[1], tilted_var[1]

    return sweep_once, row_moments, weight_moments


def _compiled(factors: Factors) -> tuple[Callable, Callable, Callable] | None:
    """Compiled sweep and moments; None where moments are not compiled or a row has a weight below one."""
    rows, weights = factors.likelihood.compiled_moments(), factors.prior.compiled_moments()
    if rows is None or weights is None or (factors.taken < 1).any():
        return None
    return _compiled_sweep(), rows, weights


@cache
def _compiled_sweep() -> Callable:
    """Machine code of `sweep_once`."""
    from ...numerics.jit import compiled

    # Functions among the arguments are types of their own, which the cache on disk would not find again.
    return compiled(sweep_once, cache=False)
