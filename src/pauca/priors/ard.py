"""Automatic relevance determination: one Gaussian precision for every weight."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .base import Prior
from .hyperpriors import Gamma


@dataclass(frozen=True)
class ARD(Prior):
    """w_j ~ N(0, 1 / precision_j), independent.

    Parameters
    ----------
    precision : ndarray of shape (n_weights,)
        Precisions of the weights, the bias first.
    """

    def expand(self, w: NDArray) -> tuple[float, NDArray, NDArray]:
        shift = self.precision * w
        return self._log_norm - 0.5 * self.precision @ np.square(w), -shift, self.precision

    @cached_property
    def _log_norm(self) -> float:
        return 0.5 * np.log(self.precision / (2 * np.pi)).sum()


@dataclass(frozen=True)
class GammaARD(ARD):
    """w_j ~ N(0, 1 / α_j) with unknown α_j ~ Γ(a, b); the bias w_0 has a known precision.

    Parameters
    ----------
    precision : ndarray of shape (n_weights,)
        Means of the posteriors Γ(a + ½, ·) of the α_j, the precision of the bias first.
    hyperprior : Gamma, default=Gamma(1e-6, 1e-6)
        Γ(a, b), the prior of the precisions.
    """

    # Shape and rate: nearly flat in log α; set by hand.
    hyperprior: Gamma = field(default_factory=lambda: Gamma(1e-6, 1e-6))

    @property
    def posterior(self) -> Gamma:
        return Gamma.with_mean(self.hyperprior.shape + 0.5, self.precision[1:])

    def reestimated(self, posterior: Any, accelerate: bool = False) -> Self:
        """Prior with the posteriors of the precisions re-estimated (Bishop & Tipping 2000, eq. 25).

        Parameters
        ----------
        posterior : Posterior
            Posterior of the weights, with ``mean`` and ``variances``.
        accelerate : bool, default=False
            Use MacKay's rule α ← (1 − αΣ_jj + 2a) / (μ_j² + 2b). It has the same fixed point, but its longer
            steps may lower the bound.

        Returns
        -------
        prior : GammaARD
        """
        squares, variances = np.square(posterior.mean), posterior.variances
        if accelerate:
            update = self.hyperprior.updated(np.maximum(1 - self.precision * variances, 0.0), squares)
        else:
            update = self.hyperprior.updated(1, squares + variances)
        return self.with_precision(np.append(self.precision[:1], update.mean[1:]))

    @property
    def bound_penalty(self) -> float:
        return float(np.sum(self.posterior.bound_penalty(self.hyperprior, 1)))

    @property
    def column_penalty(self) -> float:
        return float(Gamma.with_mean(self.hyperprior.shape + 0.5, 1.0).bound_penalty(self.hyperprior, 1))
