"""Laplace approximation: a Gaussian at the mode of the posterior."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..numerics import weighted_normal_equations
from .posterior import Posterior, Sites, WarmStart, log_integral
from .protocols import ExpandableLikelihood, SmoothPrior, check_parts

# Most Newton steps; set by hand.
_MAX_NEWTON = 50
#: Most halvings of one Newton step; set by hand.
MAX_HALVINGS = 30
#: Smallest second derivative of a log likelihood that enters a site; numerical guard.
CURVATURE_FLOOR = 1e-12
#: Newton decrement in nats that still counts as converged where rounding allows no further step; set by hand.
STALLED_DECREMENT = 1e-4


def laplace(
    likelihood: ExpandableLikelihood,
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
        Likelihood with ``expand``.
    prior : Prior
        Prior with ``expand``.
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
    check_parts("laplace", (likelihood, ExpandableLikelihood), (prior, SmoothPrior))
    w = np.zeros(Phi.shape[1]) if start is None else start.mean
    joint = _LogJoint(likelihood, prior, Phi, y, weights)
    point = joint.at(w, Phi @ w)
    for n_iter in range(1, _MAX_NEWTON + 1):
        gradient = joint.gradient(point)
        factor, step = weighted_normal_equations(Phi, point.sites.precision, point.prior_curvature, gradient)
        decrement = gradient @ step
        after = None if decrement <= 2 * tol else joint.line_search(point, step)
        if after is None:
            converged = decrement <= max(2 * tol, STALLED_DECREMENT)
            return point.posterior(factor, n_iter, converged)
        point = after
    return point.posterior(joint.factor(point), n_iter, False)


def newton_step(
    likelihood: ExpandableLikelihood,
    prior: SmoothPrior,
    Phi: NDArray,
    y: NDArray,
    weights: NDArray,
    w: NDArray,
) -> NDArray:
    """Weights after one Newton step, halved until it does not lower the log joint density."""
    joint = _LogJoint(likelihood, prior, Phi, y, weights)
    point = joint.at(w, Phi @ w)
    gradient = joint.gradient(point)
    _, step = weighted_normal_equations(Phi, point.sites.precision, point.prior_curvature, gradient)
    return (joint.line_search(point, step) or point).w


def expanded_at_mean(
    likelihood: ExpandableLikelihood,
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
        Likelihood with ``expand``.
    prior : Prior
        Prior with ``expand``.
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
    joint = _LogJoint(likelihood, prior, Phi, y, weights)
    point = joint.at(posterior.mean, Phi @ posterior.mean)
    return replace(posterior, factor=joint.factor(point), sites=point.sites)


@dataclass(frozen=True)
class _Point:
    """Weights, latent values, log joint density in nats, sites, and derivatives of the prior."""

    w: NDArray
    f: NDArray
    log_joint: float
    sites: Sites
    prior_gradient: NDArray
    prior_curvature: NDArray

    def posterior(self, factor: NDArray, n_iter: int, converged: bool) -> Posterior:
        """Gaussian at the point with the Laplace approximation of the log evidence."""
        log_evidence = log_integral(self.log_joint, factor)
        return Posterior(self.w, factor, log_evidence, self.sites, n_iter, bool(converged))


@dataclass(frozen=True)
class _LogJoint:
    """Log joint density log p(y | Φw) + log p(w) as a function of the weights."""

    likelihood: ExpandableLikelihood
    prior: SmoothPrior
    Phi: NDArray
    y: NDArray
    weights: NDArray

    def at(self, w: NDArray, f: NDArray) -> _Point:
        """Point with weights w and latent values f = Φw."""
        log_prob, gradient, curvature = self.likelihood.expand(self.y, f)
        log_density, prior_gradient, prior_curvature = self.prior.expand(w)
        sites = Sites(self.weights * np.maximum(curvature, CURVATURE_FLOOR), self.weights * gradient)
        return _Point(w, f, self.weights @ log_prob + log_density, sites, prior_gradient, prior_curvature)

    def gradient(self, point: _Point) -> NDArray:
        """Gradient of the log joint density."""
        return self.Phi.T @ point.sites.residual + point.prior_gradient

    def factor(self, point: _Point) -> NDArray:
        """Cholesky factor of minus the Hessian."""
        precision, gradient = point.sites.precision, self.gradient(point)
        return weighted_normal_equations(self.Phi, precision, point.prior_curvature, gradient)[0]

    def line_search(self, point: _Point, step: NDArray) -> _Point | None:
        """Point after the longest of 1, 1/2, 1/4, ... steps that is no descent; None where there is none."""
        direction = self.Phi @ step
        for halving in range(MAX_HALVINGS):
            size = 0.5**halving
            after = self.at(point.w + size * step, point.f + size * direction)
            if after.log_joint >= point.log_joint:
                return after
        return None
