"""Student's t noise, which outliers hardly move."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaln, logsumexp, ndtr, stdtr

from ..numerics.quadrature import GRID_REACH, peaked_grid
from .predictive import NumericLikelihood

# Means and standard deviations of the normal priors of the log squared scale, in units of the variance of y,
# and of log(freedom − 2): 6 degrees of freedom, between 2.2 and 77 with probability .95. Set by hand.
_LOG_MEANS, _LOG_STDS = np.array([-3.0, np.log(4.0)]), np.array([3.0, 1.5])
# Points of the mixture of normals and the drop of its log density at its ends; numerical guard of 1e-12.
_N_POINTS, _DROP = 161, 40.0
# Points of each of two searches for the peak of an integrand; set by hand.
_N_SEARCHED = 64
# Variance that stands for zero, and largest log precision of an integrand; numerical guards.
_LEAST_VARIANCE, _LARGEST_LOG = 1e-30, 50.0


@dataclass(frozen=True)
class StudentT(NumericLikelihood):
    """y = f + scale · t with Student's t of more than two degrees of freedom, so that y has a variance.

    log p is not concave in f: for Newton's method its curvature is replaced by its expectation over y, the
    Fisher information (ν + 1) / ((ν + 3) scale²), with which Laplace's method has no negative variances
    (Hartmann & Vanhatalo, "Laplace approximation and natural gradient for Gaussian process regression with
    heteroscedastic Student-t model", Statistics and Computing 29 (2019)). Integrals over f are mixtures over
    the variance of the noise.

    Parameters
    ----------
    scale : float, default=0.2
        Scale of the noise.
    freedom : float, default=6.0
        Degrees of freedom, above two.
    """

    scale: float = 0.2
    freedom: float = 6.0

    def log_prob(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        nu = self.freedom
        squares = np.square(np.subtract(y, f) / self.scale)
        constant = gammaln(0.5 * (nu + 1)) - gammaln(0.5 * nu) - 0.5 * np.log(nu * np.pi) - np.log(self.scale)
        return constant - 0.5 * (nu + 1) * np.log1p(squares / nu)

    def derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray]:
        nu, residual = self.freedom, np.subtract(y, f)
        width, squares = nu * self.scale**2, np.square(residual)
        total = width + squares
        return (nu + 1) * residual / total, (nu + 1) * (width - squares) / np.square(total)

    def expand(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        log_prob, gradient = self.log_prob(y, f), self.derivatives(y, f)[0]
        return log_prob, gradient, np.full(np.shape(gradient), self._information)

    def curvature_derivative(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        return np.zeros(np.broadcast_shapes(np.shape(y), np.shape(f)))

    @property
    def _information(self):
        """Fisher information of an observation about f."""
        return (self.freedom + 1) / ((self.freedom + 3) * self.scale**2)

    @property
    def log_parameters(self) -> NDArray:
        """Logarithms of the squared scale and of the degrees of freedom beyond two."""
        return np.log([self.scale**2, self.freedom - 2])

    @property
    def log_parameter_prior(self) -> tuple[NDArray, NDArray]:
        """Means and standard deviations of the priors of the log parameters."""
        return _LOG_MEANS, _LOG_STDS

    def with_log_parameters(self, values: ArrayLike) -> Self:
        squared_scale, beyond = np.exp(values).tolist()
        return replace(self, scale=squared_scale**0.5, freedom=2 + beyond)

    def parameter_derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        nu, beyond, residual = self.freedom, self.freedom - 2, np.subtract(y, f)
        variance, squares = self.scale**2, np.square(residual)
        total = nu * variance + squares
        share = squares / total
        ratio = digamma(0.5 * (nu + 1)) - digamma(0.5 * nu) - 1 / nu
        by_freedom = 0.5 * (ratio - np.log1p(squares / (nu * variance)) + (nu + 1) * share / nu)
        pull_by_freedom = residual / total - (nu + 1) * residual * variance / np.square(total)
        pull_by_scale = -(nu + 1) * residual * nu * variance / np.square(total)
        information = np.full(residual.shape, self._information)
        return (
            np.stack([0.5 * ((nu + 1) * share - 1), beyond * by_freedom]),
            np.stack([pull_by_scale, beyond * pull_by_freedom]),
            np.stack([-information, 2 * beyond / ((nu + 1) * (nu + 3)) * information]),
        )

    def rescaled(self, factor: float) -> Self:
        """Likelihood of observations that are multiplied by ``factor``."""
        return replace(self, scale=self.scale * factor)

    def log_predictive(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        return logsumexp(self._log_terms(y, mean, var, 1.0)[0], axis=-1)

    def tilted_moments(
        self, y: ArrayLike, mean: ArrayLike, var: ArrayLike
    ) -> tuple[NDArray, NDArray, NDArray]:
        return self.tempered_moments(y, mean, var, 1.0)

    def tempered_moments(
        self, y: ArrayLike, mean: ArrayLike, var: ArrayLike, power: ArrayLike
    ) -> tuple[NDArray, NDArray, NDArray]:
        log_terms, noise = self._log_terms(y, mean, var, power)
        log_z, var = logsumexp(log_terms, axis=-1), np.asarray(var)[..., None]
        share = np.exp(log_terms - log_z[..., None])
        parts = var / (var + noise) * np.subtract(y, mean)[..., None]
        shift = (share * parts).sum(axis=-1)
        spread = var * noise / (var + noise) + np.square(parts - shift[..., None])
        return log_z, mean + shift, (share * spread).sum(axis=-1)

    def predictive_cdf(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        log_shares, precisions = _gamma_grid(self.freedom)
        total = np.asarray(var)[..., None] + self.scale**2 / precisions
        return ndtr(np.subtract(y, mean)[..., None] / np.sqrt(total)) @ np.exp(log_shares)

    def predictive_moments(self, mean: ArrayLike, var: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        mean = np.asarray(mean, dtype=float)
        return mean, self.conditional_moments(mean)[1], np.asarray(var, dtype=float)

    def conditional_moments(self, f: ArrayLike) -> tuple[NDArray, NDArray]:
        f = np.asarray(f, dtype=float)
        return f, np.full(f.shape, self.scale**2 * self.freedom / (self.freedom - 2))

    def conditional_cdf(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        return stdtr(self.freedom, np.subtract(y, f) / self.scale)

    def draw(self, f: NDArray, rng: Any) -> NDArray:
        return f + self.scale * rng.standard_t(self.freedom, size=np.shape(f))

    def _log_terms(self, y, mean, var, power):
        """Log terms whose exponentials sum to E[p(y | f)^power], and the variances of noise they stand for.

        (1 + z)^−a with a = power (ν + 1) / 2 is the mean of exp(−λ z) for λ ~ Γ(a, 1): a normal density in f
        of variance ν scale² / 2λ. The integral over u = log λ is a sum around its peak.
        """
        parts = np.subtract(y, mean), var, 0.5 * np.asarray(power, dtype=float) * (self.freedom + 1)
        residual, var, shape = np.broadcast_arrays(*parts)
        var, squares, half = np.maximum(var, _LEAST_VARIANCE), np.square(residual), self._half_width
        constant = 2 * shape / (self.freedom + 1) * self.log_prob(0.0, 0.0) - gammaln(shape)

        def log_integrand(u):
            noise = half * np.exp(-u)
            total = var[..., None] + noise
            log_normal = 0.5 * (np.log(noise / total) - squares[..., None] / total)
            return shape[..., None] * u - np.exp(u) + log_normal, noise

        high = np.log(shape) + 1
        low = np.minimum(high - 4 - np.log1p(0.5 * squares / half), np.log(half / var) - 3)
        width, reach = 1 / np.sqrt(shape), (high - low + _DROP / shape) / GRID_REACH
        for _ in range(2):
            u = low[..., None] + (high - low)[..., None] * np.linspace(0, 1, _N_SEARCHED)
            peak = np.take_along_axis(u, log_integrand(u)[0].argmax(axis=-1)[..., None], axis=-1)[..., 0]
            step = (high - low) / (_N_SEARCHED - 1)
            low, high = peak - step, peak + step
        points, log_lengths = peaked_grid(peak, width, np.maximum(reach, width))
        points = np.minimum(points, _LARGEST_LOG)
        log_terms, noise = log_integrand(points)
        return log_terms + log_lengths + constant[..., None], noise

    @property
    def _half_width(self):
        """ν scale² / 2."""
        return 0.5 * self.freedom * self.scale**2


@lru_cache(maxsize=16)
def _gamma_grid(freedom: float) -> tuple[NDArray, NDArray]:
    """Log shares and values of a precision λ ~ Γ(ν/2, ν/2) at even steps of log λ.

    Student's t of ν degrees of freedom is a normal distribution of precision λ. The log density of log λ is
    ν/2 (u − e^u), which falls from its peak at zero like a line on the left and an exponential on the right.
    """
    drop = 2 * _DROP / freedom
    left, right = -(drop + np.sqrt(2 * drop) + 1e-3), np.log1p(drop + np.sqrt(2 * drop))
    logs = np.linspace(left, right, _N_POINTS)
    log_shares = 0.5 * freedom * (logs - np.exp(logs))
    return log_shares - logsumexp(log_shares), np.exp(logs)
