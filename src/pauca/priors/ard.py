"""Automatic relevance determination: one Gaussian precision for every weight."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from .hyperpriors import Gamma


@dataclass(frozen=True)
class ARD:
    """w_j ~ N(0, 1 / precision_j), independent."""

    precision: np.ndarray

    # Whether all weights but the bias must be positive.
    is_positive = False
    # Whether the density has factors besides the Gaussian, with ``tilted_moments`` of their own.
    has_factors = False

    def log_density(self, w):
        """log p(w)."""
        return self._log_norm - 0.5 * self.precision @ np.square(w)

    @cached_property
    def _log_norm(self):
        return 0.5 * np.log(self.precision / (2 * np.pi)).sum()

    def derivatives(self, w):
        """Gradient of the log density and minus its (diagonal) second derivative."""
        return -self.precision * w, self.precision

    def compiled_moments(self):
        """Mean and variance of N(mean, var) times the other factor of a weight, as machine code."""
        from ..numerics.compiled_moments import unchanged_moments

        return unchanged_moments

    def with_precision(self, precision):
        """The same kind of prior with other precisions."""
        return replace(self, precision=precision)

    @property
    def posterior(self) -> Gamma | None:
        """Posterior of the precisions of all weights but the bias; known precisions have none."""
        return None

    @property
    def bound_penalty(self):
        """What not knowing the precisions costs the lower bound; known precisions cost nothing."""
        return 0.0

    @property
    def column_penalty(self):
        """The part of the cost that every column pays, relevant or not."""
        return 0.0

    def size_penalty(self, large):
        """Minus the log density of the precisions α before any data, up to a constant.

        It is flat in log α where weights of size 1/√α are small beside ``large`` and falls as √α beyond:
        where classes separate, the evidence alone would let weights grow without end.
        """
        return 0.5 * float(np.log1p(1 / (self.precision[1:] * large**2)).sum())


@dataclass(frozen=True)
class GammaARD(ARD):
    """w_j ~ N(0, 1 / α_j) with α_j ~ Γ(a, b), the ``hyperprior``; the bias w_0 has a known precision.

    ``precision`` holds the means of the posteriors Γ(a + ½, ·) of the α_j.
    """

    hyperprior: Gamma = field(default_factory=lambda: Gamma(1e-6, 1e-6))

    @property
    def posterior(self):
        """Posterior of the precisions of all weights but the bias."""
        return Gamma.with_mean(self.hyperprior.shape + 0.5, self.precision[1:])

    def reestimated(self, posterior, accelerate=False):
        """The prior with the posteriors of the precisions re-estimated (Bishop & Tipping 2000, eq. 25).

        With ``accelerate`` by MacKay's rule α ← (1 − αΣ_jj + 2a) / (μ_j² + 2b): the same fixed point in
        longer steps that may lower the bound.
        """
        squares, variances = np.square(posterior.mean), posterior.variances
        if accelerate:
            update = self.hyperprior.updated(np.maximum(1 - self.precision * variances, 0.0), squares)
        else:
            update = self.hyperprior.updated(1, squares + variances)
        return self.with_precision(np.append(self.precision[:1], update.mean[1:]))

    @property
    def bound_penalty(self):
        return float(np.sum(self.posterior.bound_penalty(self.hyperprior, 1)))

    @property
    def column_penalty(self):
        return float(Gamma.with_mean(self.hyperprior.shape + 0.5, 1.0).bound_penalty(self.hyperprior, 1))
