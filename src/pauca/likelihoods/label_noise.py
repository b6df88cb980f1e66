"""Labels of which an unknown share ε is wrong, and classes of which only likelihoods are known."""

from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, logsumexp, ndtr, softmax

from ..numerics import log_ndtr, votes
from .multinomial import MultinomialProbit

# Log probability in nats, beside the most probable true class, below which a class is left out of the moments
# of a row; numerical guard.
_NEGLIGIBLE = -25.0
# Least share of a variance that is left; numerical guard.
_LEAST_SHARE = 1e-10


def _compiled() -> ModuleType:
    """Module of the compiled moments, which loads numba."""
    return import_module("pauca.numerics.compiled_moments")


@dataclass(frozen=True)
class LabelNoise:
    """p(y | f, ε) = ε + (1 − 2ε) step(y f) with ε ~ Beta(a, b), y in {-1, +1}.

    Only the number of errors counts, not their size. The step has no derivatives, so this likelihood is for
    expectation propagation alone.

    Parameters
    ----------
    a, b : float, default=1.0 and 10.0
        Parameters of the Beta distribution of ε.
    known : bool, default=False
        Whether ε is the constant a / (a + b).
    """

    a: float = 1.0
    b: float = 10.0
    known: bool = False

    @classmethod
    def fixed(cls, rate: float) -> "LabelNoise":
        """Likelihood of labels of which the known share ``rate`` is wrong."""
        return cls(float(rate), 1.0 - float(rate), True)

    @property
    def mean(self) -> float:
        """E[ε]."""
        return self.a / (self.a + self.b)

    @property
    def log_norm(self) -> float:
        """Log of the normaliser of the Beta distribution; zero where ε is known."""
        return 0.0 if self.known else float(betaln(self.a, self.b))

    def tilt(
        self,
        mean: ArrayLike,
        var: ArrayLike,
        a: ArrayLike | None = None,
        b: ArrayLike | None = None,
        weights: ArrayLike = 1.0,
    ) -> NDArray:
        """Moments of N(mean, var) times the factor of the labels of each row.

        Parameters
        ----------
        mean, var : array_like
            Mean and variance of the latent value.
        a, b : array_like, optional
            Parameters of the distribution of ε; by default those of the likelihood.
        weights : array_like, default=1.0
            Weight of the label of each row, or two columns: weights of its labels +1 and −1.

        Returns
        -------
        moments : ndarray of shape (4, n_rows)
            log Z, P(f < 0), the gradient √var ∂log Z/∂mean, and the ratio of the tilted variance to ``var``.
        """
        a, b = self.a if a is None else a, self.b if b is None else b
        parts = mean, var, a, b, *votes(weights).T
        parts = np.broadcast_arrays(*(np.asarray(part, dtype=float) for part in parts))
        mean, var, a, b, right, wrong = (part.copy() for part in np.atleast_1d(*parts))
        return _compiled().tilt_rows(mean, var, a, b, self.known, right, wrong)

    def gains(self, mean: NDArray, var: NDArray, weights: NDArray, expected: bool = False) -> NDArray:
        """Information gain of the labels of each row about (f, ε) in nats, and their log Z.

        Parameters
        ----------
        mean, var : ndarray of shape (n_rows,)
            Mean and variance of the latent values.
        weights : ndarray of shape (n_rows,) or (n_rows, 2)
            Weights of the labels, as in `tilt`.
        expected : bool, default=False
            Average the gain over the labels and their opposites with their predicted probabilities.

        Returns
        -------
        gains : ndarray of shape (2, n_rows)
        """
        right, wrong = np.ascontiguousarray(votes(weights).T)
        return _compiled().gains(mean, var, self.a, self.b, self.known, right, wrong, expected)

    def matched(self, weight: ArrayLike, flip: float) -> "LabelNoise":
        """Likelihood with ε updated by a row with labels of this weight, f < 0 with probability ``flip``."""
        right, wrong = votes(weight).ravel()
        a, b = _compiled().matched_beta(self.a, self.b, self.known, right, wrong, float(flip))
        return LabelNoise(a, b, self.known)

    def log_predictive(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        """log p(y) for f ~ N(mean, var) at the mean of ε."""
        z = np.multiply(y, mean) / np.sqrt(var)
        with np.errstate(divide="ignore"):
            right, wrong = np.log1p(-self.mean), np.log(self.mean)
        return np.logaddexp(right + log_ndtr(z), wrong + log_ndtr(-z))

    def predict(self, mean: ArrayLike, var: ArrayLike) -> NDArray:
        """P(y = +1) = ε + (1 − 2ε) Ψ(m / √v) at the mean of ε (thesis 6.84)."""
        return self.mean + (1 - 2 * self.mean) * ndtr(mean / np.sqrt(var))


@dataclass
class UncertainClass:
    """Likelihood of latent values whose class is known by its log likelihoods alone.

    Parameters
    ----------
    base : MultinomialProbit
        Likelihood of the class.
    probabilities : ndarray of shape (n_rows, n_classes)
        Probability of each class of each row by the last moments.
    """

    base: MultinomialProbit = field(default_factory=MultinomialProbit)
    probabilities: NDArray = field(default_factory=lambda: np.empty((0, 0)))

    def tilted_moments(self, y: NDArray, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """log Z of each row, means and variances of its latent values; no variance grows.

        Parameters
        ----------
        y : ndarray of shape (n_rows, n_classes)
            Log likelihood of each true class of each row.
        mean, var : ndarray of shape (n_rows, n_classes)
            Moments of the latent values.
        """
        bounds = y + _most(mean, var)
        rows, classes = np.nonzero(bounds > bounds.max(axis=1, keepdims=True) + _NEGLIGIBLE)
        log_p, means, variances = self.base.tilted_moments(classes, mean[rows], var[rows])
        joint = np.full(mean.shape, -np.inf)
        joint[rows, classes] = y[rows, classes] + log_p
        self.probabilities = softmax(joint, axis=1)
        share = self.probabilities[rows, classes][:, None]
        first, second = np.zeros(mean.shape), np.zeros(mean.shape)
        np.add.at(first, rows, share * means)
        np.add.at(second, rows, share * (variances + np.square(means - mean[rows])))
        second -= np.square(first - mean)
        return logsumexp(joint, axis=1), first, np.minimum(np.maximum(second, _LEAST_SHARE * var), var)


def _most(mean, var):
    """Bound of the log probability of each class: that of beating the best class alone."""
    best, rows = mean.argmax(axis=1), np.arange(len(mean))
    gaps = mean - mean[rows, best][:, None]
    bounds = log_ndtr(gaps / np.sqrt(2 + var + var[rows, best][:, None]))
    bounds[rows, best] = 0.0
    return bounds
