"""Pruning by semidefinite programming: a relaxation with a certificate, rounded at random and repaired."""

import numpy as np
from sklearn.utils import check_random_state

from .checks import check_member_count, check_outputs
from .matrices import criterion, criterion_matrix
from .relaxation import relax
from .subensemble import SubEnsemble

_N_ROUNDINGS = 10
# A swap must lower the summed criterion by this share of its entries.
_LEAST_GAIN = 1e-12


def sdp_pruning(
    outputs, y, size=0.2, *, task="regression", sample_weight=None, known=None, random_state=None
):
    """A sub-ensemble near the best of its size, and how near at worst.

    The relaxation (thesis, eq. 3.15) is solved with V = YY' of low rank. Each of ten random roundings is
    grown or shrunk to the size at the least cost and improved by swaps; the best is kept. The certificate is
    a point of the dual, so that it holds however far the solver got.

    Parameters
    ----------
    outputs, y, task, sample_weight, known
        See `ordered_aggregation`.
    size : int or float, default=0.2
        Number of members to keep, or their share.
    random_state : int, RandomState instance or None, default=None
        Start of the solver and roundings.

    Returns
    -------
    SubEnsemble
        ``selected``, their ``criterion``, and ``lower_bound``: no sub-ensemble of this size has a smaller
        criterion.

    References
    ----------
    Zhang, Burer & Street, "Ensemble pruning via semi-definite programming", JMLR 7 (2006); Wang & Kolter,
    "The mixing method: low-rank coordinate descent for semidefinite programming with diagonal constraints"
    (2017).

    Examples
    --------
    >>> from pauca.ensembles import sdp_pruning
    >>> found = sdp_pruning([[1.0, 1.0], [0.5, -0.5], [-0.5, 0.5]], [0.0, 0.0], size=2, random_state=0)
    >>> found.selected
    array([1, 2])
    """
    data = check_outputs(outputs, y, task, sample_weight, known)
    count = check_member_count(size, data.n_members)
    return relaxed_choice(criterion_matrix(data), count, random_state)


def relaxed_choice(C, size, random_state=None):
    """`sdp_pruning` of a criterion matrix."""
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    rng = np.random.default_rng(seed)
    if size == len(C):
        whole = criterion(C, np.arange(size))
        return SubEnsemble(np.arange(size), whole, whole)
    relaxation = relax(C, size, rng)
    roundings = [_rounded(C, relaxation.rows, size, rng) for _ in range(_N_ROUNDINGS)]
    selected = min(roundings, key=lambda members: criterion(C, members))
    return SubEnsemble(selected, criterion(C, selected), relaxation.lower_bound / size**2)


def _rounded(C, rows, size, rng):
    """Members on the side of v_0 for v = Yg (eq. 3.16), made ``size`` many and improved by swaps."""
    v = rows @ rng.standard_normal(rows.shape[1])
    kept = (v[1:] > 0) == (v[0] > 0)
    return np.flatnonzero(_swapped(C, _resized(C, kept, size)))


def _resized(C, kept, size):
    """Drop or add the member that does it at the least cost until the size is right."""
    diagonal = C.diagonal()
    while kept.sum() != size:
        shrink = kept.sum() > size
        sums = C @ kept
        change = (
            np.where(kept, diagonal - 2 * sums, np.inf)
            if shrink
            else np.where(kept, np.inf, diagonal + 2 * sums)
        )
        kept[np.argmin(change)] = not shrink
    return kept


def _swapped(C, kept):
    """Exchange a kept member for another one as long as that lowers the criterion."""
    least_gain = _LEAST_GAIN * np.abs(C).sum()
    while True:
        sums, diagonal = C @ kept, C.diagonal()
        inside, outside = np.flatnonzero(kept), np.flatnonzero(~kept)
        change = (diagonal - 2 * sums)[inside, None] + (diagonal + 2 * sums)[outside]
        change -= 2 * C[np.ix_(inside, outside)]
        out, into = np.unravel_index(np.argmin(change), change.shape)
        if change[out, into] >= -least_gain:
            return kept
        kept[[inside[out], outside[into]]] = False, True
