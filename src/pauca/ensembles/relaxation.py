"""The semidefinite relaxation of the choice of u members, solved at low rank, with a certificate.

With signs v_i (1: member i is kept) and v_0 = 1, 4 times the summed criterion is H . vv' (thesis, eq. 3.10 to
3.13). The relaxation (3.15) replaces vv' by V = YY' with unit rows y_i:

    minimise H . V  subject to  V >= 0, diag V = 1, sum_i V_0i = 2u - M.

For a multiplier mu of the last constraint, row after row is put opposite to its field; mu is found by
bisection.
"""

from dataclasses import dataclass

import numpy as np

# The search for the multiplier ends when the constraint holds to this share of M.
_BALANCED = 1e-4
_MAX_BISECTIONS = 60
_MAX_SWEEPS = 2000
# Rows are settled when a sweep gains less than this share of the summed entries of H.
_SETTLED = 1e-9


@dataclass(frozen=True)
class Relaxation:
    """Unit rows y_0, ..., y_M, and a lower bound on 1'C_SS 1 for every set S of u members."""

    rows: np.ndarray
    lower_bound: float


def relax(C, size, rng):
    """Solve the relaxation for sets of ``size`` members."""
    H, scale = _homogenised(C)
    target = 2 * size - len(C)
    # A solution of rank r with r (r + 1) / 2 at most the number of constraints exists.
    rank = int(np.ceil(np.sqrt(2 * (len(H) + 1))))
    Y = rng.standard_normal((len(H), rank))
    Y /= np.linalg.norm(Y, axis=1, keepdims=True)
    multiplier = _multiplier(H, Y, target)
    return Relaxation(Y, scale / 4 * _dual_bound(H, Y, multiplier, target))


def _homogenised(C):
    """H of (3.10), its largest entry off the diagonal being one, and what it was divided by."""
    sums = C.sum(axis=0)
    H = np.block([[sums.sum(), sums[None]], [sums[:, None], C]])
    scale = np.abs(H - np.diag(H.diagonal())).max() or 1.0
    return H / scale, scale


def _with_multiplier(H, multiplier):
    """H' = H + mu (e_0 1' + 1 e_0') without the corner."""
    shifted = H.copy()
    shifted[0, 1:] += multiplier
    shifted[1:, 0] += multiplier
    return shifted


def _multiplier(H, Y, target):
    """The multiplier at which sum_i y_0'y_i meets the target, by bisection; Y follows it."""
    low, high = _bracket(H, Y, target)
    for _ in range(_MAX_BISECTIONS):
        middle = (low + high) / 2
        excess = _excess(H, Y, middle, target)
        if abs(excess) < _BALANCED * len(Y) or high - low < 1e-12 * max(1.0, abs(middle)):
            break
        low, high = (middle, high) if excess > 0 else (low, middle)
    return middle


def _bracket(H, Y, target):
    """Two multipliers with the target between them: sum_i y_0'y_i falls as the multiplier rises."""
    low, high, step = -0.1, 0.1, 0.1
    while _excess(H, Y, low, target) < 0:
        low, high, step = low - step, low, 2 * step
    while _excess(H, Y, high, target) > 0:
        low, high, step = high, high + step, 2 * step
    return low, high


def _excess(H, Y, multiplier, target):
    """sum_i y_0'y_i - target once the rows have settled."""
    from .compiled import mix

    shifted = _with_multiplier(H, multiplier)
    mix(shifted, Y, _SETTLED * np.abs(H).sum(), _MAX_SWEEPS)
    return float((Y[1:] @ Y[0]).sum() - target)


def _dual_bound(H, Y, multiplier, target):
    """A value of the dual: whatever Y is, no feasible V has a smaller H . V.

    lambda_i = H_ii - |sum_{j != i} H'_ij y_j| makes H' - diag(lambda) nearly positive semidefinite; what is
    missing is paid for by trace V = M + 1.
    """
    shifted = _with_multiplier(H, multiplier)
    fields = shifted @ Y - shifted.diagonal()[:, None] * Y
    levels = shifted.diagonal() - np.linalg.norm(fields, axis=1)
    smallest = np.linalg.eigvalsh(shifted - np.diag(levels))[0]
    return levels.sum() + len(H) * min(0.0, smallest) - 2 * multiplier * target
