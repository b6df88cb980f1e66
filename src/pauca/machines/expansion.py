"""What a fitted machine keeps: a posterior over the weights of a few columns."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from ..basis import with_bias
from ..inference import latent_moments
from ..likelihoods import Gaussian, Likelihood
from ..numerics import inverse_diagonal
from ..priors import Gamma


@dataclass(frozen=True)
class Expansion:
    """f(x) = w_0 + Σ_j w_j (k(x, x_j) − shift_j) / scale_j with w ~ N(mean, (L Lᵀ)⁻¹), L = ``factor``.

    ``columns`` places the x_j among the machine's relevance vectors; ``alpha`` is the posterior of the
    precisions of w_1, w_2, ..., where they have one.
    """

    columns: np.ndarray
    shift: np.ndarray
    scale: np.ndarray
    mean: np.ndarray
    factor: np.ndarray
    likelihood: Likelihood
    alpha: Gamma | None = None

    @property
    def dual_coef(self):
        """Weights of the plain kernel columns."""
        return self.mean[1:] / self.scale

    @property
    def variances(self):
        """Variances of w."""
        return inverse_diagonal(self.factor)

    @property
    def dual_alpha(self):
        """Posterior of the precisions of the weights of the plain kernel columns."""
        return None if self.alpha is None else self.alpha.scaled(np.square(self.scale))

    @property
    def intercept(self):
        """Constant term beside the plain kernel columns."""
        return self.mean[0] - self.dual_coef @ self.shift

    def in_units(self, centre, factor):
        """The expansion of centre + factor · f, and of its noise."""
        mean = self.mean * factor
        mean[0] += centre
        return replace(
            self,
            mean=mean,
            factor=self.factor / factor,
            likelihood=cast(Gaussian, self.likelihood).rescaled(factor),
            alpha=self.alpha and self.alpha.scaled(factor**-2),
        )

    def latent(self, K):
        """Mean and variance of f given kernel values against all relevance vectors."""
        return latent_moments(
            with_bias((K[:, self.columns] - self.shift) / self.scale), self.mean, self.factor
        )
