"""What every engine returns, and what follows from it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..numerics import add_to_diagonal, inverse_diagonal, robust_cholesky, solve_lower, solve_with_factor


@dataclass(frozen=True)
class Sites:
    """The likelihood as Gaussian pseudo-data: a precision b_n and a residual e_n per observation."""

    precision: np.ndarray
    residual: np.ndarray


@dataclass(frozen=True)
class WarmStart:
    """Where an engine may begin: means of the weights and, if there are any, the sites behind them."""

    mean: np.ndarray
    sites: np.ndarray | None = None


@dataclass(frozen=True)
class Posterior:
    """Gaussian posterior N(mean, (L Lᵀ)⁻¹) of the weights, L = ``factor``."""

    mean: np.ndarray
    factor: np.ndarray
    log_evidence: float
    sites: Sites
    n_iter: int = 1
    converged: bool = True

    @cached_property
    def variances(self):
        """Diagonal of the covariance."""
        return inverse_diagonal(self.factor)

    @property
    def weight_sites(self):
        """Precisions and shifts of the sites that belong to the prior of the weights; most have none."""
        return 0.0, 0.0

    def warm_start(self, stays, n_added):
        """Where to begin after some columns have left (not ``stays``) and others have entered."""
        return WarmStart(np.append(self._mean_without(stays), np.zeros(n_added)))

    def _mean_without(self, stays):
        """Mean of the weights that stay, given that the others are zero."""
        leaves = np.ones(len(self.mean), dtype=bool)
        leaves[stays] = False
        if not leaves.any():
            return self.mean
        staying, leaving = self.factor[stays], self.factor[leaves]
        pull = staying @ (leaving.T @ self.mean[leaves])
        return self.mean[stays] + solve_with_factor(robust_cholesky(staying @ staying.T), pull)

    def latent(self, Phi):
        """Mean and variance of f = Φ w for each row of Φ."""
        return latent_moments(Phi, self.mean, self.factor)


def latent_moments(Phi, mean, factor):
    """Mean and variance of Φ w for w ~ N(mean, (L Lᵀ)⁻¹), L = ``factor``."""
    return Phi @ mean, np.square(solve_lower(factor, Phi.T)).sum(axis=0)


def gaussian_posterior(Phi, site_precision, natural_mean, prior_precision, prior_natural_mean=0.0):
    """Mean and factor of (A + Φᵀ B Φ)⁻¹ for pseudo-data with b_n ≥ 0 and natural means h_n."""
    factor = robust_cholesky(add_to_diagonal((Phi.T * site_precision) @ Phi, prior_precision))
    return solve_with_factor(factor, Phi.T @ natural_mean + prior_natural_mean), factor


def column_gradient(Phi, posterior):
    """Derivatives of the log evidence in the entries of Φ, the sites as they are: e_n m − b_n Σ φ_n.

    Nothing is left out where the evidence does not change with the sites: Gaussian noise, the fixed point of
    expectation propagation, a variational bound. Laplace's changes somewhat with its curvatures.
    """
    sites, mean = posterior.sites, posterior.mean
    return np.outer(sites.residual, mean) - (solve_with_factor(posterior.factor, Phi.T) * sites.precision).T


def leave_one_out(Phi, posterior, own_column=None):
    """Mean and variance of each latent value with its own observation taken out.

    The prior precisions stay as they are. ``own_column[n]`` names the column centred on observation n
    (-1: none); it is taken out with it, because a column that would not exist without its observation
    makes the ordinary estimate optimistic.
    """
    mean, var = posterior.latent(Phi)
    sites = posterior.sites
    natural_mean = sites.precision * mean + sites.residual
    if own_column is not None:
        mean, var = _without_own_column(Phi, posterior, own_column, mean, var)
    slack = np.maximum(1 - sites.precision * var, 1e-10)
    cavity_var = var / slack
    return (mean - var * natural_mean) / slack, cavity_var


def _without_own_column(Phi, posterior, own_column, mean, var):
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
