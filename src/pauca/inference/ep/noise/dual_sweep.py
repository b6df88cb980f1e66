"""Sweeps of expectation propagation in dual form, compiled.

A site has four parts: precision, shift, wrong, right. Importing this module loads numba: do it where the
functions are called.
"""

from math import sqrt

import numpy as np

from ....numerics.compiled_moments import matched_beta, tilt
from ....numerics.jit import compiled


@compiled
def site_change(var, mean, site, beta, known, weight, power):
    """Undamped change of a site, and whether it has a proper cavity.

    ``var`` and ``mean`` are the posterior of the u of its row, ``beta`` are the parameters of that of ε,
    ``weight`` are the weights of its labels.
    """
    more = np.zeros(4)
    slack = 1 - power * site[0] * var
    a, b = beta[0] - power * site[2], beta[1] - power * site[3]
    if not (slack > 0 and var > 0 and (known or (a > 0 and b > 0))):
        return more, False
    cavity_var = var / slack
    cavity_mean = (mean - power * site[1] * var) / slack
    s, t = power * weight[0], power * weight[1]
    _, flip, gradient, var_ratio = tilt(cavity_mean, cavity_var, a, b, known, s, t)
    a_new, b_new = matched_beta(a, b, known, s, t, flip)
    # The site that turns the cavity into the tilted distribution, thesis (6.74)-(6.77).
    precision = (1 - var_ratio) / (var_ratio * cavity_var)
    shift = gradient / sqrt(cavity_var) + precision * (cavity_mean + sqrt(cavity_var) * gradient)
    more[0], more[1] = precision / power - site[0], shift / power - site[1]
    more[2], more[3] = (a_new - a) / power - site[2], (b_new - b) / power - site[3]
    return more, True


@compiled
def size_of(more, var):
    """Size of the change of a site, in posterior standard deviations."""
    return max(abs(more[0]) * var, abs(more[1]) * sqrt(var), abs(more[2]), abs(more[3]))


@compiled
def is_fresh(site, known):
    """Whether a site, or its part in ε, is empty: then there is nothing to damp."""
    return site[1] == 0 or (site[3] == 0 and not known)


@compiled
def step_of(var, mean, site, beta, known, weight, power, damping):
    """Damped change of a site, its undamped size, and the factor by which the precision of its row grows.

    The factor is zero where there is no proper cavity.
    """
    more, proper = site_change(var, mean, site, beta, known, weight, power)
    own = size_of(more, var)
    if not is_fresh(site, known):
        more *= damping
    return more, own, 1 + more[0] * var if proper else 0.0


@compiled
def visit(cov, mean, sites, beta, known, weights, power, damping, least):
    """Update the rows of ``sites`` in turn, and the posterior with them, in place.

    ``cov`` and ``mean`` are the posterior of the u of these rows, ``beta`` are the parameters of that of ε.
    Sites that would change by less than ``least`` stay as they are. Returns the number of rows that were
    skipped, for they have no proper cavity, and the largest change of a site.
    """
    n_skipped, change = 0, 0.0
    for i in range(len(mean)):
        var = cov[i, i]
        more, own, growth = step_of(var, mean[i], sites[i], beta, known, weights[i], power, damping)
        change = max(change, own)
        if not growth > 0:
            n_skipped += 1
        elif own >= least:
            sites[i] += more
            absorb(more, growth, mean[i], cov[i].copy(), cov, mean, beta)
    return n_skipped, change


@compiled
def visit_span(U, cov, mean, sites, beta, known, weights, power, damping, least):
    """Update all sites in turn as `visit` does, for u = U w with ``cov`` and ``mean`` the posterior of w."""
    n_skipped, change = 0, 0.0
    for i in range(len(U)):
        along = cov @ U[i]
        var, centre = U[i] @ along, U[i] @ mean
        more, own, growth = step_of(var, centre, sites[i], beta, known, weights[i], power, damping)
        change = max(change, own)
        if not growth > 0:
            n_skipped += 1
        elif own >= least:
            sites[i] += more
            absorb(more, growth, centre, along, cov, mean, beta)
    return n_skipped, change


@compiled
def absorb(more, growth, centre, along, cov, mean, beta):
    """Update the posterior in place by the change ``more`` of one site.

    ``centre`` is the mean of the u of its row, ``along`` its covariances with the entries of ``mean``.
    """
    beta += more[2:]
    mean += along * ((more[1] - more[0] * centre) / growth)
    downdate(cov, along, more[0] / growth)


@compiled
def downdate(cov, along, share):
    """Subtract share · along alongᵀ from ``cov`` in place; written out, for array expressions make copies."""
    for j in range(len(along)):
        part = share * along[j]
        for k in range(len(along)):
            cov[j, k] -= part * along[k]
