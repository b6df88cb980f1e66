"""Weights that may not be negative: Gaussian precisions and a factor for the sign."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

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
        return super().log_density(w) + np.sum(np.log(2) + log_expit(self.steepness * w[1:]))

    def derivatives(self, w):
        slope, curvature = super().derivatives(w)
        p = np.append(1.0, expit(self.steepness * w[1:]))
        return slope + self.steepness * (1 - p), curvature + self.steepness**2 * p * (1 - p)
