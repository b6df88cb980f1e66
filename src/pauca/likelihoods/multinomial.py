"""Likelihoods of several classes with one latent value each: the class of the largest is the most probable.

Matrices F of latent values have a row for each observation and a column for each class; y are class codes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp, ndtr, softmax

from ..numerics import gauss_hermite, log_ndtr, mills_terms
from ..numerics.quadrature import bell_grid

# Gauss-Hermite nodes of an integral over one standard normal variable; set by hand.
_N_NODES = 32
# Entries of the largest temporary array of a chunk of rows, 32 MB of doubles; set by hand.
_CHUNK_ENTRIES = 4_000_000
# Newton steps to the peak of an integrand, which the grid must only contain; set by hand.
_N_STEPS = 3
# Standard score from which log Ψ is taken to be zero, and the smallest φ / Ψ below it; numerical guards.
_NEAR, _LEAST_RATIO = 10.0, 1e-30
# Argument of Ψ from which its square overflows, nearly; numerical guard.
_FARTHEST = -1e150
# Largest product of Ψ in a row below which logarithms of its factors are summed instead, and the smallest
# product whose logarithm is taken; numerical guards.
_UNSAFE, _LEAST_PRODUCT = 1e-200, 1e-300
# Log probability in nats below which the integral of a class is skipped; numerical guard.
_NEGLIGIBLE = -25.0
_HALF_LOG_TAU = 0.5 * np.log(2 * np.pi)
# Ratio of the largest steepness of an integrand to its curvature at the peak, and the largest power of two of
# the steepness for which a grid is made; set by hand.
_MARGIN, _FINEST = 1.5, 14


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
        return np.concatenate([_Integral(*part).gradients() for part in _chunks(y, F, np.zeros(F.shape))])

    def log_predictive(self, y: NDArray, mean: NDArray, var: NDArray) -> NDArray:
        """log E[p(y | f)] of each row for independent f_k ~ N(mean_k, var_k)."""
        parts = _chunks(y, mean, var)
        return np.concatenate([_Integral(own, m, s, moments=False).log_value for own, m, s in parts])

    def tilted_moments(self, y: NDArray, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """log Z of each row, means and variances of its latent values under p(y | f) N(mean, var) / Z."""
        parts = []
        for part in _chunks(y, mean, var):
            integral = _Integral(*part)
            parts.append((integral.log_value, integral.gradients(), integral.variance_shares()))
        log_z, gradients, shares = (np.concatenate(part) for part in zip(*parts, strict=True))
        return log_z, mean + var * gradients, var * (1 + var * shares) / (1 + var)

    def predict(self, mean: NDArray, var: NDArray) -> NDArray:
        """Probability of each class with the latent values integrated out.

        A class of negligible probability gets that of beating the most probable class alone.
        """
        return softmax(self._log_weights(mean, var), axis=1)

    def log_probabilities(self, mean: NDArray, var: NDArray) -> NDArray:
        """Logarithms of the probabilities of `predict`, finite where these underflow."""
        return log_softmax(self._log_weights(mean, var), axis=1)

    def _log_weights(self, mean: NDArray, var: NDArray) -> NDArray:
        """Log probability of each class up to the error of quadrature."""
        best, rows = mean.argmax(axis=1), np.arange(len(mean))
        gaps = mean - mean[rows, best][:, None]
        log_p = log_ndtr(gaps / np.sqrt(2 + var + var[rows, best][:, None]))
        rows, classes = np.nonzero(log_p > _NEGLIGIBLE)
        log_p[rows, classes] = self.log_predictive(classes, mean[rows], var[rows])
        return log_p


def _chunks(y: NDArray, mean: NDArray, var: NDArray) -> Iterator[tuple[NDArray, NDArray, NDArray]]:
    """Labels, means and standard deviations s_k of chunks of rows that fit in memory, at least one chunk."""
    size = max(1, _CHUNK_ENTRIES // (mean.shape[1] * _N_NODES))
    for first in range(0, max(len(y), 1), size):
        part = slice(first, first + size)
        yield y[part], mean[part], np.sqrt(1 + var[part])


class _Integral:
    """Integral over u of each row, and its derivatives in the means.

    The class of the label is the own class, all others are its rivals. The argument of Ψ for a rival is a
    line in u, ``gaps`` + ``ratios`` · u.
    """

    def __init__(self, y: NDArray, mean: NDArray, spread: NDArray, moments: bool = True) -> None:
        self.n_classes, rows = mean.shape[1], np.arange(len(y))
        self.own = y[:, None] == np.arange(self.n_classes)
        self.rival_spread = self._rivals(spread)
        self.gaps = (mean[rows, y][:, None] - self._rivals(mean)) / self.rival_spread
        self.ratios = spread[rows, y][:, None] / self.rival_spread
        self.log_value = np.empty(len(y))
        if moments:
            self.mills, self.rival_shares = np.empty(self.gaps.shape), np.empty(self.gaps.shape)
            self.own_share = np.empty(len(y))
        peaks, steepness = _peaks(self.gaps, self.ratios)
        levels = np.ceil(np.log2(steepness)).clip(1, _FINEST).astype(int)
        for level in np.unique(levels):
            rows = np.flatnonzero(levels == level)
            self._integrate(rows, peaks[rows], bell_grid(2.0**level), moments)

    def _rivals(self, values: NDArray) -> NDArray:
        """Entries of the rivals, a row for each observation."""
        return values[~self.own].reshape(len(values), self.n_classes - 1)

    def _integrate(self, rows: NDArray, peaks: NDArray, grid: NDArray, moments: bool) -> None:
        """Integrals of some rows as sums over a ``grid`` around their peaks."""
        gaps, ratios = self.gaps[rows], self.ratios[rows]
        u = peaks[:, None] + grid
        lines = gaps[:, :, None] + ratios[:, :, None] * u[:, None]
        if moments:
            mills, _, delta = mills_terms(lines)
        log_psi = _log_ndtr(lines, mills).sum(axis=1) if moments else _log_product(lines)
        log_terms = log_psi - 0.5 * np.square(u)
        log_sum = logsumexp(log_terms, axis=1)
        self.log_value[rows] = log_sum + np.log((grid[1] - grid[0]) / np.sqrt(2 * np.pi))
        if not moments:
            return
        weights = np.exp(log_terms - log_sum[:, None])
        self.own_share[rows] = _variance(weights, u)
        self.mills[rows] = np.einsum("nq,nkq->nk", weights, mills)
        self.rival_shares[rows] = np.einsum("nq,nkq->nk", weights, delta) + _variance(weights[:, None], mills)

    def gradients(self) -> NDArray:
        """∂ log Z / ∂ mean_k, whose sum over the classes is zero."""
        rivals = -self.mills / self.rival_spread
        return self._placed(-rivals.sum(axis=1), rivals)

    def variance_shares(self) -> NDArray:
        """Share 1 + s_k² ∂² log Z / ∂ mean_k² of the variance of f_k + ε_k that is left given y.

        For the own class it is the variance of u under the integrand; for a rival the variance of r plus the
        mean of δ at the argument of Ψ. All terms are positive.
        """
        return self._placed(self.own_share, self.rival_shares)

    def _placed(self, own: NDArray, rivals: NDArray) -> NDArray:
        """Values of the own class and of the rivals in the order of the class codes."""
        result = np.empty(self.own.shape)
        result[self.own], result[~self.own] = own, rivals.ravel()
        return result


def _variance(weights: NDArray, values: NDArray) -> NDArray:
    """Weighted variance along the last axis."""
    mean = (weights * values).sum(axis=-1, keepdims=True)
    return (weights * np.square(values - mean)).sum(axis=-1)


def _log_ndtr(z: NDArray, mills: NDArray) -> NDArray:
    """log Ψ(z) computed from the ratio φ / Ψ."""
    near = np.clip(z, _FARTHEST, _NEAR)
    return np.where(
        z < _NEAR, -0.5 * np.square(near) - _HALF_LOG_TAU - np.log(np.maximum(mills, _LEAST_RATIO)), 0.0
    )


def _log_product(lines: NDArray) -> NDArray:
    """log Π Ψ over the middle axis; products negligible beside the largest of a row are only bounded."""
    product = ndtr(lines).prod(axis=1)
    if product.max(axis=1, initial=0.0).min(initial=1.0) < _UNSAFE:
        return log_ndtr(lines).sum(axis=1)
    return np.log(np.maximum(product, _LEAST_PRODUCT))


def _peaks(gaps: NDArray, ratios: NDArray) -> tuple[NDArray, NDArray]:
    """Approximate maximum of −u² / 2 + Σ log Ψ(gap + ratio · u), and the steepness for `bell_grid`.

    Newton steps from zero never go beyond the peak.
    """
    u = np.zeros(len(gaps))
    for _ in range(_N_STEPS):
        r, rho, _ = mills_terms(gaps + ratios * u[:, None])
        gradient, curvature = (ratios * r).sum(axis=1) - u, 1 + (np.square(ratios) * rho).sum(axis=1)
        u = u + gradient / curvature
    return u, np.maximum(1 + np.square(ratios).max(axis=1), _MARGIN * curvature)
