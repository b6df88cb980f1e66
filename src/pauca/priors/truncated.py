"""Weights that may not be negative: Gaussian precisions and a factor for the sign."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from ..numerics import log_ndtr, mills_terms
from .ard import ARD


@dataclass(frozen=True)
class SoftTruncated(ARD):
    """p(w_j) = 2 σ(βw_j) N(w_j | 0, 1 / precision_j) for j ≥ 1; the bias w_0 has either sign.

    The density integrates to one whatever the ``steepness`` β, and becomes the half-normal as it grows
    (EPCVM 2014, section II-C).
    """

    steepness: float = 3.0

    is_positive = True

    def log_density(self, w):
        return super().log_density(w) + (len(w) - 1) * np.log(2) + log_expit(self.steepness * w[1:]).sum()

    def derivatives(self, w):
        slope, curvature = super().derivatives(w)
        p = np.append(1.0, expit(self.steepness * w[1:]))
        return slope + self.steepness * (1 - p), curvature + self.steepness**2 * p * (1 - p)


@dataclass(frozen=True)
class Truncated(ARD):
    """p(w_j) = 2 N(w_j | 0, 1 / precision_j) for w_j ≥ 0 and j ≥ 1; the bias w_0 has either sign."""

    is_positive = True
    has_factors = True

    def log_density(self, w):
        inside = (w[1:] >= 0).all()
        return super().log_density(w) + (len(w) - 1) * np.log(2) if inside else -np.inf

    @property
    def column_penalty(self):
        """A weight gains log 2 by its sign, which its column has from the labels: it is taken back."""
        return -np.log(2)

    def tilted_moments(self, mean, var):
        """log Z, mean and variance of N(mean, var) times 2·1[w ≥ 0]; of the bias as they are."""
        root = np.sqrt(var)
        z = mean / root
        r, _, delta = mills_terms(z)
        log_z, tilted_mean, tilted_var = np.log(2) + log_ndtr(z), mean + root * r, var * delta
        log_z[0], tilted_mean[0], tilted_var[0] = 0.0, mean[0], var[0]
        return log_z, tilted_mean, tilted_var

    def compiled_moments(self):
        from ..numerics.compiled_moments import truncated_moments

        return truncated_moments
