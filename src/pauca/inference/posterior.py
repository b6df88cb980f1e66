"""The Gaussian posterior that every engine returns, and what follows from it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numerics import (
    half_log_det,
    inverse_diagonal,
    robust_cholesky,
    solve_lower,
    solve_with_factor,
    weighted_normal_equations,
)

# Smallest share of the marginal precision that is left to a latent value without its own observation;
# numerical guard.
_LEAST_SHARE = 1e-10


@dataclass(frozen=True)
class Sites:
    """Likelihood as Gaussian pseudo-data: a precision b_n and a residual e_n for every observation.

    Parameters
    ----------
    precision : ndarray of shape (n_rows,)
        Precisions b_n ≥ 0.
    residual : ndarray of shape (n_rows,)
        Residuals e_n, with Φᵀe = A μ at the posterior mean μ for prior precisions A.
    """

    precision: NDArray
    residual: NDArray


@dataclass(frozen=True)
class WarmStart:
    """Point from which an engine starts.

    Parameters
    ----------
    mean : ndarray of shape (n_weights,)
        Means of the weights.
    sites : ndarray, optional
        Sites of the engine that made it, in the engine's own form.
    """

    mean: NDArray
    sites: NDArray | None = None


@dataclass(frozen=True)
class Posterior:
    """Gaussian posterior N(mean, (L Lᵀ)⁻¹) of the weights.

    Parameters
    ----------
    mean : ndarray of shape (n_weights,)
        Posterior mean.
    factor : ndarray of shape (n_weights, n_weights)
        L, the lower Cholesky factor of the posterior precision.
    log_evidence : float
        Log marginal likelihood in nats, or the engine's approximation of it.
    sites : Sites
        The likelihood as Gaussian pseudo-data.
    n_iter : int, default=1
        Iterations of the engine.
    converged : bool, default=True
        Whether the engine converged.
    """

    mean: NDArray
    factor: NDArray
    log_evidence: float
    sites: Sites
    n_iter: int = 1
    converged: bool = True

    @cached_property
    def variances(self) -> NDArray:
        """Posterior variances of the weights."""
        return inverse_diagonal(self.factor)

    @property
    def weight_sites(self) -> tuple[Any, Any]:
        """Precisions and shifts of the sites of the prior; zeros where it has no further factors."""
        return 0.0, 0.0

    def warm_start(self, stays: Any, n_added: int) -> WarmStart:
        """Start for a design without some of the columns and with others added at the end.

        Parameters
        ----------
        stays : slice or ndarray of int
            Columns that stay.
        n_added : int
            Number of columns that are added; their weights start at zero.

        Returns
        -------
        start : WarmStart
        """
        return WarmStart(np.append(self._mean_without(stays), np.zeros(n_added)))

    def _mean_without(self, stays: Any) -> NDArray:
        """Mean of the weights that stay, given that the others are zero."""
        leaves = np.ones(len(self.mean), dtype=bool)
        leaves[stays] = False
        if not leaves.any():
            return self.mean
        staying, leaving = self.factor[stays], self.factor[leaves]
        cross = staying @ (leaving.T @ self.mean[leaves])
        return self.mean[stays] + solve_with_factor(robust_cholesky(staying @ staying.T), cross)

    def latent(self, Phi: NDArray) -> tuple[NDArray, NDArray]:
        """Mean and variance of f = Φ w for each row of Φ."""
        return latent_moments(Phi, self.mean, self.factor)


def latent_moments(Phi: NDArray, mean: NDArray, factor: NDArray) -> tuple[NDArray, NDArray]:
    """Mean and variance of the latent values Φ w for w ~ N(mean, (L Lᵀ)⁻¹).

    Parameters
    ----------
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    mean : ndarray of shape (n_weights,)
        Mean of the weights.
    factor : ndarray of shape (n_weights, n_weights)
        L, the lower Cholesky factor of the precision of the weights.

    Returns
    -------
    mean, var : ndarray of shape (n_rows,)
    """
    # Rows beyond the root of the largest number have an infinite variance.
    with np.errstate(over="ignore"):
        return Phi @ mean, np.square(solve_lower(factor, Phi.T)).sum(axis=0)


def gaussian_posterior(
    Phi: NDArray,
    site_precision: NDArray,
    natural_mean: NDArray,
    prior_precision: NDArray,
    prior_natural_mean: NDArray | float = 0.0,
) -> tuple[NDArray, NDArray]:
    """Posterior of the weights given Gaussian pseudo-data.

    Parameters
    ----------
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    site_precision, natural_mean : ndarray of shape (n_rows,)
        Precisions b_n ≥ 0 of the pseudo-data, and precisions times means.
    prior_precision : ndarray of shape (n_weights,)
        Diagonal of A.
    prior_natural_mean : ndarray of shape (n_weights,) or float, default=0.0
        Precisions times means of the prior.

    Returns
    -------
    mean : ndarray of shape (n_weights,)
        Posterior mean.
    factor : ndarray of shape (n_weights, n_weights)
        Lower Cholesky factor of the posterior precision A + Φᵀ B Φ.
    """
    natural_mean = Phi.T @ natural_mean + prior_natural_mean
    factor, mean = weighted_normal_equations(Phi, site_precision, prior_precision, natural_mean)
    return mean, factor


def log_integral(log_peak: float, factor: NDArray, prior_precision: NDArray | None = None) -> float:
    """Log of the integral of exp(log_peak − ½ (w − μ)ᵀ L Lᵀ (w − μ)) over w: a log evidence from its peak.

    Parameters
    ----------
    log_peak : float
        Log of the integrand at its peak.
    factor : ndarray of shape (n_weights, n_weights)
        L, the lower Cholesky factor of the posterior precision.
    prior_precision : ndarray of shape (n_weights,), optional
        Precisions α of a Gaussian prior whose normaliser ½ Σ log (α_j / 2π) is not part of ``log_peak``.

    Returns
    -------
    log_integral : float
        ``log_peak`` + ½ M log 2π − Σ log L_jj; with ``prior_precision``, ½ Σ log α_j in place of ½ M log 2π.
    """
    if prior_precision is None:
        return float(log_peak + 0.5 * len(factor) * np.log(2 * np.pi) - half_log_det(factor))
    return float(log_peak + (0.5 * np.log(prior_precision).sum() - half_log_det(factor)))


def column_gradient(Phi: NDArray, posterior: Posterior) -> NDArray:
    """Derivatives of the log evidence in the entries of Φ at fixed sites: e_n m − b_n Σ φ_n.

    They are exact where the evidence is stationary in the sites: Gaussian noise, the fixed point of
    expectation propagation, a variational bound. For Laplace they leave out the change of the curvatures.

    Parameters
    ----------
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    posterior : Posterior
        Posterior of the weights for this design.

    Returns
    -------
    gradient : ndarray of shape (n_rows, n_weights)
    """
    sites, mean = posterior.sites, posterior.mean
    return np.outer(sites.residual, mean) - (solve_with_factor(posterior.factor, Phi.T) * sites.precision).T


def leave_one_out(
    Phi: NDArray, posterior: Posterior, own_column: NDArray | None = None
) -> tuple[NDArray, NDArray]:
    """Leave-one-out mean and variance of each latent value, at fixed prior precisions.

    Parameters
    ----------
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    posterior : Posterior
        Posterior of the weights for this design.
    own_column : ndarray of shape (n_rows,), optional
        Index of the column that is centred on each observation, -1 where there is none. It is removed with
        its observation: a column that would not exist without it makes the ordinary estimate optimistic.

    Returns
    -------
    mean, var : ndarray of shape (n_rows,)
    """
    mean, var = posterior.latent(Phi)
    sites = posterior.sites
    natural_mean = sites.precision * mean + sites.residual
    if own_column is not None:
        mean, var = _without_own_column(Phi, posterior, own_column, mean, var)
    share = np.maximum(1 - sites.precision * var, _LEAST_SHARE)
    return (mean - var * natural_mean) / share, var / share


def _without_own_column(
    Phi: NDArray, posterior: Posterior, own_column: NDArray, mean: NDArray, var: NDArray
) -> tuple[NDArray, NDArray]:
    """Latent moments conditioned on w_j = 0 for the rows that own a column j."""
    rows = np.flatnonzero(own_column >= 0)
    columns = own_column[rows]
    covariance = solve_with_factor(posterior.factor, np.eye(len(posterior.mean)))
    cross = np.einsum("nm,mn->n", Phi[rows], covariance[:, columns])
    owned = posterior.variances[columns]
    mean, var = mean.copy(), var.copy()
    mean[rows] -= posterior.mean[columns] * cross / owned
    var[rows] = np.maximum(var[rows] - np.square(cross) / owned, 0.0)
    return mean, var
