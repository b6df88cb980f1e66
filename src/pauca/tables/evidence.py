"""Evidence of a smooth effect of one placed column, by which transforms are compared."""

import numpy as np
from numpy.typing import NDArray

from ..numerics import robust_cholesky, solve_lower

# Inverse widths of the laplacian kernel and shares of the variance that the effect explains, over which the
# evidence is maximised; set by hand.
_INVERSE_WIDTHS, _SHARES = (0.3, 1.0, 3.0), (0.01, 0.05, 0.2, 0.5)
# Rise in nats for which a rank transform is preferred to the plain numbers; set by hand.
LEAST_RISE = 3.0
_JITTER = 1e-8


def effect_evidence(values: NDArray, knots: NDArray, targets: NDArray, weights: NDArray) -> float:
    """Largest log evidence of Gaussian targets that depend on one column, in nats above no dependence.

    The effect has a laplacian kernel carried by the knots; the noise is what the effect leaves of a variance
    of one.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Placed values of the column.
    knots : ndarray of shape (n_knots,)
        Places that carry the effect.
    targets : ndarray of shape (n_rows, n_targets)
        Standardised targets, or indicators of classes.
    weights : ndarray of shape (n_rows,)
        How many times each row counts.

    Returns
    -------
    float
    """
    return max(_evidence(values, np.unique(knots), targets, weights, gamma) for gamma in _INVERSE_WIDTHS)


def _evidence(values: NDArray, knots: NDArray, targets: NDArray, weights: NDArray, gamma: float) -> float:
    """Largest evidence over the shares for one inverse width."""
    K = np.exp(-gamma * np.abs(knots[:, None] - knots))
    root = robust_cholesky(K + _JITTER * np.eye(len(knots)))
    Phi = solve_lower(root, np.exp(-gamma * np.abs(knots[:, None] - values))).T
    Phi = Phi - np.average(Phi, axis=0, weights=weights)
    sizes, directions = np.linalg.eigh((Phi.T * weights) @ Phi)
    sizes = np.maximum(sizes, 0.0)
    squares = np.square(directions.T @ ((Phi.T * weights) @ targets)).sum(axis=1)
    n_targets, total = targets.shape[1], weights @ np.square(targets).sum(axis=1)
    best = -np.inf
    for share in _SHARES:
        noise = 1 - share
        ratio = share / noise
        fitted = ratio * (squares / (1 + ratio * sizes)).sum()
        value = -0.5 * (total - fitted) / noise + 0.5 * total
        value -= 0.5 * n_targets * (np.log1p(ratio * sizes).sum() + weights.sum() * np.log(noise))
        best = max(best, value)
    return best
