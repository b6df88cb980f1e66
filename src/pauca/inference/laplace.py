"""Laplace approximation: a Gaussian at the mode of the posterior."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..numerics import add_to_diagonal, robust_cholesky, solve_with_factor
from .posterior import Posterior, Sites, WarmStart, log_integral
from .protocols import SmoothLikelihood, SmoothPrior, check_parts

# Most Newton steps; set by hand.
_MAX_NEWTON = 50
#: Most halvings of one Newton step; set by hand.
MAX_HALVINGS = 30
#: Smallest second derivative of a log likelihood that enters a site; numerical guard.
CURVATURE_FLOOR = 1e-12
#: Newton decrement in nats that still counts as converged where rounding allows no further step; set by hand.
STALLED_DECREMENT = 1e-4


def laplace(
    likelihood: SmoothLikelihood,
    prior: SmoothPrior,
    Phi: NDArray,
    y: NDArray,
    weights: NDArray,
    start: WarmStart | None = None,
    tol: float = 1e-6,
) -> Posterior:
    """Gaussian at the mode of log p(y | Φw) + log p(w), both concave, by Newton's method with step halving.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood with ``log_prob`` and ``derivatives``.
    prior : Prior
        Prior with ``log_density`` and ``derivatives``.
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    y : ndarray of shape (n_rows,)
        Observations.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    start : WarmStart, optional
        Weights to start from; by default zeros.
    tol : float, default=1e-6
        Rise of the log joint density in nats, predicted for the next step, at which the search ends.

    Returns
    -------
    posterior : Posterior
    """
    check_parts("laplace", (likelihood, SmoothLikelihood), (prior, SmoothPrior))
    w = np.zeros(Phi.shape[1]) if start is None else start.mean
    f = Phi @ w
    objective = _log_joint(likelihood, prior, w, f, y, weights)
    for n_iter in range(1, _MAX_NEWTON + 1):
        sites, factor, gradient = _expand(likelihood, prior, Phi, w, f, y, weights)
        step = solve_with_factor(factor, gradient)
        decrement = gradient @ step
        if decrement <= 2 * tol:
            return _at_mode(w, factor, objective, sites, n_iter, True)
        w, f, objective, moved = _line_search(likelihood, prior, Phi, w, f, step, objective, y, weights)
        if not moved:
            return _at_mode(w, factor, objective, sites, n_iter, decrement <= STALLED_DECREMENT)
    sites, factor, _ = _expand(likelihood, prior, Phi, w, f, y, weights)
    return _at_mode(w, factor, objective, sites, n_iter, False)


def newton_step(
    likelihood: SmoothLikelihood, prior: SmoothPrior, Phi: NDArray, y: NDArray, weights: NDArray, w: NDArray
) -> NDArray:
    """Weights after one Newton step, halved until it does not lower the log joint density."""
    f = Phi @ w
    objective = _log_joint(likelihood, prior, w, f, y, weights)
    _, factor, gradient = _expand(likelihood, prior, Phi, w, f, y, weights)
    step = solve_with_factor(factor, gradient)
    return _line_search(likelihood, prior, Phi, w, f, step, objective, y, weights)[0]


def expanded_at_mean(
    likelihood: SmoothLikelihood,
    prior: SmoothPrior,
    Phi: NDArray,
    y: NDArray,
    weights: NDArray,
    posterior: Posterior,
) -> Posterior:
    """Posterior with its sites and precision replaced by those of a Laplace approximation at its mean.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood with ``derivatives``.
    prior : Prior
        Prior with ``derivatives``.
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    y : ndarray of shape (n_rows,)
        Observations.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    posterior : Posterior
        Posterior whose mean is kept.

    Returns
    -------
    posterior : Posterior
    """
    mean = posterior.mean
    sites, factor, _ = _expand(likelihood, prior, Phi, mean, Phi @ mean, y, weights)
    return replace(posterior, factor=factor, sites=sites)


def _log_joint(
    likelihood: SmoothLikelihood, prior: SmoothPrior, w: NDArray, f: NDArray, y: NDArray, weights: NDArray
) -> float:
    """log p(y | f) + log p(w)."""
    return weights @ likelihood.log_prob(y, f) + prior.log_density(w)


def _expand(
    likelihood: SmoothLikelihood,
    prior: SmoothPrior,
    Phi: NDArray,
    w: NDArray,
    f: NDArray,
    y: NDArray,
    weights: NDArray,
) -> tuple[Sites, NDArray, NDArray]:
    """Sites, Cholesky factor of minus the Hessian, and gradient of the log joint density at w."""
    gradient, curvature = likelihood.derivatives(y, f)
    sites = Sites(weights * np.maximum(curvature, CURVATURE_FLOOR), weights * gradient)
    prior_gradient, prior_curvature = prior.derivatives(w)
    hessian = add_to_diagonal((Phi.T * sites.precision) @ Phi, prior_curvature)
    return sites, robust_cholesky(hessian), Phi.T @ sites.residual + prior_gradient


def _line_search(
    likelihood: SmoothLikelihood,
    prior: SmoothPrior,
    Phi: NDArray,
    w: NDArray,
    f: NDArray,
    step: NDArray,
    objective: float,
    y: NDArray,
    weights: NDArray,
) -> tuple[NDArray, NDArray, float, bool]:
    """Weights, latent values and objective after the longest of 1, 1/2, 1/4, ... steps that is no descent."""
    direction = Phi @ step
    for halving in range(MAX_HALVINGS):
        size = 0.5**halving
        value = _log_joint(likelihood, prior, w + size * step, f + size * direction, y, weights)
        if value >= objective:
            return w + size * step, f + size * direction, value, True
    return w, f, objective, False


def _at_mode(
    w: NDArray, factor: NDArray, objective: float, sites: Sites, n_iter: int, converged: bool
) -> Posterior:
    """Posterior with the Laplace approximation of the log evidence."""
    return Posterior(w, factor, log_integral(objective, factor), sites, n_iter, bool(converged))
