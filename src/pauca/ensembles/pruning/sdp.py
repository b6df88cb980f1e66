"""Pruning by semidefinite programming: a relaxation with a certificate, rounded at random and repaired.

With signs v_i (1: member i is kept) and v_0 = 1, 4 times the summed criterion is H . vv' (thesis, eq. 3.10 to
3.13). The relaxation (3.15) replaces vv' by V = YY' with unit rows y_i:

    minimise H . V  subject to  V >= 0, diag V = 1, sum_i V_0i = 2u - M.

For a multiplier mu of the last constraint the rows are minimised over in turn; mu is found by bisection.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ..checks import check_member_count, check_outputs
from .criteria import SubEnsemble, criterion, criterion_matrix

# Number of random roundings of the relaxation. Set by hand, not tuned.
_N_ROUNDINGS = 10
# Least decrease of the summed criterion by a swap, as a share of the summed absolute entries of the matrix.
# Numerical guard against swaps without end.
_SWAP_TOLERANCE = 1e-12
# Tolerance of the constraint sum_i V_0i = 2u - M, as a share of M + 1. Set by hand, not tuned.
_CONSTRAINT_TOLERANCE = 1e-4
# Bisection also ends when the bracket of the multiplier is this narrow, relative to it. Numerical guard.
_BRACKET_TOLERANCE = 1e-12
# First half width and step of the search for a bracket, in units of the largest off-diagonal entry of H. Set
# by hand, not tuned.
_FIRST_STEP = 0.1
# Iteration limits of the bisection and of the sweeps over rows. Numerical guards.
_MAX_BISECTIONS = 60
_MAX_SWEEPS = 2000
# Sweeps end when one lowers the objective by less than this share of the summed absolute entries of H. Set by
# hand, not tuned.
_SWEEP_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Relaxation:
    """Solution of the relaxation: unit rows y_0, ..., y_M, and a lower bound of 1'C_SS 1 over all sets."""

    rows: NDArray
    lower_bound: float


def sdp_pruning(
    outputs: ArrayLike,
    y: ArrayLike,
    size: float = 0.2,
    *,
    task: str = "regression",
    sample_weight: ArrayLike | None = None,
    known: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> SubEnsemble:
    """Sub-ensemble of a given size with a nearly minimal criterion, and a lower bound of that minimum.

    The relaxation (thesis, eq. 3.15) is solved with V = YY' of low rank. Each of ten random roundings is
    grown or shrunk to the size at the least cost and improved by swaps; the best is kept. The bound is the
    value of a dual point, so it holds even if the solver has not converged.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples) or (n_members, n_samples, n_outputs)
        Predictions of each member: numbers, or classes.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Targets.
    size : int or float, default=0.2
        Number of members to keep, or their share.
    task : {"regression", "classification"}, default="regression"
        Whether outputs are averaged numbers or votes for classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    known : boolean array-like of shape (n_members, n_samples), default=None
        Rows that count for a member, such as those it was not trained on; all rows by default.
    random_state : int, RandomState instance or None, default=None
        Seed of the solver's start and of the roundings.

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
    return select_by_sdp(criterion_matrix(data), check_member_count(size, data.n_members), random_state)


def select_by_sdp(C: NDArray, size: int, random_state: Any = None) -> SubEnsemble:
    """Sub-ensemble of ``size`` members by the relaxation of a criterion matrix; see `sdp_pruning`."""
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
    """Mask of ``size`` members, after dropping or adding the member with the least cost until it fits."""
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
    """Mask of members after exchanges of a kept member for another, while they lower the criterion."""
    least_gain = _SWAP_TOLERANCE * np.abs(C).sum()
    while True:
        sums, diagonal = C @ kept, C.diagonal()
        inside, outside = np.flatnonzero(kept), np.flatnonzero(~kept)
        change = (diagonal - 2 * sums)[inside, None] + (diagonal + 2 * sums)[outside]
        change -= 2 * C[np.ix_(inside, outside)]
        out, into = np.unravel_index(np.argmin(change), change.shape)
        if change[out, into] >= -least_gain:
            return kept
        kept[[inside[out], outside[into]]] = False, True


def relax(C: NDArray, size: int, rng: np.random.Generator) -> Relaxation:
    """Solution of the relaxation for sets of ``size`` members."""
    H, scale = _homogenised(C)
    target = 2 * size - len(C)
    # A solution of rank r with r (r + 1) / 2 at most the number of constraints exists.
    rank = int(np.ceil(np.sqrt(2 * (len(H) + 1))))
    Y = rng.standard_normal((len(H), rank))
    Y /= np.linalg.norm(Y, axis=1, keepdims=True)
    multiplier = _multiplier(H, Y, target)
    return Relaxation(Y, scale / 4 * _dual_bound(H, Y, multiplier, target))


def _homogenised(C):
    """Matrix H of (3.10), scaled to a largest off-diagonal entry of one, and the scale."""
    sums = C.sum(axis=0)
    H = np.block([[sums.sum(), sums[None]], [sums[:, None], C]])
    scale = np.abs(H - np.diag(H.diagonal())).max() or 1.0
    return H / scale, scale


def _with_multiplier(H, multiplier):
    """Lagrangian matrix H' = H + mu (e_0 1' + 1 e_0') without the corner."""
    shifted = H.copy()
    shifted[0, 1:] += multiplier
    shifted[1:, 0] += multiplier
    return shifted


def _multiplier(H, Y, target):
    """Multiplier at which sum_i y_0'y_i meets the target, by bisection; Y is updated in place."""
    low, high = _bracket(H, Y, target)
    for _ in range(_MAX_BISECTIONS):
        middle = (low + high) / 2
        excess = _excess(H, Y, middle, target)
        narrow = high - low < _BRACKET_TOLERANCE * max(1.0, abs(middle))
        if abs(excess) < _CONSTRAINT_TOLERANCE * len(Y) or narrow:
            break
        low, high = (middle, high) if excess > 0 else (low, middle)
    return middle


def _bracket(H, Y, target):
    """Two multipliers with the target between them: sum_i y_0'y_i falls as the multiplier rises."""
    low, high, step = -_FIRST_STEP, _FIRST_STEP, _FIRST_STEP
    while _excess(H, Y, low, target) < 0:
        low, high, step = low - step, low, 2 * step
    while _excess(H, Y, high, target) > 0:
        low, high, step = high, high + step, 2 * step
    return low, high


def _excess(H, Y, multiplier, target):
    """Violation sum_i y_0'y_i - target of the constraint once the sweeps have converged."""
    from .compiled_search import mix  # imports numba

    shifted = _with_multiplier(H, multiplier)
    mix(shifted, Y, _SWEEP_TOLERANCE * np.abs(H).sum(), _MAX_SWEEPS)
    return float((Y[1:] @ Y[0]).sum() - target)


def _dual_bound(H, Y, multiplier, target):
    """Value of the dual objective: whatever Y is, no feasible V has a smaller H . V.

    lambda_i = H_ii - |sum_{j != i} H'_ij y_j| makes H' - diag(lambda) nearly positive semidefinite; its
    smallest eigenvalue, if negative, is subtracted from every lambda_i, at a cost by trace V = M + 1.
    """
    shifted = _with_multiplier(H, multiplier)
    fields = shifted @ Y - shifted.diagonal()[:, None] * Y
    levels = shifted.diagonal() - np.linalg.norm(fields, axis=1)
    smallest = np.linalg.eigvalsh(shifted - np.diag(levels))[0]
    return levels.sum() + len(H) * min(0.0, smallest) - 2 * multiplier * target
