"""One Gibbs sweep over all features, compiled.

Importing this module loads numba: do it where the function is called.
"""

from math import exp, isinf, log

import numpy as np

from ..numerics.jit import compiled

# Reordering of sums is allowed, so that the inner loops are vectorised.
_FAST = {"reassoc", "contract", "arcp", "nsz"}


@compiled(fastmath=_FAST)
def visit(columns, z, inverse, active, log_odds, slab, uniforms, probabilities):
    """Draw the inclusion indicator of every feature in turn, the weights being integrated out.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_rows)
        Columns x of the data, multiplied by the labels.
    z : ndarray of shape (n_rows,)
        Latent values of the rows.
    inverse : ndarray of shape (n_rows, n_rows)
        Inverse of S = I + slab Σ x xᵀ over the active columns; changed in place by a rank-one update where a
        feature enters or leaves.
    active : ndarray of bool of shape (n_features,)
        Inclusion indicators, changed in place.
    log_odds : ndarray of shape (n_features,)
        Prior log odds of inclusion; an infinite one keeps the feature active.
    slab : float
        Variance of the slab.
    uniforms : ndarray of shape (n_features,)
        Draws of the uniform distribution that decide.
    probabilities : ndarray of shape (n_features,)
        Conditional inclusion probabilities, written in place.
    """
    n = len(z)
    r = np.empty(n)
    for j in range(len(active)):
        if isinf(log_odds[j]):
            probabilities[j] = 1.0
            continue
        x = columns[j]
        size, fit = 0.0, 0.0
        for i in range(n):
            total = 0.0
            for k in range(n):
                total += inverse[i, k] * x[k]
            r[i] = total
            size += total * x[i]
            fit += total * z[i]
        present = 1 - slab * size if active[j] else 1.0
        spread = 1 + slab * size / present
        odds = log_odds[j] - 0.5 * log(spread) + 0.5 * slab * (fit / present) ** 2 / spread
        probabilities[j] = 1 / (1 + exp(-odds))
        enters = uniforms[j] < probabilities[j]
        if enters != active[j]:
            active[j] = enters
            _update(inverse, r, slab / present if not enters else -slab / spread)


@compiled
def _update(inverse, r, factor):
    """inverse += factor r rᵀ."""
    for i in range(len(r)):
        for k in range(len(r)):
            inverse[i, k] += factor * r[i] * r[k]
