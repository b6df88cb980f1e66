"""Gaussian-process prior of the weights of a sparse kernel expansion, and its whitening."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numerics import robust_cholesky, solve_lower, solve_upper, solve_with_factor


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
    root : ndarray of shape (1 + n_vectors, 1 + n_vectors)
        Lower Cholesky factor R of A.
    """

    precision_matrix: NDArray
    root: NDArray

    @classmethod
    def of(cls, weight_precision: NDArray, bias_precision: float) -> "GaussianProcessPrior":
        """Prior with a precision matrix of the kernel weights and the precision of the bias before them."""
        size = 1 + len(weight_precision)
        whole = np.zeros((size, size))
        whole[0, 0], whole[1:, 1:] = bias_precision, weight_precision
        return cls(whole, robust_cholesky(whole))

    def whiten(self, Phi: NDArray, start: Any = None) -> tuple[NDArray, Any]:
        """Design Φ R⁻ᵀ and warm start of the whitened weights u = Rᵀ w, which have precision one."""
        if start is not None:
            start = replace(start, mean=self.root.T @ start.mean)
        return solve_lower(self.root, Phi.T).T, start

    def unwhiten(self, posterior: Any) -> Any:
        """Posterior of w from that of the whitened weights."""
        mean, factor = solve_upper(self.root, posterior.mean), self.root @ posterior.factor
        return replace(posterior, mean=mean, factor=factor)

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
