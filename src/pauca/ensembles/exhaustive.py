"""The best sub-ensemble of every size, by looking at all of them."""

import numpy as np

from .checks import check_member_count, check_outputs
from .matrices import criterion, criterion_matrix
from .subensemble import SubEnsemble

MAX_MEMBERS = 32
# Members whose sets are tabulated: 2^8 low sets, sorted by size, times 2^8 high sets.
_N_TABULATED = 8


def exhaustive_pruning(outputs, y, size="auto", *, task="regression", sample_weight=None, known=None):
    """The sub-ensemble with the smallest criterion, by comparing all of them.

    Parameters
    ----------
    outputs, y, task, sample_weight, known
        See `ordered_aggregation`; at most 32 members (some seconds).
    size : int, float or "auto", default="auto"
        Number of members to keep, or their share; "auto" takes the best of all sizes.

    Returns
    -------
    SubEnsemble
        ``selected``, their ``criterion``, and the same as ``lower_bound``.

    Examples
    --------
    >>> from pauca.ensembles import exhaustive_pruning
    >>> exhaustive_pruning([[1.0, 1.0], [0.5, -0.5], [-0.5, 0.5]], [0.0, 0.0]).selected
    array([1, 2])
    """
    data = check_outputs(outputs, y, task, sample_weight, known)
    count = check_member_count(size, data.n_members, auto=True)
    return best_choice(criterion_matrix(data), count)


def best_choice(C, count=None):
    """The best set of ``count`` members, or with None of any number."""
    optima = best_of_every_size(C)
    values = [criterion(C, members) for members in optima]
    place = int(np.argmin(values)) if count is None else count - 1
    return SubEnsemble(optima[place], values[place], values[place])


def best_of_every_size(C):
    """The best set of u members for u = 1, ..., M."""
    n_members = len(C)
    if n_members > MAX_MEMBERS:
        raise ValueError(
            f"An exhaustive search among {n_members} members is not feasible (at most {MAX_MEMBERS}): "
            'use method="sdp", or order them and search among the first.'
        )
    from .compiled import search_subsets

    n_low = min(_N_TABULATED, n_members)
    n_inner = min(2 * _N_TABULATED, n_members)
    low_sets, low_starts, inner = _tables(C[:n_inner, :n_inner], n_low)
    best, best_sets = np.full(n_members + 1, np.inf), np.zeros(n_members + 1, dtype=np.int64)
    outer, cross = (
        np.ascontiguousarray(C[n_inner:, part]) for part in (slice(n_inner, None), slice(n_inner))
    )
    search_subsets(outer, cross, inner, n_low, low_sets, low_starts, best, best_sets)
    return [np.flatnonzero(row) for row in _bits(best_sets[1:], n_members)]


def _tables(C, n_low):
    """Low sets by size, where each size starts, and the criterion of all pairs of a high and a low set."""
    low = _bits(np.arange(1 << n_low), n_low)
    sizes = low.sum(axis=1)
    low_sets = np.argsort(sizes, kind="stable")
    low_starts = np.searchsorted(sizes[low_sets], np.arange(n_low + 2))
    low, high = low[low_sets], _bits(np.arange(1 << len(C) - n_low), len(C) - n_low)
    between = 2 * high @ C[n_low:, :n_low] @ low.T
    return (
        low_sets,
        low_starts,
        _totals(high, C[n_low:, n_low:])[:, None] + _totals(low, C[:n_low, :n_low]) + between,
    )


def _bits(numbers, n_bits):
    """Rows of zeros and ones, lowest bit first."""
    return (numbers[:, None] >> np.arange(n_bits)) & 1


def _totals(sets, C):
    return np.einsum("si,si->s", sets @ C, sets)
