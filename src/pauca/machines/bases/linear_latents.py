"""Latent functions of linear models: means and variances from posteriors of the weights, or from draws."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr, ndtri

from ...validation import check_number


@dataclass(frozen=True)
class LinearPart:
    """One posterior of the weights.

    The latent value at x has mean mean_0 + x·mean and variance
    ``bias_var`` + z²·``spread`` − Σ_k (z·``shared``_k)², z = x − ``origin``.

    Parameters
    ----------
    weight : float
        Probability of this posterior.
    mean : ndarray of shape (1 + n_features,)
        Means of the weights, the bias first.
    bias_var : float
        Variance of the latent value at ``origin``.
    spread : ndarray of shape (n_features,)
        Variances of the weights without what they share.
    origin : ndarray of shape (n_features,) or None
        None: zero.
    shared : ndarray of shape (n_parts, n_features) or None
        None: weights are independent.
    """

    weight: float
    mean: NDArray
    bias_var: float
    spread: NDArray
    origin: NDArray | None = None
    shared: NDArray | None = None

    def moments(self, x: NDArray) -> tuple[NDArray, NDArray]:
        """Means and variances of the latent values of standardised rows."""
        mean = self.mean[0] + x @ self.mean[1:]
        z = x if self.origin is None else x - self.origin
        blur = np.square(z) @ self.spread
        if self.shared is not None:
            blur = np.maximum(blur - np.square(z @ self.shared.T).sum(axis=1), 0.0)
        return mean, self.bias_var + blur

    def covariance(self) -> NDArray:
        """Covariance of the weights, the bias first."""
        inner = np.diag(self.spread)
        if self.shared is not None:
            inner -= self.shared.T @ self.shared
        origin = np.zeros(len(inner)) if self.origin is None else self.origin
        cross = -inner @ origin
        return np.block(
            [[np.atleast_2d(self.bias_var - origin @ cross), cross[None]], [cross[:, None], inner]]
        )


@dataclass(frozen=True)
class LinearLatent:
    """Latent function of a mixture of posteriors.

    Parameters
    ----------
    parts : list of LinearPart
        The posteriors, whose probabilities add up to one.
    """

    parts: list

    @classmethod
    def of(cls, posterior: Any) -> Self:
        """Latent function of a posterior of any engine."""
        pairs = getattr(posterior, "parts", ((1.0, posterior),))
        total = sum(weight for weight, _ in pairs)
        return cls([_part(weight / total, each) for weight, each in pairs])

    @property
    def mean(self) -> NDArray:
        """Means of the weights, the bias first."""
        return sum(part.weight * part.mean for part in self.parts)

    @property
    def is_independent(self) -> bool:
        """Whether the weights are independent."""
        return len(self.parts) == 1 and self.parts[0].shared is None

    def moments(self, x: NDArray) -> tuple[NDArray, NDArray]:
        """Means and variances of the latent values of standardised rows."""
        if len(self.parts) == 1:
            return self.parts[0].moments(x)
        weights = np.array([part.weight for part in self.parts])
        means, variances = np.array([part.moments(x) for part in self.parts]).transpose(1, 0, 2)
        mean = weights @ means
        return mean, weights @ (variances + np.square(means - mean))

    def covariance(self) -> NDArray:
        """Covariance of the weights, the bias first."""
        gaps = [(part.weight, part.mean - self.mean, part.covariance()) for part in self.parts]
        return sum(weight * (covariance + np.outer(gap, gap)) for weight, gap, covariance in gaps)

    def rescaled(self, shift: float, factor: float) -> Self:
        """Latent function of targets in other units: shift + factor · latent value."""
        return replace(self, parts=[_rescaled(part, shift, factor) for part in self.parts])


def _part(weight, posterior):
    """Part of a latent function; weights of engines without a covariance are independent."""
    mean = np.asarray(posterior.mean, dtype=float)
    if hasattr(posterior, "shared"):
        spread, origin, shared = (
            np.asarray(part, dtype=float) for part in (posterior.spread, posterior.origin, posterior.shared)
        )
        return LinearPart(float(weight), mean, float(posterior.bias_var), spread, origin, shared)
    var = np.asarray(posterior.var, dtype=float)
    return LinearPart(float(weight), mean, float(var[0]), var[1:])


def _rescaled(part, shift, factor):
    mean = factor * part.mean
    mean[0] += shift
    shared = None if part.shared is None else factor * part.shared
    spread, bias_var = factor**2 * part.spread, factor**2 * part.bias_var
    return replace(part, mean=mean, bias_var=bias_var, spread=spread, shared=shared)


def check_gibbs(machine: Any) -> None:
    """Check the arguments of a classifier that are for Gibbs sampling."""
    for name, least in (("n_samples", 4), ("n_burn_in", 0), ("n_chains", 1)):
        check_number(name, getattr(machine, name), least, kind=Integral)
    if machine.inference == "gibbs" and (
        machine.spike_variance > 0 or machine.expected_features == "evidence"
    ):
        raise ValueError(
            "inference='gibbs' needs spike_variance=0 and a number for expected_features, for it has no "
            "evidence; use inference='ep'."
        )


def as_arrays(draws: Any) -> tuple[NDArray, NDArray, NDArray]:
    """Sparse matrix as plain arrays, which model files can hold."""
    return draws.data, draws.indices, draws.indptr


def _matrix(arrays, n_columns):
    """Sparse matrix of plain arrays; inconsistent arrays raise a ValueError."""
    draws = sparse.csr_matrix(arrays, shape=(len(arrays[2]) - 1, n_columns))
    draws.check_format(full_check=True)
    return draws


def drawn_moments(draws: Sequence[Any], X: NDArray) -> tuple[NDArray, NDArray]:
    """Means and variances of the latent values of standardised rows, a column for each latent function.

    For two classes: of the Gaussian that has the mean probability of the draws.
    """
    x = np.hstack([np.ones((len(X), 1)), X])
    latent = [(_matrix(arrays, x.shape[1]) @ x.T).T for arrays in draws]
    if len(latent) == 1:
        probability = np.clip(ndtr(latent[0]).mean(axis=1, keepdims=True), 1e-300, 1 - 1e-16)
        return ndtri(probability), np.zeros((len(X), 1))
    means, variances = (np.column_stack([moment(f, axis=1) for f in latent]) for moment in (np.mean, np.var))
    return means, variances
