"""Laplace approximation: a Gaussian at the mode of the posterior."""

from dataclasses import replace

import numpy as np

from ..numerics import add_to_diagonal, robust_cholesky, solve_with_factor
from .posterior import Posterior, Sites

_MAX_NEWTON = 50
_MAX_HALVINGS = 30
_FLOOR = 1e-12


def laplace(likelihood, prior, Phi, y, weights, start=None, tol=1e-6):
    """Newton's method with step halving on log p(y | Φw) + log p(w), both concave."""
    w = np.zeros(Phi.shape[1]) if start is None else start.mean
    f = Phi @ w
    objective = _log_joint(likelihood, prior, w, f, y, weights)
    for n_iter in range(1, _MAX_NEWTON + 1):
        residual, precision, factor, gradient = _expand(likelihood, prior, Phi, w, f, y, weights)
        step = solve_with_factor(factor, gradient)
        decrement = gradient @ step
        if decrement <= 2 * tol:
            return _at_mode(w, factor, objective, precision, residual, n_iter, True)
        w, f, objective, moved = _line_search(likelihood, prior, Phi, w, f, step, objective, y, weights)
        if not moved:
            return _at_mode(w, factor, objective, precision, residual, n_iter, decrement <= 1e-4)
    residual, precision, factor, _ = _expand(likelihood, prior, Phi, w, f, y, weights)
    return _at_mode(w, factor, objective, precision, residual, n_iter, False)


def newton_step(likelihood, prior, Phi, y, weights, w):
    """Weights after one step, as long as it may be without lowering the log joint density."""
    f = Phi @ w
    objective = _log_joint(likelihood, prior, w, f, y, weights)
    _, _, factor, gradient = _expand(likelihood, prior, Phi, w, f, y, weights)
    step = solve_with_factor(factor, gradient)
    return _line_search(likelihood, prior, Phi, w, f, step, objective, y, weights)[0]


def expanded_at_mean(likelihood, prior, Phi, y, weights, posterior):
    """The posterior with sites and precision from the curvature of the likelihood at its mean."""
    mean = posterior.mean
    residual, precision, factor, _ = _expand(likelihood, prior, Phi, mean, Phi @ mean, y, weights)
    return replace(posterior, factor=factor, sites=Sites(precision, residual))


def _log_joint(likelihood, prior, w, f, y, weights):
    return weights @ likelihood.log_prob(y, f) + prior.log_density(w)


def _expand(likelihood, prior, Phi, w, f, y, weights):
    """Sites, factor of minus the Hessian, and gradient at w."""
    slope, curvature = likelihood.derivatives(y, f)
    residual, precision = weights * slope, weights * np.maximum(curvature, _FLOOR)
    prior_slope, prior_curvature = prior.derivatives(w)
    hessian = add_to_diagonal((Phi.T * precision) @ Phi, prior_curvature)
    return residual, precision, robust_cholesky(hessian), Phi.T @ residual + prior_slope


def _line_search(likelihood, prior, Phi, w, f, step, objective, y, weights):
    """The longest of 1, 1/2, 1/4, ... of the step that does not lower the objective."""
    direction = Phi @ step
    for halving in range(_MAX_HALVINGS):
        size = 0.5**halving
        value = _log_joint(likelihood, prior, w + size * step, f + size * direction, y, weights)
        if value >= objective:
            return w + size * step, f + size * direction, value, True
    return w, f, objective, False


def _at_mode(w, factor, objective, precision, residual, n_iter, converged):
    log_evidence = objective + 0.5 * len(w) * np.log(2 * np.pi) - np.log(np.diag(factor)).sum()
    return Posterior(w, factor, float(log_evidence), Sites(precision, residual), n_iter, bool(converged))
