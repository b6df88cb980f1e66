"""Variational inference: the Gaussian that maximises a lower bound on the log evidence."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .laplace import laplace
from .posterior import Posterior, Sites, Start, gaussian_posterior, latent_moments

_MAX_ITER = 50
_NEARBY = 1e-4
# A cycle is expected to leave less than this share of its rise of the bound to all that follow.
_LEFT = 0.1
# What Newton's method for the mean may leave at first, in nats.
_FIRST_NEAR = 1e-2
_TINY = 1e-12


@dataclass(frozen=True)
class VariationalPosterior(Posterior):
    """Gaussian posterior with the variances of the latent values, where the next search for them begins."""

    latent_variances: np.ndarray = field(default_factory=lambda: np.empty(0))

    def start(self, stays, n_added):
        return Start(super().start(stays, n_added).mean, self.latent_variances)


def variational(likelihood, prior, Phi, y, weights, start=None, tol=1e-5):
    """Q(w) = N(mean, Σ) and the quadratic bound of the likelihood (Bishop & Tipping 2000, eq. 53-58).

    The bound log p(y | f) ≥ c + h f − ½ b f² touches where f² = ⟨f²⟩; for Gaussian noise it is exact. The
    mean by Newton's method and Σ are found in turn, neither of which lowers the bound. Precisions of prior
    and noise stay at their means: ``log_evidence`` is the lower bound for those.
    """
    var = np.zeros(len(y)) if start is None or start.sites is None else start.sites
    value, near = -np.inf, _FIRST_NEAR
    for n_iter in range(1, _MAX_ITER + 1):
        mean = laplace(_AtMean(likelihood, var), prior, Phi, y, weights, start, near).mean
        squares = np.square(Phi @ mean) + var
        b, h, c = (weights * part for part in likelihood.quadratic_bound(y, squares))
        mean, factor = gaussian_posterior(Phi, b, h, prior.precision)
        start = Start(mean)
        f, var = latent_moments(Phi, mean, factor)
        before, value = value, _lower_bound(prior, mean, factor, c + f * (h - 0.5 * b * f))
        least = tol * max(1.0, 1e-3 * abs(value))
        left = _LEFT * (value - before)
        near, converged = np.clip(left, least, _FIRST_NEAR), left < least
        if converged or n_iter == _MAX_ITER:
            break
    sites = Sites(b, h - b * f)
    return VariationalPosterior(mean, factor, value, sites, n_iter, bool(converged), var)


@dataclass(frozen=True)
class _AtMean:
    """The quadratic bound, touching at ⟨f²⟩ = f² + var, as a likelihood of the mean f."""

    likelihood: Any
    var: np.ndarray

    def log_prob(self, y, f):
        squares = np.square(f) + self.var
        b, h, c = self.likelihood.quadratic_bound(y, squares)
        return c + h * f - 0.5 * b * squares

    def derivatives(self, y, f):
        """Minus the second derivative is b + 2 f² ∂b/∂⟨f²⟩."""
        squares = np.square(f) + self.var + _TINY
        b, h, _ = self.likelihood.quadratic_bound(y, squares)
        above, below = (
            self.likelihood.quadratic_bound(y, squares * part)[0] for part in (1 + _NEARBY, 1 - _NEARBY)
        )
        return h - b * f, b + np.square(f) / squares * (above - below) / _NEARBY


def _lower_bound(prior, mean, factor, log_likelihood):
    """log ∫ exp(quadratic bound of the likelihood) p(w) dw, from its integrand at the mean."""
    at_mean = log_likelihood.sum() + prior.log_density(mean)
    return float(at_mean + 0.5 * len(mean) * np.log(2 * np.pi) - np.log(np.diag(factor)).sum())
