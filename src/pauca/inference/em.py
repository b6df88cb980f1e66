"""Expectation maximisation for probit models with non-negative weights (PCVM 2009)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..numerics import add_to_diagonal, inverse_mills, robust_cholesky, solve_with_factor

# Most rounds in which negative weights are set to zero; set by hand.
_MAX_TRIMS = 30
# Largest change of log gamma in one step, a factor of two; set by hand.
_MAX_WIDTH_STEP = np.log(2)


@dataclass(frozen=True)
class Penalty:
    """Penalty (a + ½) log w_j² on the weights, from integrating out precisions with the hyperprior Γ(a, 0).

    Parameters
    ----------
    strength : float
        2a + 1: one for an improper flat log precision, one half as in the published algorithm.
    bias_precision : float
        Known precision of the bias, the weight of index zero.
    """

    strength: float
    bias_precision: float

    def scales(self, w: NDArray) -> NDArray:
        """Prior standard deviations 1 / √E[α_j] given the weights; a weight of zero stays zero."""
        return np.append(self.bias_precision**-0.5, np.abs(w[1:]) / np.sqrt(self.strength))

    def log_density(self, w: NDArray) -> float:
        """Log density of the weights up to a constant; none of them may be zero."""
        return -self.strength * np.log(np.abs(w[1:])).sum() - 0.5 * self.bias_precision * w[0] ** 2


def expected_latents(y: NDArray, f: NDArray) -> NDArray:
    """Mean of the latent variable f + N(0, 1) given that its sign is y: the E step."""
    return f + y * inverse_mills(y * f)


def maximise(Phi: NDArray, H: NDArray, weights: NDArray, w: NDArray, scales: NDArray) -> NDArray:
    """Weights that maximise −½ ‖Φw − H‖² − ½ Σ (w_j / scale_j)², all but the first non-negative: the M step.

    Negative weights are set to zero and the others solved for again. Where the result is worse than the
    current ``w``, the step goes from ``w`` towards the unconstrained maximum until a weight reaches zero.

    Parameters
    ----------
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    H : ndarray of shape (n_rows,)
        Expected latent variables.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    w : ndarray of shape (n_weights,)
        Current weights.
    scales : ndarray of shape (n_weights,)
        Prior standard deviations of the weights.

    Returns
    -------
    w : ndarray of shape (n_weights,)
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


def width_step(residual: NDArray, derivative: NDArray, weights: NDArray) -> float:
    """Gauss-Newton step of log gamma for ½ Σ residual², at most a factor of two.

    Parameters
    ----------
    residual : ndarray of shape (n_rows,)
        Expected latent variables less the latent values.
    derivative : ndarray of shape (n_rows,)
        Derivatives of the latent values in log gamma.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.

    Returns
    -------
    step : float
    """
    curvature = weights @ np.square(derivative)
    step = weights @ (residual * derivative) / curvature if curvature > 0 else 0.0
    return float(np.clip(step, -_MAX_WIDTH_STEP, _MAX_WIDTH_STEP))


def objective(gram: NDArray, moment: NDArray, scales: NDArray, w: NDArray) -> float:
    """Quadratic function that the M step maximises, −∞ where a weight of scale zero is not zero."""
    used = scales > 0
    penalty = np.square(w[used] / scales[used]).sum() + (np.inf if w[~used].any() else 0.0)
    return float(w @ moment - 0.5 * w @ gram @ w - 0.5 * penalty)


def _maximiser(gram: NDArray, moment: NDArray, scales: NDArray) -> NDArray:
    """Unconstrained maximum G (I + G ΦᵀΦ G)⁻¹ G ΦᵀH, G = diag(scales), stable for scales down to zero."""
    inner = add_to_diagonal(scales[:, None] * gram * scales, 1.0)
    return scales * solve_with_factor(robust_cholesky(inner), scales * moment)


def _until_zero(w: NDArray, goal: NDArray) -> NDArray:
    """Last point without a negative weight on the line from ``w`` to ``goal``; the first weight is free."""
    falling = np.flatnonzero(goal[1:] < 0) + 1
    share = (w[falling] / (w[falling] - goal[falling])).min()
    step = w + share * (goal - w)
    return np.append(step[0], np.maximum(step[1:], 0.0))
