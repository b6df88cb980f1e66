"""Probit likelihood, whose integrals against a Gaussian are closed but for the expected log probability."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from ..numerics import log_ndtr, log_ndtr_by_mills, mills_terms
from .base import BinaryLikelihood


@dataclass(frozen=True)
class Probit(BinaryLikelihood):
    """P(y | f) = Ψ(y f) with the standard normal distribution Ψ, y in {-1, +1}."""

    def log_prob(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        return log_ndtr(np.multiply(y, f))

    def derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray]:
        r, rho, _ = mills_terms(np.multiply(y, f))
        return np.multiply(y, r), rho

    def expand(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        z = np.multiply(y, f)
        r, rho, _ = mills_terms(z)
        return log_ndtr_by_mills(z, r), np.asarray(y) * r, rho

    def log_predictive(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        return log_ndtr(np.multiply(y, mean) / np.sqrt(1 + np.asarray(var)))

    def tilted_moments(
        self, y: ArrayLike, mean: ArrayLike, var: ArrayLike
    ) -> tuple[NDArray, NDArray, NDArray]:
        var = np.asarray(var)
        root = np.sqrt(1 + var)
        z = np.multiply(y, mean) / root
        r, _, delta = mills_terms(z)
        tilted_mean = mean + y * var * r / root
        return log_ndtr(z), tilted_mean, var * (1 + var * delta) / (1 + var)

    def compiled_moments(self) -> Callable:
        from ..numerics.compiled_moments import probit_moments

        return probit_moments

    def predict(self, mean: ArrayLike, var: ArrayLike) -> NDArray:
        """P(y = +1) = Ψ(m / √(1 + v))."""
        return ndtr(mean / np.sqrt(1 + np.asarray(var)))
