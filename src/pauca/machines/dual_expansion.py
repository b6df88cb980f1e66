"""What a fitted Bayes machine keeps: a Gaussian process posterior carried by some training rows."""

from dataclasses import dataclass

import numpy as np

from ..inference.ep import dual_kernel
from ..likelihoods import LabelNoise

# Predictive variances are at least this share of the prior variance.
_LEAST_SHARE = 1e-12


@dataclass(frozen=True)
class DualExpansion:
    """f(x) has mean c·coef and variance k(x, x) − c' K c, c the kernel values with rows at ``columns``."""

    columns: np.ndarray
    dual_coef: np.ndarray
    kernel: np.ndarray
    likelihood: LabelNoise
    intercept: float = 0.0

    @classmethod
    def of(cls, gram, rows, posterior, used):
        """A posterior over ``rows`` in terms of kernel values, without labels, with the rows ``used``."""
        signs = gram.y[rows]
        kernel = signs[:, None] * dual_kernel(gram.block(rows), posterior.sites[:, 0]) * signs
        return cls(np.searchsorted(used, rows), signs * posterior.coef, kernel, posterior.noise)

    def latent(self, values, prior):
        """Mean and variance of f given kernel values against all relevance vectors and prior variances."""
        c = values[:, self.columns]
        explained = ((c @ self.kernel) * c).sum(axis=1)
        least = np.maximum(_LEAST_SHARE * prior, np.finfo(float).tiny)
        return c @ self.dual_coef, np.maximum(prior - explained, least)
