"""Gaussian-process prior of the weights of a sparse kernel expansion, and its whitening."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numerics import robust_cholesky, solve_lower, solve_upper, solve_with_factor
from .ard import ARD


@dataclass(frozen=True)
class GaussianProcessPrior:
    """w ~ N(0, A⁻¹) with A = blockdiag(bias precision, K(Z, Z) / (amplitude · scale scaleᵀ)).

    The expansion Σ_j w_j k(x, z_j) / scale_j then has the covariance of a Gaussian process with the
    covariance function amplitude · k(x, x'), projected on the vectors z_j (Rasmussen & Williams 2006,
    section 8.3).

    Parameters
    ----------
    precision_matrix : ndarray of shape (1 + n_vectors, 1 + n_vectors)
        Precision matrix A of all weights, the bias first.
    """

    precision_matrix: NDArray

    @classmethod
    def of(cls, weight_precision: NDArray, bias_precision: float) -> "GaussianProcessPrior":
        """Prior with a precision matrix of the kernel weights and the precision of the bias before them."""
        size = 1 + len(weight_precision)
        whole = np.zeros((size, size))
        whole[0, 0], whole[1:, 1:] = bias_precision, weight_precision
        return cls(whole)

    @property
    def precision(self) -> NDArray:
        """Diagonal of the precision matrix, the bias first."""
        return np.diag(self.precision_matrix)

    @cached_property
    def root(self) -> NDArray:
        """Lower Cholesky factor R of the precision matrix."""
        return robust_cholesky(self.precision_matrix)

    @property
    def whitened(self) -> ARD:
        """Prior of the whitened weights u = Rᵀ w: independent with precision one."""
        return ARD(np.ones(len(self.root)))

    def whiten_design(self, Phi: NDArray) -> NDArray:
        """Design Φ R⁻ᵀ of the whitened weights."""
        return solve_lower(self.root, Phi.T).T

    def whiten_start(self, start: Any) -> Any:
        """Warm start of the whitened weights."""
        return replace(start, mean=self.root.T @ start.mean)

    def unwhiten(self, posterior: Any) -> Any:
        """Posterior of w from that of the whitened weights."""
        return replace(
            posterior, mean=solve_upper(self.root, posterior.mean), factor=self.root @ posterior.factor
        )

    def precision_gradient(self, posterior: Any) -> NDArray:
        """Derivatives of the log evidence in the entries of A without the bias: ½ (A⁻¹ − E[w wᵀ])."""
        identity = np.eye(len(posterior.mean))
        moments = solve_with_factor(posterior.factor, identity) + np.outer(posterior.mean, posterior.mean)
        inner = robust_cholesky(self.precision_matrix[1:, 1:])
        return 0.5 * (solve_with_factor(inner, identity[1:, 1:]) - moments[1:, 1:])


def expansion_precision(gram: NDArray, scale: NDArray, amplitude: float) -> NDArray:
    """Precision matrix of the weights of kernel columns that were divided by their ``scale``.

    Parameters
    ----------
    gram : ndarray of shape (n_vectors, n_vectors)
        Kernel values of the vectors with each other.
    scale : ndarray of shape (n_vectors,)
        Scales by which the columns were divided.
    amplitude : float
        Amplitude of the covariance function.
    """
    return gram / (amplitude * np.outer(scale, scale))
