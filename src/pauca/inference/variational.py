"""Variational inference: the Gaussian that maximises a lower bound on the log evidence."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .laplace import newton_step
from .posterior import Posterior, Sites, WarmStart, gaussian_posterior, latent_moments

_MAX_ITER = 50
_NEARBY = 1e-4
# A cycle leaves about this share of its rise of the bound to all that follow.
_LEFT = 0.1
_TINY = 1e-12


@dataclass(frozen=True)
class VariationalPosterior(Posterior):
    """Gaussian posterior with the variances of the latent values, where the next search for them begins."""

    latent_variances: np.ndarray = field(default_factory=lambda: np.empty(0))

    def warm_start(self, stays, n_added):
        return WarmStart(super().warm_start(stays, n_added).mean, self.latent_variances)


def variational(likelihood, prior, Phi, y, weights, start=None, tol=1e-5):
    """Q(w) = N(mean, Σ) and the quadratic bound of the likelihood (Bishop & Tipping 2000, eq. 53-58).

    The bound log p(y | f) ≥ c + h f − ½ b f² touches where f² = ⟨f²⟩; for Gaussian noise it is exact. A
    step of Newton's method for the mean and Σ are found in turn, neither of which lowers the bound.
    Precisions of prior and noise stay at their means: ``log_evidence`` is the lower bound for those.
    """
    mean = np.zeros(Phi.shape[1]) if start is None else start.mean
    var = np.zeros(len(y)) if start is None or start.sites is None else start.sites
    value = -np.inf
    for n_iter in range(1, _MAX_ITER + 1):
        mean = newton_step(_AtMean(likelihood, var), prior, Phi, y, weights, mean)
        b, h, c = (weights * part for part in likelihood.quadratic_bound(y, np.square(Phi @ mean) + var))
        mean, factor = gaussian_posterior(Phi, b, h, prior.precision)
        f, var = latent_moments(Phi, mean, factor)
        before, value = value, _lower_bound(prior, mean, factor, c + f * (h - 0.5 * b * f))
        converged = _LEFT * (value - before) < tol * max(1.0, 1e-3 * abs(value))
        if converged or n_iter == _MAX_ITER:
            break
    return VariationalPosterior(mean, factor, value, Sites(b, h - b * f), n_iter, bool(converged), var)


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
