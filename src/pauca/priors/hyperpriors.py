"""Gamma distributions of unknown precisions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln


@dataclass(frozen=True)
class Gamma:
    """Γ(x | shape, rate) = rate^shape x^(shape−1) e^(−rate x) / Γ(shape), elementwise.

    Parameters
    ----------
    shape, rate : float or ndarray
        Positive parameters of the distribution.
    """

    shape: float | NDArray
    rate: float | NDArray

    @classmethod
    def with_mean(cls, shape: float | NDArray, mean: float | NDArray) -> "Gamma":
        """Gamma distribution of the given shape and mean."""
        return cls(shape, shape / mean)

    @property
    def mean(self) -> Any:
        """⟨x⟩."""
        return self.shape / self.rate

    @property
    def mean_log(self) -> Any:
        """⟨log x⟩."""
        return digamma(self.shape) - np.log(self.rate)

    @property
    def entropy(self) -> Any:
        """Differential entropy in nats (Bishop & Tipping 2000, eq. 64)."""
        return self.shape - np.log(self.rate) + gammaln(self.shape) + (1 - self.shape) * digamma(self.shape)

    def expected_log(self, other: "Gamma") -> Any:
        """Expectation under this distribution of the log density of ``other`` (eq. 62)."""
        constant = other.shape * np.log(other.rate) - gammaln(other.shape)
        return constant + (other.shape - 1) * self.mean_log - other.rate * self.mean

    def divergence(self, other: "Gamma") -> Any:
        """Kullback-Leibler divergence from ``other`` in nats."""
        return -self.entropy - self.expected_log(other)

    def scaled(self, factor: float) -> "Gamma":
        """Distribution of ``factor`` times the variable."""
        return Gamma(self.shape, self.rate / factor)

    def updated(self, count: float | NDArray, squares: float | NDArray) -> "Gamma":
        """Posterior after ``count`` draws of N(0, 1 / x) whose squares sum to ``squares`` (eq. 25, 26)."""
        return Gamma(self.shape + 0.5 * count, self.rate + 0.5 * squares)

    def bound_penalty(self, hyperprior: "Gamma", count: float | NDArray) -> Any:
        """Nats by which not knowing x lowers a variational bound that is otherwise evaluated at ⟨x⟩.

        It is the divergence from the hyperprior and, for each of ``count`` draws, ½ (log⟨x⟩ − ⟨log x⟩).
        """
        return self.divergence(hyperprior) + 0.5 * count * (np.log(self.mean) - self.mean_log)
