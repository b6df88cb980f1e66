"""Exhaustive pruning: the best sub-ensemble of every size by comparing all of them."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_member_count, check_outputs
from .criteria import SubEnsemble, criterion, criterion_matrix

# Largest number of members whose 2^M sub-ensembles are compared, in some seconds. Set by hand.
MAX_MEMBERS = 32
# Members whose sets are tabulated: 2^8 low sets, sorted by size, times 2^8 high sets. Set by hand, not tuned.
_N_TABULATED = 8


def exhaustive_pruning(
    outputs: ArrayLike,
    y: ArrayLike,
    size: float | str = "auto",
    *,
    task: str = "regression",
    sample_weight: ArrayLike | None = None,
    known: ArrayLike | None = None,
) -> SubEnsemble:
    """Sub-ensemble with the smallest criterion, by comparing all of them.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples) or (n_members, n_samples, n_outputs)
        Predictions of each member: numbers, or classes. At most 32 members (some seconds).
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Targets.
    size : int, float or "auto", default="auto"
        Number of members to keep, or their share; "auto" takes the best of all sizes.
    task : {"regression", "classification"}, default="regression"
        Whether outputs are averaged numbers or votes for classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    known : boolean array-like of shape (n_members, n_samples), default=None
        Rows that count for a member, such as those it was not trained on; all rows by default.

    Returns
    -------
    SubEnsemble
        ``selected``, their ``criterion``, and ``lower_bound``, which equals it.

    Examples
    --------
    >>> from pauca.ensembles import exhaustive_pruning
    >>> exhaustive_pruning([[1.0, 1.0], [0.5, -0.5], [-0.5, 0.5]], [0.0, 0.0]).selected
    array([1, 2])
    """
    data = check_outputs(outputs, y, task, sample_weight, known)
    count = check_member_count(size, data.n_members, auto=True)
    return select_exhaustively(criterion_matrix(data), count)


def select_exhaustively(C: NDArray, count: int | None = None) -> SubEnsemble:
    """Best set of ``count`` members, or with None of any number, by a criterion matrix."""
    optima = best_of_every_size(C)
    values = [criterion(C, members) for members in optima]
    place = int(np.argmin(values)) if count is None else count - 1
    return SubEnsemble(optima[place], values[place], values[place])


def best_of_every_size(C: NDArray) -> list[NDArray]:
    """Best set of u members for u = 1, ..., M, by a criterion matrix."""
    n_members = len(C)
    if n_members > MAX_MEMBERS:
        raise ValueError(
            f"An exhaustive search among {n_members} members is not feasible (at most {MAX_MEMBERS}): "
            'use method="sdp", or order them and search among the first.'
        )
    from .compiled_search import search_subsets  # imports numba

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
    """Low sets by size, where each size starts, and 1'C_SS 1 of all unions of a high and a low set."""
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
    """Bits of each number as a row of zeros and ones, lowest bit first."""
    return (numbers[:, None] >> np.arange(n_bits)) & 1


def _totals(sets, C):
    """Values 1'C_SS 1 of sets given as rows of zeros and ones."""
    return np.einsum("si,si->s", sets @ C, sets)
