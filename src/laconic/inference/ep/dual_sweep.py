"""One visit to each site of a block, compiled. Importing this module loads numba: do it where it is used."""

from math import sqrt

from numba import njit

from ...numerics.flipped_step import matched_beta, tilt


@njit(cache=True, error_model="numpy")
def visit(cov, mean, sites, beta, known, weights, power, damping, least):
    """Update the rows of ``sites`` (precision, shift, wrong, right) in turn; all arguments change in place.

    ``cov`` and ``mean`` are the posterior of the u of these rows, ``beta`` that of ε. Sites that would change
    by less than ``least`` stay as they are. Gives the number of rows that were skipped, for they have no
    proper cavity, and the largest change of a site.
    """
    n_skipped, change = 0, 0.0
    for i in range(len(mean)):
        var, slack = cov[i, i], 1 - power * sites[i, 0] * cov[i, i]
        a, b = beta[0] - power * sites[i, 2], beta[1] - power * sites[i, 3]
        if not (slack > 0 and var > 0 and (known or (a > 0 and b > 0))):
            n_skipped += 1
            continue
        cavity_var = var / slack
        cavity_mean = (mean[i] - power * sites[i, 1] * var) / slack
        s = power * weights[i]
        _, flip, slope, spread = tilt(cavity_mean, cavity_var, a, b, known, s)
        a_new, b_new = matched_beta(a, b, known, s, flip)
        # Site: what the cavity lacks of the new moments, thesis (6.74)-(6.77).
        precision = (1 - spread) / (spread * cavity_var)
        shift = slope / sqrt(cavity_var) + precision * (cavity_mean + sqrt(cavity_var) * slope)
        more_precision = precision / power - sites[i, 0]
        more_shift = shift / power - sites[i, 1]
        more_wrong = (a_new - a) / power - sites[i, 2]
        more_right = (b_new - b) / power - sites[i, 3]
        own = max(abs(more_precision) * var, abs(more_shift) * sqrt(var), abs(more_wrong), abs(more_right))
        change = max(change, own)
        if own < least:
            continue
        more_precision *= damping
        more_shift *= damping
        growth = 1 + more_precision * var
        if not growth > 0:
            n_skipped += 1
            continue
        sites[i, 0] += more_precision
        sites[i, 1] += more_shift
        sites[i, 2] += damping * more_wrong
        sites[i, 3] += damping * more_right
        beta[0] += damping * more_wrong
        beta[1] += damping * more_right
        row = cov[i].copy()
        mean += row * ((more_shift - more_precision * mean[i]) / growth)
        scaled = row * (more_precision / growth)
        for j in range(len(mean)):
            cov[j] -= row[j] * scaled
    return n_skipped, change
