"""Spike-and-slab prior: weights that are zero or nearly so, but for a few from a wide Gaussian.

It has no Gaussian part, so it is no `Prior`; factorised expectation propagation and Gibbs sampling use it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit


class Moments(NamedTuple):
    """Inclusion probabilities P(slab), means and variances of the weights."""

    inclusion: NDArray
    mean: NDArray
    var: NDArray


@dataclass(frozen=True)
class SpikeSlab:
    """w_j ~ ρ_j N(0, slab) + (1 − ρ_j) N(0, spike), independent (thesis 7.3, 7.4).

    Parameters
    ----------
    inclusion : ndarray of shape (n_weights,)
        Prior inclusion probabilities ρ_j; ρ_j = 1 gives a Gaussian prior.
    slab : float, default=1.0
        Variance of the slab.
    spike : float, default=0.0
        Variance of the spike; zero makes it a point mass.
    """

    inclusion: NDArray
    slab: float = 1.0
    spike: float = 0.0

    @property
    def variance(self) -> NDArray:
        """Prior variances of the weights."""
        return self.inclusion * self.slab + (1 - self.inclusion) * self.spike

    @cached_property
    def _log_odds(self) -> NDArray:
        return logit(self.inclusion)

    def tilted(self, precision: NDArray, shift: NDArray) -> Moments:
        """Moments of the prior times exp(shift·w − ½ precision·w²), precision ≥ 0 (thesis 7.27-7.33)."""
        log_slab, mean_slab, var_slab = _component(self.slab, precision, shift)
        log_spike, mean_spike, var_spike = _component(self.spike, precision, shift)
        rho = expit(self._log_odds + log_slab - log_spike)
        mean = mean_spike + rho * (mean_slab - mean_spike)
        var = var_spike + rho * (var_slab - var_spike + (1 - rho) * np.square(mean_slab - mean_spike))
        return Moments(rho, mean, var)

    def log_normaliser(self, precision: NDArray, shift: NDArray) -> float:
        """log ∫ prior(w) exp(shift·w − ½ precision·w²) dw, summed over the weights."""
        log_slab, log_spike = (
            _component(variance, precision, shift)[0] for variance in (self.slab, self.spike)
        )
        with np.errstate(divide="ignore"):
            slab, spike = np.log(self.inclusion) + log_slab, np.log1p(-self.inclusion) + log_spike
        return float(np.sum(np.logaddexp(slab, spike)))


def _component(variance: float, precision: NDArray, shift: NDArray) -> tuple[Any, Any, Any]:
    """Log integral, mean and variance of N(w | 0, variance) exp(shift·w − ½ precision·w²)."""
    if variance == 0:
        return 0.0, 0.0, 0.0
    spread = 1 + variance * precision
    var = variance / spread
    mean = shift * var
    return 0.5 * (shift * mean - np.log(spread)), mean, var
