"""Expectation maximisation for probit models with weights that may not be negative (PCVM 2009)."""

from dataclasses import dataclass

import numpy as np

from ..numerics import add_to_diagonal, inverse_mills, robust_cholesky, solve_with_factor

_MAX_TRIMS = 30


@dataclass(frozen=True)
class Penalty:
    """Hyperprior Γ(a, 0) of the precisions as the weights feel it: (a + ½) log w_j².

    ``strength`` is 2a + 1: one for an improper flat log precision, one half as in the published algorithm.
    The bias, weight zero, has a known precision instead.
    """

    strength: float
    bias_precision: float

    def scales(self, w):
        """1 / √E[α_j]; a weight of zero stays zero."""
        return np.append(self.bias_precision**-0.5, np.abs(w[1:]) / np.sqrt(self.strength))

    def log_density(self, w):
        """Up to a constant, of weights none of which is zero."""
        return -0.5 * self.strength * np.log(np.square(w[1:])).sum() - 0.5 * self.bias_precision * w[0] ** 2


def expected_latents(y, f):
    """E step: mean of the latent f + N(0, 1) whose sign is y."""
    return f + y * inverse_mills(y * f)


def maximise(Phi, H, weights, w, scales):
    """M step: weights that maximise −½ ‖Φw − H‖² − ½ Σ (w_j / scale_j)², all but the first non-negative.

    Weights that would be negative are set to zero, and the others found again; should that be worse
    than the present ``w``, the way to the maximum is gone until a weight reaches zero.
    """
    gram, moment = (Phi.T * weights) @ Phi, Phi.T @ (weights * H)
    free = best = _maximiser(gram, moment, scales)
    left = scales
    for _ in range(_MAX_TRIMS):
        wrong = np.append(False, best[1:] < 0)
        if not wrong.any():
            break
        left = np.where(wrong, 0.0, left)
        best = _maximiser(gram, moment, left)
    best = np.append(best[0], np.maximum(best[1:], 0.0))
    if left is scales or objective(gram, moment, scales, best) >= objective(gram, moment, scales, w):
        return best
    return _until_zero(w, free)


def width_step(residual, slope, weights):
    """Change of log gamma by one Gauss-Newton step for ½ Σ residual², at most a factor of two."""
    curvature = weights @ np.square(slope)
    step = weights @ (residual * slope) / curvature if curvature > 0 else 0.0
    return float(np.clip(step, -np.log(2), np.log(2)))


def objective(gram, moment, scales, w):
    """The quadratic function that the M step raises; a weight of scale zero must be zero."""
    used = scales > 0
    penalty = np.square(w[used] / scales[used]).sum() + (np.inf if w[~used].any() else 0.0)
    return float(w @ moment - 0.5 * w @ gram @ w - 0.5 * penalty)


def _maximiser(gram, moment, scales):
    """G (I + G ΦᵀΦ G)⁻¹ G ΦᵀH with G = diag(scales), sound for scales down to zero."""
    inner = add_to_diagonal(scales[:, None] * gram * scales, 1.0)
    return scales * solve_with_factor(robust_cholesky(inner), scales * moment)


def _until_zero(w, goal):
    """The last point with no negative weight on the way from ``w`` to ``goal``; the first weight is free."""
    falling = np.flatnonzero(goal[1:] < 0) + 1
    share = (w[falling] / (w[falling] - goal[falling])).min()
    step = w + share * (goal - w)
    return np.append(step[0], np.maximum(step[1:], 0.0))
