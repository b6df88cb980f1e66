"""Several classes with a latent value each: the larger it is beside the others, the likelier the class.

Rows of F are those of the data, columns the classes; y are codes of classes.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax, logsumexp, ndtr, softmax

from ..numerics import gauss_hermite, log_ndtr, mills_terms
from ..numerics.quadrature import bell_grid

_N_NODES = 32
_CHUNK_ENTRIES = 4_000_000
# Steps of Newton's method to the peak of an integrand, which a grid must only contain.
_N_STEPS = 3
# Ψ is one beyond, and φ / Ψ nearly nought.
_NEAR, _LEAST = 10.0, 1e-30
# Products of Ψ need logarithms of their factors where the largest is smaller than the first of these.
_UNSAFE, _LEAST_PRODUCT = 1e-200, 1e-300
# Log probabilities below are not worth an integral.
_HOPELESS = -25.0
_HALF_LOG_TAU = 0.5 * np.log(2 * np.pi)
# The curvature of an integrand times this is how steep it may be somewhere; grids are made for powers of two
# of that, up to this power.
_MARGIN, _FINEST = 1.5, 14


@dataclass(frozen=True)
class Softmax:
    """P(y = k | f) ∝ exp(scale · f_k)."""

    scale: float = 1.0

    @classmethod
    def like_probit(cls, n_classes):
        """With the slopes of `MultinomialProbit` where all latent values are equal."""
        nodes, weights = gauss_hermite(_N_NODES)
        density = np.exp(-0.5 * np.square(nodes)) / np.sqrt(2 * np.pi)
        slope = weights @ (density * np.exp((n_classes - 2) * log_ndtr(nodes)))
        return cls(float(slope * n_classes**2))

    def log_prob(self, y, F):
        """log p(y | f) of each row."""
        return log_softmax(self.scale * F, axis=1)[np.arange(len(y)), y]

    def derivatives(self, y, F):
        """First derivatives of log p in each latent value and minus the second."""
        p = softmax(self.scale * F, axis=1)
        own = y[:, None] == np.arange(F.shape[1])
        return self.scale * (own - p), np.square(self.scale) * p * (1 - p)

    def curvature(self, F):
        """(d, v) with diag(d) − v vᵀ minus the matrix of second derivatives of each row."""
        p = softmax(self.scale * F, axis=1)
        return np.square(self.scale) * p, self.scale * p


@dataclass(frozen=True)
class MultinomialProbit:
    """P(y = k | f): the class of the largest of f_k + ε_k with ε_k ~ N(0, 1).

    Against independent f_k ~ N(mean_k, var_k), with u ~ N(0, 1) and s_k² = 1 + var_k, the probability of y is
    E[Π_{k≠y} Ψ((mean_y + s_y u − mean_k) / s_k)]. What is integrated has one peak and falls from there at
    least as fast as the normal density, so that a short grid around it is enough.
    """

    # Three standard deviations of the noise.
    saturation = 3.0

    def log_prob(self, y, F):
        """log p(y | f) of each row."""
        return self.log_predictive(y, F, np.zeros(F.shape))

    def slopes(self, y, F):
        """First derivatives of log p in each latent value: means of the noise ε given y."""
        return np.concatenate([_Integral(*part).slopes() for part in _chunks(y, F, np.zeros(F.shape))])

    def log_predictive(self, y, mean, var):
        """log E[p(y | f)] of each row."""
        parts = _chunks(y, mean, var)
        return np.concatenate([_Integral(own, m, s, moments=False).log_value for own, m, s in parts])

    def tilted_moments(self, y, mean, var):
        """log Z of each row; means and variances of all its latent values under p(y | f) N(mean, var) / Z."""
        parts = []
        for part in _chunks(y, mean, var):
            integral = _Integral(*part)
            parts.append((integral.log_value, integral.slopes(), integral.shares()))
        log_z, slopes, shares = (np.concatenate(part) for part in zip(*parts, strict=True))
        return log_z, mean + var * slopes, var * (1 + var * shares) / (1 + var)

    def predict(self, mean, var):
        """Probability of each class with the latent values integrated out.

        Of classes that the likeliest one leaves next to nothing, what it leaves them.
        """
        best, rows = mean.argmax(axis=1), np.arange(len(mean))
        gaps = mean - mean[rows, best][:, None]
        log_p = log_ndtr(gaps / np.sqrt(2 + var + var[rows, best][:, None]))
        rows, classes = np.nonzero(log_p > _HOPELESS)
        log_p[rows, classes] = self.log_predictive(classes, mean[rows], var[rows])
        return softmax(log_p, axis=1)


def _chunks(y, mean, var):
    """Parts of the rows that need little memory, at least one."""
    size = max(1, _CHUNK_ENTRIES // (mean.shape[1] * _N_NODES))
    for first in range(0, max(len(y), 1), size):
        part = slice(first, first + size)
        yield y[part], mean[part], np.sqrt(1 + var[part])


class _Integral:
    """The integral of each row, and its derivatives in the means.

    ``gaps`` between the own latent value and those of the rivals are lines in u: (own − rival + s u) / s_k.
    """

    def __init__(self, y, mean, spread, moments=True):
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

    def _rivals(self, values):
        return values[~self.own].reshape(len(values), self.n_classes - 1)

    def _integrate(self, rows, peaks, grid, moments):
        """Sums over a ``grid`` around the peaks of some rows."""
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

    def slopes(self):
        """∂ log Z / ∂ mean_k; they add to nought."""
        rivals = -self.mills / self.rival_spread
        return self._placed(-rivals.sum(axis=1), rivals)

    def shares(self):
        """1 + s_k² ∂² log Z / ∂ mean_k²: what y leaves of the variance of f_k + ε_k, as a share.

        Of the own class the variance of u under the integrand; of a rival that of r(gap), added to the mean
        of δ(gap), all of them positive.
        """
        return self._placed(self.own_share, self.rival_shares)

    def _placed(self, own, rivals):
        """Values of the own class and of the rivals in the order of the classes."""
        result = np.empty(self.own.shape)
        result[self.own], result[~self.own] = own, rivals.ravel()
        return result


def _variance(weights, values):
    """That of values along the last axis."""
    mean = (weights * values).sum(axis=-1, keepdims=True)
    return (weights * np.square(values - mean)).sum(axis=-1)


def _log_ndtr(z, mills):
    """log Ψ(z) from φ / Ψ."""
    near = np.minimum(z, _NEAR)
    return np.where(
        z < _NEAR, -0.5 * np.square(near) - _HALF_LOG_TAU - np.log(np.maximum(mills, _LEAST)), 0.0
    )


def _log_product(lines):
    """log Π Ψ over the middle axis; what is next to nothing beside the largest of a row may be larger."""
    product = ndtr(lines).prod(axis=1)
    if product.max(axis=1, initial=0.0).min(initial=1.0) < _UNSAFE:
        return log_ndtr(lines).sum(axis=1)
    return np.log(np.maximum(product, _LEAST_PRODUCT))


def _peaks(gaps, ratios):
    """About where −u² / 2 + Σ log Ψ(gap + ratio · u) is largest, and how steep it is at most.

    Steps from zero never go beyond the peak.
    """
    u = np.zeros(len(gaps))
    for _ in range(_N_STEPS):
        r, rho, _ = mills_terms(gaps + ratios * u[:, None])
        slope, curvature = (ratios * r).sum(axis=1) - u, 1 + (np.square(ratios) * rho).sum(axis=1)
        u = u + slope / curvature
    return u, np.maximum(1 + np.square(ratios).max(axis=1), _MARGIN * curvature)
