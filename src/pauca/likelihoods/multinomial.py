"""Likelihoods of several classes with one latent value each: the class of the largest is the most probable.

Matrices F of latent values have a row for each observation and a column for each class; y are class codes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from ..numerics import gauss_hermite, log_ndtr

# Gauss-Hermite nodes of an integral over one standard normal variable; set by hand.
_N_NODES = 32
# Log probability in nats below which the integral of a class is skipped; numerical guard.
_NEGLIGIBLE = -25.0


@dataclass(frozen=True)
class Softmax:
    """P(y = k | f) ∝ exp(scale · f_k), whose curvatures at a mode are sites to start from.

    Parameters
    ----------
    scale : float, default=1.0
        Factor of the latent values.
    """

    scale: float = 1.0

    @classmethod
    def like_probit(cls, n_classes: int) -> "Softmax":
        """Softmax with the gradients of `MultinomialProbit` where all latent values are equal."""
        nodes, weights = gauss_hermite(_N_NODES)
        density = np.exp(-0.5 * np.square(nodes)) / np.sqrt(2 * np.pi)
        gradient = weights @ (density * np.exp((n_classes - 2) * log_ndtr(nodes)))
        return cls(float(gradient * n_classes**2))

    def log_prob(self, y: NDArray, F: NDArray) -> NDArray:
        """log p(y | f) of each row."""
        return log_softmax(self.scale * F, axis=1)[np.arange(len(y)), y]

    def derivatives(self, y: NDArray, F: NDArray) -> tuple[NDArray, NDArray]:
        """First derivatives of log p in each latent value and minus the second."""
        p = softmax(self.scale * F, axis=1)
        own = y[:, None] == np.arange(F.shape[1])
        return self.scale * (own - p), np.square(self.scale) * p * (1 - p)


@dataclass(frozen=True)
class MultinomialProbit:
    """P(y = k | f), the probability that f_k + ε_k is the largest with ε_k ~ N(0, 1).

    Against independent f_k ~ N(mean_k, var_k), with u ~ N(0, 1) and s_k² = 1 + var_k, the probability of y is
    E[Π_{k≠y} Ψ((mean_y + s_y u − mean_k) / s_k)]. The integrand has one peak and falls from there at least as
    fast as the normal density, so a short grid around the peak is enough.
    """

    #: Three standard deviations of the noise, beyond which a label is nearly certain.
    saturation = 3.0

    def log_prob(self, y: NDArray, F: NDArray) -> NDArray:
        """log p(y | f) of each row."""
        return self.log_predictive(y, F, np.zeros(F.shape))

    def gradient(self, y: NDArray, F: NDArray) -> NDArray:
        """Gradient of log p in the latent values of each row: the means of the noise ε given y."""
        return _integrals(y, F, np.zeros(F.shape))[1]

    def log_predictive(self, y: NDArray, mean: NDArray, var: NDArray) -> NDArray:
        """log E[p(y | f)] of each row for independent f_k ~ N(mean_k, var_k)."""
        return _integrals(y, mean, var)[0]

    def tilted_moments(self, y: NDArray, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """log Z of each row, means and variances of its latent values under p(y | f) N(mean, var) / Z."""
        log_z, gradients, shares = _integrals(y, mean, var)
        return log_z, mean + var * gradients, var * (1 + var * shares) / (1 + var)

    def predict(self, mean: NDArray, var: NDArray) -> NDArray:
        """Probability of each class with the latent values integrated out.

        A class of negligible probability gets that of beating the most probable class alone.
        """
        return softmax(_log_weights(mean, var), axis=1)

    def log_probabilities(self, mean: NDArray, var: NDArray) -> NDArray:
        """Logarithms of the probabilities of `predict`, finite where these underflow."""
        return log_softmax(_log_weights(mean, var), axis=1)


def _integrals(y: NDArray, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Log probabilities of the rows' classes, their gradients, and shares of variances that are left."""
    from ..numerics.compiled_classes import class_integrals

    found = np.empty(len(y)), np.empty(mean.shape), np.empty(mean.shape)
    class_integrals(_owned(y, np.int64), *_placed(mean, var), *found)
    return found


def _log_weights(mean: NDArray, var: NDArray) -> NDArray:
    """Log probability of each class up to the error of quadrature."""
    from ..numerics.compiled_classes import class_log_weights

    found = np.empty(mean.shape)
    class_log_weights(*_placed(mean, var), _NEGLIGIBLE, found)
    return found


def _placed(mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray]:
    """Means, and standard deviations s_k with the noise."""
    return _owned(mean, float), _owned(np.sqrt(1 + var), float)


def _owned(values: NDArray, dtype: type) -> NDArray:
    """Array of one layout, for which one compiled function is enough."""
    return np.require(values, dtype, ["C", "W"])
