"""Priors of weights that must not be negative: a Gaussian precision and a factor for the sign."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from ..numerics import log_ndtr, mills_terms
from .ard import ARD


@dataclass(frozen=True)
class SoftTruncated(ARD):
    """p(w_j) = 2 σ(βw_j) N(w_j | 0, 1 / precision_j) for j ≥ 1; the bias w_0 has either sign.

    The density integrates to one for every β and becomes half-normal as β grows (EPCVM 2014, section II-C).

    Parameters
    ----------
    precision : ndarray of shape (n_weights,)
        Precisions of the weights, the bias first.
    steepness : float, default=3.0
        β, the steepness of the soft truncation.
    counts_sign : bool, default=False
        Whether columns are chosen by the evidence of half-normal weights, log 2 nats for the sign included.
    """

    steepness: float = 3.0
    counts_sign: bool = False

    is_positive = True

    def expand(self, w: NDArray) -> tuple[float, NDArray, NDArray]:
        log_density, gradient, curvature = super().expand(w)
        log_density = log_density + (len(w) - 1) * np.log(2) + log_expit(self.steepness * w[1:]).sum()
        p = np.append(1.0, expit(self.steepness * w[1:]))
        return log_density, gradient + self.steepness * (1 - p), curvature + self.steepness**2 * p * (1 - p)


@dataclass(frozen=True)
class Truncated(ARD):
    """p(w_j) = 2 N(w_j | 0, 1 / precision_j) for w_j ≥ 0 and j ≥ 1; the bias w_0 has either sign.

    Parameters
    ----------
    precision : ndarray of shape (n_weights,)
        Precisions of the weights, the bias first.
    counts_sign : bool, default=False
        Whether the evidence that decides about columns counts the log 2 nats of each sign.
    """

    counts_sign: bool = False

    is_positive = True
    has_factors = True

    def expand(self, w: NDArray) -> tuple[float, NDArray, NDArray]:
        log_density, gradient, curvature = super().expand(w)
        inside = (w[1:] >= 0).all()
        return log_density + (len(w) - 1) * np.log(2) if inside else -np.inf, gradient, curvature

    @property
    def column_penalty(self) -> float:
        """−log 2 nats, which remove the gain in evidence by the sign of a weight: the labels give it away."""
        return 0.0 if self.counts_sign else -np.log(2)

    def tilted_moments(self, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """log Z, mean and variance of N(mean, var) times 2·1[w ≥ 0]; the bias has no such factor."""
        root = np.sqrt(var)
        z = mean / root
        r, _, delta = mills_terms(z)
        log_z, tilted_mean, tilted_var = np.log(2) + log_ndtr(z), mean + root * r, var * delta
        log_z[0], tilted_mean[0], tilted_var[0] = 0.0, mean[0], var[0]
        return log_z, tilted_mean, tilted_var

    def compiled_moments(self) -> Callable:
        from ..numerics.compiled_moments import truncated_moments

        return truncated_moments
