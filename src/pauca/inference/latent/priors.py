"""Gaussian priors of latent values, and their posteriors given Gaussian sites."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...numerics import (
    add_to_diagonal,
    half_log_det,
    inverse_of_factor,
    robust_cholesky,
    solve_lower,
    solve_upper,
    solve_with_factor,
)

# Precision of a site that counts as none; numerical guard.
_NEGLIGIBLE = 1e-10
# Precision of a site, in units of the prior precision of its row, from which its posterior variance follows
# from its share in the posterior, without loss of digits; numerical guard.
_INFORMATIVE = 1e-4


@dataclass(frozen=True)
class LatentPosterior:
    """Posterior of g ~ N(0, C) given sites of precision b and shift h.

    Parameters
    ----------
    mean : ndarray of shape (n_rows,)
        Posterior mean.
    coef : ndarray of shape (n_rows,)
        C⁻¹ times the posterior mean, which is h − b · mean.
    half_log_det : float
        ½ log det(I + B C).
    factor : ndarray
        Lower Cholesky factor of I + √B C √B, or of I + ΦᵀBΦ for a design Φ.
    """

    mean: NDArray
    coef: NDArray
    half_log_det: float
    factor: NDArray


@dataclass(frozen=True)
class DensePosterior(LatentPosterior):
    """Posterior under a `DensePrior`."""

    covariance: NDArray = field(repr=False, default_factory=lambda: np.empty((0, 0)))
    root: NDArray = field(default_factory=lambda: np.empty(0))

    @cached_property
    def inverse(self) -> NDArray:
        """(I + √B C √B)⁻¹."""
        return inverse_of_factor(self.factor)

    @cached_property
    def precision(self) -> NDArray:
        """(C + B⁻¹)⁻¹."""
        return self.root[:, None] * self.inverse * self.root

    @cached_property
    def variance(self) -> NDArray:
        """Posterior variance of each row, from what an informative site takes of it, else as a difference."""
        prior, precision = np.diag(self.covariance), np.square(self.root)
        informative = precision * prior > _INFORMATIVE
        variance = np.divide(1 - np.diag(self.inverse), precision, out=prior.copy(), where=informative)
        rest = np.flatnonzero(~informative)
        if len(rest):
            half = solve_lower(self.factor, self.root[:, None] * self.covariance[:, rest])
            variance[rest] -= np.einsum("ij,ij->j", half, half)
        return np.maximum(variance, 0.0)


@dataclass(frozen=True)
class DensePrior:
    """g ~ N(0, C) with a matrix C.

    Parameters
    ----------
    covariance : ndarray of shape (n_rows, n_rows)
        C, positive definite.
    """

    covariance: NDArray

    # Prior variance of each row that is independent of the others.
    left = 0.0

    def posterior(self, precision: NDArray, shift: NDArray) -> DensePosterior:
        """Posterior given sites.

        The coefficients are √B (I + √B C √B)⁻¹ (h / √B − √B C h₀) + h₀, h₀ being the shifts of sites without
        precision: without the cancellation in h − b · mean where b is large.
        """
        C, root = self.covariance, np.sqrt(precision)
        factor = robust_cholesky(add_to_diagonal(root[:, None] * C * root, 1.0))
        has_precision = precision > _NEGLIGIBLE
        target = np.divide(shift, root, out=np.zeros(len(shift)), where=has_precision)
        coef = np.zeros(len(shift))
        if not has_precision.all():
            coef = np.where(has_precision, 0.0, shift)
            target = target - root * (C @ coef)
        coef = coef + root * solve_with_factor(factor, target)
        return DensePosterior(C @ coef, coef, half_log_det(factor), factor, C, root)


@dataclass(frozen=True)
class DesignPosterior(LatentPosterior):
    """Posterior under a `DesignPrior`, in weights."""

    weights: NDArray = field(default_factory=lambda: np.empty(0))
    design: NDArray = field(repr=False, default_factory=lambda: np.empty((0, 0)))

    @cached_property
    def variance(self) -> NDArray:
        """Posterior variance of Φw of each row."""
        return np.square(solve_lower(self.factor, self.design.T)).sum(axis=0)


@dataclass(frozen=True)
class DesignPrior:
    """g = Φ w + e with w ~ N(0, I) and independent e_i ~ N(0, left_i); sites and posteriors are those of Φ w.

    Parameters
    ----------
    design : ndarray of shape (n_rows, n_weights)
        Φ.
    left : ndarray of shape (n_rows,) or float
        Variances of e.
    """

    design: NDArray
    left: NDArray | float = 0.0

    def posterior(self, precision: NDArray, shift: NDArray) -> DesignPosterior:
        """Posterior given sites."""
        Phi = self.design
        factor = robust_cholesky(add_to_diagonal((Phi.T * precision) @ Phi, 1.0))
        weights = solve_upper(factor, solve_lower(factor, Phi.T @ shift))
        mean = Phi @ weights
        return DesignPosterior(mean, shift - precision * mean, half_log_det(factor), factor, weights, Phi)
