"""One visit to every feature, compiled. Importing this module loads numba: do it where it is called."""

from math import exp, isinf, log

import numpy as np

from ..numerics.jit import compiled


@compiled(fastmath={"reassoc", "contract", "arcp", "nsz"})
def visit(columns, z, inverse, active, log_odds, slab, uniforms, probabilities):
    """Draw which features have weights, one after another; all but the first two arguments change in place.

    ``inverse`` is that of S = I + slab Σ x xᵀ over the active columns x, the weights being integrated
    out; it has rank-one updates where a feature enters or leaves, and no work where none does.
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
