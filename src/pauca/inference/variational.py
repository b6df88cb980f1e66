"""Variational inference: the Gaussian that maximises a lower bound on the log evidence."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .laplace import newton_step
from .posterior import Posterior, Sites, WarmStart, gaussian_posterior, latent_moments, log_integral
from .protocols import BoundedLikelihood, SmoothGaussianPrior, check_parts

# Most cycles of mean and covariance; set by hand.
_MAX_ITER = 50
# Relative step of the finite difference for the derivative of b in ⟨f²⟩; numerical guard.
_DIFFERENCE = 1e-4
# Rise of the bound in all later cycles as a share of the rise in the last one; set by hand.
_REMAINING_RISE = 0.1
# Tolerance per nat of the bound in units of ``tol``, where that is larger than ``tol`` itself; set by hand.
_RELATIVE_TOL = 1e-3
# Smallest ⟨f²⟩; numerical guard.
_TINY = 1e-12


@dataclass(frozen=True)
class VariationalPosterior(Posterior):
    """Gaussian posterior with the variances of the latent values, which start the next search.

    Parameters
    ----------
    mean : ndarray of shape (n_weights,)
        Posterior mean.
    factor : ndarray of shape (n_weights, n_weights)
        Lower Cholesky factor of the posterior precision.
    log_evidence : float
        Lower bound of the log marginal likelihood in nats.
    sites : Sites
        Quadratic bound of the likelihood as Gaussian pseudo-data.
    n_iter : int, default=1
        Iterations of the engine.
    converged : bool, default=True
        Whether the engine converged.
    latent_variances : ndarray of shape (n_rows,)
        Posterior variances of the latent values.
    """

    latent_variances: NDArray = field(default_factory=lambda: np.empty(0))

    def warm_start(self, stays: Any, n_added: int) -> WarmStart:
        return WarmStart(super().warm_start(stays, n_added).mean, self.latent_variances)


def variational(
    likelihood: BoundedLikelihood,
    prior: SmoothGaussianPrior,
    Phi: NDArray,
    y: NDArray,
    weights: NDArray,
    start: WarmStart | None = None,
    tol: float = 1e-5,
) -> VariationalPosterior:
    """Gaussian Q(w) for a quadratic bound of the likelihood (Bishop & Tipping 2000, eq. 53-58).

    The bound log p(y | f) ≥ c + h f − ½ b f² touches where f² = ⟨f²⟩; for Gaussian noise it is exact. A
    Newton step for the mean and an update of the covariance alternate, and neither lowers the bound.
    Precisions of prior and noise stay at their means: ``log_evidence`` is the lower bound for those.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood with ``quadratic_bound``.
    prior : Prior
        Prior with Gaussian precisions.
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    y : ndarray of shape (n_rows,)
        Observations.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    start : WarmStart, optional
        Means of the weights and variances of the latent values to start from; by default zeros.
    tol : float, default=1e-5
        Expected further rise of the bound in nats at which the search ends; relative for bounds beyond 1000.

    Returns
    -------
    posterior : VariationalPosterior
    """
    check_parts("variational", (likelihood, BoundedLikelihood), (prior, SmoothGaussianPrior))
    mean = np.zeros(Phi.shape[1]) if start is None else start.mean
    var = np.zeros(len(y)) if start is None or start.sites is None else start.sites
    value = -np.inf
    for n_iter in range(1, _MAX_ITER + 1):
        mean = newton_step(_AtMean(likelihood, var), prior, Phi, y, weights, mean)
        b, h, c = (weights * part for part in likelihood.quadratic_bound(y, np.square(Phi @ mean) + var))
        mean, factor = gaussian_posterior(Phi, b, h, prior.precision)
        f, var = latent_moments(Phi, mean, factor)
        before, value = value, _lower_bound(prior, mean, factor, c + f * (h - 0.5 * b * f))
        converged = _REMAINING_RISE * (value - before) < tol * max(1.0, _RELATIVE_TOL * abs(value))
        if converged or n_iter == _MAX_ITER:
            break
    return VariationalPosterior(mean, factor, value, Sites(b, h - b * f), n_iter, bool(converged), var)


@dataclass(frozen=True)
class _AtMean:
    """Quadratic bound that touches at ⟨f²⟩ = f² + var, as a likelihood of the mean f."""

    likelihood: BoundedLikelihood
    var: NDArray

    def log_prob(self, y: NDArray, f: NDArray) -> NDArray:
        squares = np.square(f) + self.var
        b, h, c = self.likelihood.quadratic_bound(y, squares)
        return c + h * f - 0.5 * b * squares

    def expand(self, y: NDArray, f: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Quadratic bound, its first derivative in f and minus the second."""
        return self.log_prob(y, f), *self.derivatives(y, f)

    def derivatives(self, y: NDArray, f: NDArray) -> tuple[NDArray, NDArray]:
        """First derivative in f and minus the second, b + 2 f² ∂b/∂⟨f²⟩."""
        squares = np.square(f) + self.var + _TINY
        b, h, _ = self.likelihood.quadratic_bound(y, squares)
        above, below = (
            self.likelihood.quadratic_bound(y, squares * part)[0]
            for part in (1 + _DIFFERENCE, 1 - _DIFFERENCE)
        )
        return h - b * f, b + np.square(f) / squares * (above - below) / _DIFFERENCE


def _lower_bound(
    prior: SmoothGaussianPrior, mean: NDArray, factor: NDArray, log_likelihood: NDArray
) -> float:
    """log ∫ exp(quadratic bound of the likelihood) p(w) dw, from its integrand at the mean."""
    at_mean = log_likelihood.sum() + prior.log_density(mean)
    return log_integral(at_mean, factor)
