"""Probit likelihood, closed in every integral against a Gaussian but one."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ..numerics import log_ndtr, mills_terms
from .base import BinaryLikelihood


@dataclass(frozen=True)
class Probit(BinaryLikelihood):
    """P(y | f) = Ψ(y f), y in {-1, +1}."""

    def log_prob(self, y, f):
        return log_ndtr(y * f)

    def derivatives(self, y, f):
        z = y * f
        r, rho, _ = mills_terms(z)
        return y * r, rho

    def log_predictive(self, y, mean, var):
        return log_ndtr(y * mean / np.sqrt(1 + np.asarray(var)))

    def tilted_moments(self, y, mean, var):
        var = np.asarray(var)
        root = np.sqrt(1 + var)
        z = y * mean / root
        r, _, delta = mills_terms(z)
        tilted_mean = mean + y * var * r / root
        return log_ndtr(z), tilted_mean, var * (1 + var * delta) / (1 + var)

    def compiled_moments(self):
        from ..numerics.compiled_moments import probit_moments

        return probit_moments

    def predict(self, mean, var):
        """P(y = +1) = Ψ(m / √(1 + v))."""
        return ndtr(mean / np.sqrt(1 + np.asarray(var)))
