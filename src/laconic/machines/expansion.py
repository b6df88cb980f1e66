"""What a fitted machine keeps: a posterior over the weights of a few columns."""

from dataclasses import dataclass

import numpy as np

from ..basis import with_bias
from ..inference import latent_moments
from ..likelihoods import Likelihood


@dataclass(frozen=True)
class Expansion:
    """f(x) = w_0 + Σ_j w_j (k(x, x_j) − shift_j) / scale_j with w ~ N(mean, (L Lᵀ)⁻¹), L = ``factor``.

    ``columns`` places the x_j among the machine's relevance vectors.
    """

    columns: np.ndarray
    shift: np.ndarray
    scale: np.ndarray
    mean: np.ndarray
    factor: np.ndarray
    likelihood: Likelihood

    @property
    def dual_coef(self):
        """Weights of the plain kernel columns."""
        return self.mean[1:] / self.scale

    @property
    def intercept(self):
        """Constant term beside the plain kernel columns."""
        return self.mean[0] - self.dual_coef @ self.shift

    def latent(self, K):
        """Mean and variance of f given kernel values against all relevance vectors."""
        return latent_moments(
            with_bias((K[:, self.columns] - self.shift) / self.scale), self.mean, self.factor
        )
