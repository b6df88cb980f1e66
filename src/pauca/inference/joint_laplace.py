"""Laplace's approximation of several classes at once: one mode of all weights, a Gaussian for each class."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import block_diag
from scipy.sparse.linalg import LinearOperator, cg

from ..numerics import add_to_diagonal, robust_cholesky, solve_with_factor
from .posterior import Posterior, Sites, log_integral

_MAX_NEWTON = 100
_MAX_HALVINGS = 30
_FLOOR = 1e-12
# The equations of a step of Newton's method are solved at once for so many weights at most.
_FEW = 400
# How closely they are solved for more, in how many steps of their own.
_CLOSE, _MOST_PRODUCTS = 0.1, 50


def joint_laplace(likelihood, priors, Phis, y, weights, starts=None, tol=1e-6):
    """A posterior for each class, whose means are the mode of log p(y | F) + Σ log p(w_c), F = (Φ_c w_c).

    Newton's method with all second derivatives, those between classes too. The covariance of the weights of
    one class is that with the others at their modes. The sum of log evidences is that of all classes; each of
    them has an equal share of log p(y | F).
    """
    climb = _Climb(likelihood, priors, Phis, y, weights)
    ws = [np.zeros(Phi.shape[1]) for Phi in Phis] if starts is None else [start.mean for start in starts]
    here = climb.at(ws)
    for n_iter in range(1, _MAX_NEWTON + 1):
        steps, decrement = here.newton_steps()
        if decrement <= 2 * tol:
            return here.posteriors(n_iter, True)
        after = climb.further(here, steps)
        if after is None:
            return here.posteriors(n_iter, decrement <= 1e-4)
        here = after
    return here.posteriors(n_iter, False)


@dataclass(frozen=True)
class _Climb:
    """What stays the same on the way to the mode."""

    likelihood: Any
    priors: list
    Phis: list
    y: np.ndarray
    weights: np.ndarray

    def at(self, ws):
        """The point with these weights."""
        F = np.column_stack([Phi @ w for Phi, w in zip(self.Phis, ws, strict=True)])
        log_likelihood = float(self.weights @ self.likelihood.log_prob(self.y, F))
        log_priors = [prior.log_density(w) for prior, w in zip(self.priors, ws, strict=True)]
        return _Point(self, ws, F, log_likelihood, log_priors)

    def further(self, here, steps):
        """The point after the longest of 1, 1/2, 1/4, ... of the steps that is no lower, if there is one."""
        for halving in range(_MAX_HALVINGS):
            size = 0.5**halving
            after = self.at([w + size * step for w, step in zip(here.ws, steps, strict=True)])
            if after.objective >= here.objective:
                return after
        return None


class _Point:
    """Weights of all classes, and the log joint density around them."""

    def __init__(self, climb, ws, F, log_likelihood, log_priors):
        self.climb, self.ws, self.F = climb, ws, F
        self.log_likelihood, self.log_priors = log_likelihood, log_priors
        self.objective = log_likelihood + sum(log_priors)

    def newton_steps(self):
        """Steps of the weights of each class, and the decrement of Newton's method."""
        parts = zip(self.climb.Phis, self.sites.residual.T, self.prior_derivatives, strict=True)
        gradient = np.concatenate([Phi.T @ e + prior_slope for Phi, e, (prior_slope, _) in parts])
        step = self._solved(gradient, np.concatenate([curvature for _, curvature in self.prior_derivatives]))
        return self._parts(step), float(gradient @ step)

    @cached_property
    def sites(self):
        """Those of all classes, a column for each."""
        climb = self.climb
        slope, curvature = climb.likelihood.derivatives(climb.y, self.F)
        weights = climb.weights[:, None]
        return Sites(weights * np.maximum(curvature, _FLOOR), weights * slope)

    @cached_property
    def prior_derivatives(self):
        """First derivatives and minus the second for each class."""
        return [prior.derivatives(w) for prior, w in zip(self.climb.priors, self.ws, strict=True)]

    @cached_property
    def factors(self):
        """Of minus the second derivatives within each class."""
        parts = zip(self.climb.Phis, self.sites.precision.T, self.prior_derivatives, strict=True)
        return [
            robust_cholesky(add_to_diagonal((Phi.T * b) @ Phi, prior_curvature))
            for Phi, b, (_, prior_curvature) in parts
        ]

    def _parts(self, stacked):
        """What belongs to each class."""
        return np.split(stacked, np.cumsum([len(w) for w in self.ws])[:-1])

    def _solved(self, gradient, prior_curvature):
        """H⁻¹ gradient for H minus the matrix of second derivatives."""
        d, v = self.climb.likelihood.curvature(self.F)
        d, v = self.climb.weights[:, None] * d, np.sqrt(self.climb.weights)[:, None] * v
        if len(gradient) <= _FEW:
            return self._solved_at_once(gradient, prior_curvature, d, v)
        return self._solved_by_products(gradient, prior_curvature, d, v)

    def _solved_at_once(self, gradient, prior_curvature, d, v):
        Phis = self.climb.Phis
        crossed = np.hstack([Phi * vector[:, None] for Phi, vector in zip(Phis, v.T, strict=True)])
        within = [(Phi.T * diagonal) @ Phi for Phi, diagonal in zip(Phis, d.T, strict=True)]
        hessian = block_diag(*within) - crossed.T @ crossed
        return solve_with_factor(robust_cholesky(add_to_diagonal(hessian, prior_curvature)), gradient)

    def _solved_by_products(self, gradient, prior_curvature, d, v):
        """By conjugate gradients; the parts of H within classes make it easy."""
        Phis = self.climb.Phis

        def times_hessian(x):
            U = np.column_stack([Phi @ part for Phi, part in zip(Phis, self._parts(x), strict=True)])
            pulls = d * U - v * (v * U).sum(axis=1, keepdims=True)
            rows = [Phi.T @ pull for Phi, pull in zip(Phis, pulls.T, strict=True)]
            return np.concatenate(rows) + prior_curvature * x

        def nearly_solved(x):
            parts = zip(self.factors, self._parts(x), strict=True)
            return np.concatenate([solve_with_factor(factor, part) for factor, part in parts])

        shape = (len(gradient), len(gradient))
        hessian, inverse = LinearOperator(shape, times_hessian), LinearOperator(shape, nearly_solved)
        return cg(hessian, gradient, rtol=_CLOSE, maxiter=_MOST_PRODUCTS, M=inverse)[0]

    def posteriors(self, n_iter, converged):
        """A Gaussian for each class."""
        share, result = self.log_likelihood / len(self.ws), []
        for k, (w, factor, log_prior) in enumerate(zip(self.ws, self.factors, self.log_priors, strict=True)):
            sites = Sites(self.sites.precision[:, k], self.sites.residual[:, k])
            log_evidence = log_integral(share + log_prior, factor)
            result.append(Posterior(w, factor, log_evidence, sites, n_iter, bool(converged)))
        return result
