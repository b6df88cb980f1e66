"""Logistic likelihood."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from .base import BinaryLikelihood


@dataclass(frozen=True)
class Logit(BinaryLikelihood):
    """P(y | f) = σ(scale · y f), y in {-1, +1}."""

    scale: float = 1.0

    def log_prob(self, y, f):
        return log_expit(self.scale * y * f)

    def derivatives(self, y, f):
        p = expit(self.scale * f)
        return self.scale * (0.5 * (y + 1) - p), np.square(self.scale) * p * (1 - p)
