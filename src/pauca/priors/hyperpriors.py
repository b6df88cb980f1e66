"""What is not known about a precision: Gamma distributions."""

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln


@dataclass(frozen=True)
class Gamma:
    """Γ(x | shape, rate) = rate^shape x^(shape−1) e^(−rate x) / Γ(shape), elementwise."""

    shape: float | np.ndarray
    rate: float | np.ndarray

    @classmethod
    def with_mean(cls, shape, mean):
        """The distribution of the given shape and mean."""
        return cls(shape, shape / mean)

    @property
    def mean(self):
        """⟨x⟩."""
        return self.shape / self.rate

    @property
    def mean_log(self):
        """⟨log x⟩."""
        return digamma(self.shape) - np.log(self.rate)

    @property
    def entropy(self):
        """−⟨log Γ(x)⟩ (Bishop & Tipping 2000, eq. 64)."""
        return self.shape - np.log(self.rate) + gammaln(self.shape) + (1 - self.shape) * digamma(self.shape)

    def expected_log(self, other):
        """⟨log of the density of ``other``⟩ under this distribution (eq. 62)."""
        constant = other.shape * np.log(other.rate) - gammaln(other.shape)
        return constant + (other.shape - 1) * self.mean_log - other.rate * self.mean

    def divergence(self, other):
        """Kullback-Leibler divergence from ``other``."""
        return -self.entropy - self.expected_log(other)

    def scaled(self, factor):
        """Distribution of ``factor`` times the variable."""
        return Gamma(self.shape, self.rate / factor)

    def updated(self, count, squares):
        """Posterior after ``count`` draws of N(0, 1 / x) whose squares sum to ``squares`` (eq. 25, 26)."""
        return Gamma(self.shape + 0.5 * count, self.rate + 0.5 * squares)

    def bound_penalty(self, hyperprior, count):
        """What not knowing x costs a lower bound that is otherwise evaluated at ⟨x⟩.

        The divergence from the hyperprior and, for each of ``count`` draws, ½ (log⟨x⟩ − ⟨log x⟩).
        """
        return self.divergence(hyperprior) + 0.5 * count * (np.log(self.mean) - self.mean_log)
