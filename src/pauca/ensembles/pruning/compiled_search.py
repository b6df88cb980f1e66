"""Compiled inner loops of pruning. Importing this module imports numba: do it where they are called."""

import numpy as np

from ...numerics.jit import compiled


@compiled(fastmath=True)
def mix(H, Y, least_gain, max_sweeps):
    """Minimise sum_ij H_ij y_i'y_j over unit rows of Y in place, one row after the other.

    Wang & Kolter's mixing method; it ends when a sweep lowers the objective by less than ``least_gain``.
    """
    n, rank = Y.shape
    field = np.empty(rank)
    for _ in range(max_sweeps):
        gain = 0.0
        for i in range(n):
            field[:] = -H[i, i] * Y[i]
            for j in range(n):
                for c in range(rank):
                    field[c] += H[i, j] * Y[j, c]
            norm = np.sqrt((field * field).sum())
            if norm > 0:
                gain += 2 * (norm + (field * Y[i]).sum())
                Y[i] = -field / norm
        if gain < least_gain:
            break


@compiled(fastmath=True)
def search_subsets(outer, cross, inner, n_low, low_sets, low_starts, best, best_sets):
    """Find the set with the smallest 1'C_SS 1 for every size, among all sets.

    Members are split in low, high and outer ones. ``inner[h, p]`` is 1'C_SS 1 of high set h with low set
    ``low_sets[p]``, low sets being sorted by size from ``low_starts``. Each outer set adds 2 sum C_ij to a
    low set, and the minimum of each size is a reduction over contiguous entries. ``best`` and ``best_sets``
    (as bits: low, high, outer) are filled in place.
    """
    n_outer, n_inner = cross.shape
    n_high = n_inner - n_low
    added = np.empty(n_inner)
    high_costs, low_costs = np.empty(1 << n_high), np.empty(1 << n_low)
    for outer_set in range(1 << n_outer):
        n_chosen = 0
        high_costs[0] = 0.0
        added[:] = 0.0
        for i in range(n_outer):
            if outer_set >> i & 1:
                n_chosen += 1
                added += 2 * cross[i]
                for j in range(n_outer):
                    if outer_set >> j & 1:
                        high_costs[0] += outer[i, j]
        for i in range(n_high):
            for h in range(1 << i):
                high_costs[h + (1 << i)] = high_costs[h] + added[n_low + i]
        for p in range(1 << n_low):
            low_costs[p] = 0.0
            for i in range(n_low):
                if low_sets[p] >> i & 1:
                    low_costs[p] += added[i]
        for h in range(1 << n_high):
            size = n_chosen
            for i in range(n_high):
                size += h >> i & 1
            for n_lowest in range(n_low + 1):
                start, stop = low_starts[n_lowest], low_starts[n_lowest + 1]
                least = np.inf
                for p in range(start, stop):
                    least = min(least, inner[h, p] + low_costs[p])
                if least + high_costs[h] < best[size + n_lowest]:
                    best[size + n_lowest] = least + high_costs[h]
                    place = start + np.argmin(inner[h, start:stop] + low_costs[start:stop])
                    best_sets[size + n_lowest] = low_sets[place] | (h << n_low) | (outer_set << n_inner)
