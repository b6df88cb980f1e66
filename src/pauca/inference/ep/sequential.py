"""Expectation propagation site by site; compiled where the factors have compiled moments."""

from functools import cache

import numpy as np

from ...numerics import solve_with_factor
from ..posterior import gaussian_posterior


def sweep_until_settled(factors, sites, tol, next_step, max_sweeps, least_cavity):
    """Sites, number of sweeps and whether they settled, the covariance made anew after each sweep."""
    sweep, row_moments, weight_moments = _compiled(factors) or _interpreted(factors)
    sites = sites.copy()
    directions, identity = np.ascontiguousarray(factors.directions), np.eye(factors.directions.shape[1])
    step, before = 1.0, np.inf
    for n_sweeps in range(1, max_sweeps + 1):
        precision, shift = factors.copies * sites
        mean, factor = gaussian_posterior(directions, precision, shift, factors.prior.precision)
        covariance = solve_with_factor(factor, identity)
        change, n_skipped = sweep(
            directions,
            factors.y,
            factors.copies,
            factors.taken,
            sites,
            np.ascontiguousarray(covariance),
            mean,
            row_moments,
            weight_moments,
            least_cavity,
            step,
        )
        step, before = next_step(step, before, change), change
        if change < tol and n_skipped == 0:
            return sites, n_sweeps, True
    return sites, max_sweeps, False


def sweep_once(
    directions, y, copies, taken, sites, covariance, mean, row_moments, weight_moments, least_cavity, step
):
    """Update every site once; the largest change in standard deviations, and how many were skipped."""
    n_rows, largest, n_skipped = len(y), 0.0, 0
    for k in range(len(copies)):
        if k == n_rows or copies[k] == 0:  # the bias has no factor of its own
            continue
        along = covariance @ directions[k]
        v, m = directions[k] @ along, directions[k] @ mean
        slack = 1 - taken[k] * sites[0, k] * v
        if slack <= least_cavity:
            n_skipped += 1
            continue
        cavity_mean, cavity_var = (m - v * taken[k] * sites[1, k]) / slack, v / slack
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


def _interpreted(factors):
    """The sweep with moments of one value at a time, for any likelihood."""

    def row_moments(y, mean, var, power):
        likelihood, values = factors.likelihood, (np.array([y]), np.array([mean]), np.array([var]))
        if power < 1:
            _, tilted_mean, tilted_var = likelihood.tempered_moments(*values, np.array([power]))
        else:
            _, tilted_mean, tilted_var = likelihood.tilted_moments(*values)
        return tilted_mean[0], tilted_var[0]

    def weight_moments(mean, var):
        _, tilted_mean, tilted_var = factors.prior.tilted_moments(np.array([0, mean]), np.array([1, var]))
        return tilted_mean[1], tilted_var[1]

    return sweep_once, row_moments, weight_moments


def _compiled(factors):
    """The same as machine code, where the moments are and no row counts less than once."""
    moments = factors.likelihood.compiled_moments(), factors.prior.compiled_moments()
    if None in moments or (factors.taken < 1).any():
        return None
    return _machine_code(), *moments


@cache
def _machine_code():
    from ...numerics.jit import compiled

    # Functions among the arguments are types of their own, which the cache on disk would not find again.
    return compiled(sweep_once, cache=False)
