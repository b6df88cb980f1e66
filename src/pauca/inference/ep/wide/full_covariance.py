"""Expectation propagation whose posterior of all weights is one Gaussian, for correlated features.

Rows have sites of their latent values, and weights have sites of their priors. A sweep updates all of them,
with damping, and costs min(n, d)²·max(n, d) operations. Where two features stand in for one another, the
posterior knows that one weight falls as the other rises; independent weights do not, and are too sure of one
of them. Regression with spike-and-slab priors: Hernández-Lobato, Hernández-Lobato & Suárez, "Expectation
propagation in linear regression models with spike-and-slab priors", Machine Learning 99 (2015).
"""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular

from ....numerics import robust_cholesky
from ...protocols import FactorisedPrior, check_parts
from ..sites import log_scale
from .correlated import CorrelatedPosterior, covariance_parts
from .observations import Observations

__all__ = ["full_covariance", "is_affordable"]

# Share of an update that is made, the sweeps without a smaller change after which it is halved, and its least
# value; set by hand.
_DAMPING, _PATIENCE, _LEAST_DAMPING = 0.7, 8, 0.05
# Least precision of the site of a prior as a share of that of the slab, and of a cavity as a share of the
# marginal precision; numerical guards. The first takes the place of negative precisions, as in the paper.
_LEAST_PRECISION, _LEAST_CAVITY = 0.01, 1e-8
# Most products of a sweep, a tenth of a second or two a fit, where the engine is not asked for; set by hand.
_MOST_PRODUCTS = 1e8


def is_affordable(X: NDArray) -> bool:
    """Whether a sweep over rows X takes few enough products.

    Parameters
    ----------
    X : ndarray of shape (n_rows, 1 + n_features)
        Rows.
    """
    return bool(float(min(X.shape)) ** 2 * max(X.shape) <= _MOST_PRODUCTS)


def full_covariance(
    observations: Observations, prior: FactorisedPrior, *, tol: float = 1e-3, max_iter: int = 200
) -> CorrelatedPosterior:
    """Expectation propagation with one Gaussian for all weights.

    Parameters
    ----------
    observations : Observations
        Rows and targets; the first column of X is that of the bias.
    prior : SpikeSlab
        Independent priors of the weights.
    tol : float, default=1e-3
        Largest change of an inclusion probability, of a mean as a share of the largest mean, or of the
        variance of a latent value as a share of itself plus one, at which the sweeps end.
    max_iter : int, default=200
        Most sweeps.

    Returns
    -------
    posterior : CorrelatedPosterior
        Without convergence its moments need not be finite.
    """
    check_parts("full_covariance", (prior, FactorisedPrior))
    sites, share, best, best_at = _Sites(observations, prior), 1.0, np.inf, 0
    n_iter, converged = 0, False
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        while not converged and n_iter < max_iter:
            n_iter += 1
            change = sites.update(share)
            share = _DAMPING if n_iter == 1 else share
            if not np.isfinite(change):
                break
            converged = change < tol
            if change < best:
                best, best_at = change, n_iter
            elif n_iter - best_at >= _PATIENCE:
                share, best, best_at = max(share / 2, _LEAST_DAMPING), np.inf, n_iter
        log_evidence = sites.log_evidence()
    proper = converged and np.isfinite(log_evidence)
    return CorrelatedPosterior(
        **sites.summary(),
        log_evidence=log_evidence if np.isfinite(log_evidence) else -np.inf,
        n_iter=n_iter,
        converged=bool(proper),
        schedule="full covariance",
    )


class _Sites:
    """Sites of the latent values of rows and of the priors of weights, with the moments that they give."""

    def __init__(self, observations: Observations, prior: FactorisedPrior) -> None:
        X, self.y, self.weights, self.noise = observations
        self.X, self.prior = np.asarray(X, dtype=float), prior
        self._tilt = import_module("pauca.inference.ep.wide.factorised_sweep").tilt_rows
        n = len(self.y)
        self.precision, self.shift = np.zeros(n), np.zeros(n)
        if self.noise > 0:
            self.precision, self.shift = self.weights / self.noise, self.weights * self.y / self.noise
        self.prior_precision = 1 / np.asarray(prior.variance, dtype=float)
        self._least = _LEAST_PRECISION / prior.slab
        self.prior_shift = np.zeros(self.X.shape[1])
        self._solve()
        self._last = prior.tilted(*self._weight_cavities())

    def _solve(self) -> None:
        """Moments of weights and latent values under all sites."""
        linear = self.prior_shift + self.X.T @ self.shift
        if self.X.shape[1] <= len(self.y):
            self._solve_weights(linear)
        else:
            self._solve_rows(linear)
        self.latent_mean = self.X @ self.mean

    def _solve_weights(self, linear: NDArray) -> None:
        """Few features: the covariance of the weights."""
        factor = robust_cholesky(np.diag(self.prior_precision) + (self.X.T * self.precision) @ self.X)
        self.covariance = cho_solve((factor, True), np.eye(len(factor)))
        self.mean = self.covariance @ linear
        self.var = np.diag(self.covariance).copy()
        self.latent_var = ((self.X @ self.covariance) * self.X).sum(axis=1)
        self._log_det = 2 * np.log(np.diag(factor)).sum()
        self._linear = linear

    def _solve_rows(self, linear: NDArray) -> None:
        """Few rows: the prior variances less what the rows tell."""
        var, root = 1 / self.prior_precision, np.sqrt(self.precision)
        XV = self.X * var
        K = XV @ self.X.T
        factor = robust_cholesky(np.eye(len(root)) + root[:, None] * K * root)
        half = solve_triangular(factor, np.diag(root), lower=True)
        self.told = half @ XV
        self.mean = var * linear - self.told.T @ (self.told @ linear)
        self.var = var - np.square(self.told).sum(axis=0)
        self.latent_var = np.diag(K) - np.square(half @ K).sum(axis=0)
        self._log_det = np.log(self.prior_precision).sum() + 2 * np.log(np.diag(factor)).sum()
        self._linear = linear

    def _weight_cavities(self) -> tuple[NDArray, NDArray]:
        """Precision and shift that the rows give each weight."""
        total = 1 / self.var
        precision = np.maximum(total - self.prior_precision, _LEAST_CAVITY * total)
        return precision, self.mean * total - self.prior_shift

    def _row_cavities(self) -> tuple[NDArray, NDArray]:
        """Mean and variance of each latent value without its own site."""
        left = np.maximum(1 - self.precision * self.latent_var, _LEAST_CAVITY)
        return (self.latent_mean - self.latent_var * self.shift) / left, self.latent_var / left

    def update(self, share: float) -> float:
        """Move all sites by a share of the way; returns the largest change of a probability or a mean."""
        if self.noise == 0:
            mean, var = self._row_cavities()
            _, gradient, curvature = self._tilt(self.y, mean, var, self.weights)
            left = 1 - curvature * var
            self.precision += share * (curvature / left - self.precision)
            self.shift += share * ((gradient + mean * curvature) / left - self.shift)
        precision, shift = self._weight_cavities()
        moments, latent_var = self.prior.tilted(precision, shift), self.latent_var
        wanted = np.maximum(1 / moments.var - precision, self._least)
        wanted_shift = moments.mean * (precision + wanted) - shift
        self.prior_precision += share * (wanted - self.prior_precision)
        self.prior_shift += share * (wanted_shift - self.prior_shift)
        try:
            self._solve()
        except (np.linalg.LinAlgError, ValueError):  # sites that overflow
            return np.inf
        spread = np.abs(self.latent_var - latent_var) / (1 + latent_var)
        return float(max(self._change(moments), spread.max()))

    def _change(self, moments: Any) -> float:
        """Largest difference of the moments from the last ones and from those of the sites."""
        before, self._last = self._last, moments
        largest = np.abs(moments.mean).max() or 1.0
        moved = max(np.abs(moments.mean - other).max() for other in (before.mean, self.mean))
        return float(max(np.abs(moments.inclusion - before.inclusion).max(), moved / largest))

    def log_evidence(self) -> float:
        """Log integral of all sites with the scales that give them the integrals of their factors."""
        evidence = 0.5 * (self._linear @ self.mean - self._log_det)
        precision, shift = self._weight_cavities()
        total, total_shift = precision + self.prior_precision, shift + self.prior_shift
        evidence += self.prior.log_normaliser(precision, shift)
        evidence += 0.5 * (np.log(total) - np.square(total_shift) / total).sum()
        if self.noise > 0:
            squares = self.weights @ np.square(self.y) / self.noise
            return float(evidence - 0.5 * (squares + self.weights.sum() * np.log(2 * np.pi * self.noise)))
        mean, var = self._row_cavities()
        log_z = self._tilt(self.y, mean, var, self.weights)[0]
        return float(evidence + log_scale(log_z, self.precision, self.shift, mean, var).sum())

    def summary(self) -> dict[str, Any]:
        """Moments of the weights and the parts of the variance of the latent value."""
        tilted = self._last
        bias_precision = self.precision.sum() + self.prior_precision[0]
        parts = {"origin": self.precision @ self.X[:, 1:] / bias_precision, "bias_var": 1 / bias_precision}
        if self.X.shape[1] <= len(self.y):
            spread, shared = covariance_parts(self.covariance[1:, 1:])
        else:
            spread, shared = 1 / self.prior_precision[1:], self.told[:, 1:]
        return {
            "inclusion": tilted.inclusion,
            "mean": self.mean,
            "var": self.var,
            "spread": spread,
            "shared": shared,
            **parts,
        }
