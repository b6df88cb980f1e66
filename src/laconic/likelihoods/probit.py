"""Probit likelihood, closed in every integral against a Gaussian but one."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ..numerics import inverse_mills, log_ndtr, mills_curvature
from .base import BinaryLikelihood


@dataclass(frozen=True)
class Probit(BinaryLikelihood):
    """P(y | f) = Ψ(y f), y in {-1, +1}."""

    def log_prob(self, y, f):
        return log_ndtr(y * f)

    def derivatives(self, y, f):
        z = y * f
        return y * inverse_mills(z), mills_curvature(z)[0]

    def log_predictive(self, y, mean, var):
        return log_ndtr(y * mean / np.sqrt(1 + np.asarray(var)))

    def tilted_moments(self, y, mean, var):
        var = np.asarray(var)
        z = y * mean / np.sqrt(1 + var)
        _, delta = mills_curvature(z)
        tilted_mean = mean + y * var * inverse_mills(z) / np.sqrt(1 + var)
        return log_ndtr(z), tilted_mean, var * (1 + var * delta) / (1 + var)

    def predict(self, mean, var):
        """P(y = +1) = Ψ(m / √(1 + v))."""
        return ndtr(mean / np.sqrt(1 + np.asarray(var)))
