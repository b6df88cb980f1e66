"""Bayesian linear regression, and predictions that lean on it where a kernel machine is ignorant."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

# Logarithms of the ratio of prior and noise precision between which the evidence is maximised, for features
# of variance one and one row; numerical guard.
_LOG_RATIOS = (-12.0, 12.0)
# Least noise variance as a share of the variance of the targets; numerical guard.
_LEAST_NOISE = 1e-10


@dataclass(frozen=True)
class LinearModel:
    """y = intercept + coef · x + noise, one prior variance for all weights of standardised features.

    Parameters
    ----------
    centre : ndarray of shape (n_features,)
        Means of the features.
    coef : ndarray of shape (n_features,)
        Posterior means of the weights.
    intercept : float
        Mean of y at the centre.
    half : ndarray of shape (n_features, n_features)
        Matrix H such that H Hᵀ is the posterior covariance of the weights.
    noise : float
        Variance of the noise.
    count : float
        Summed weight of the rows.
    """

    centre: NDArray
    coef: NDArray
    intercept: float
    half: NDArray
    noise: float
    count: float

    @classmethod
    def fit(cls, X: Any, y: NDArray, weights: NDArray) -> Self:
        """Model of the largest evidence over the variances of weights and noise.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_rows, n_features)
            Features.
        y : ndarray of shape (n_rows,)
            Targets.
        weights : ndarray of shape (n_rows,)
            Weights of the rows.
        """
        n = weights.sum()
        centre, intercept = np.asarray(X.T @ weights).ravel() / n, weights @ y / n
        weighted = X.T.multiply(weights).tocsr() if hasattr(X, "multiply") else X.T * weights
        gram = weighted @ X
        gram = np.asarray(gram.toarray() if hasattr(gram, "toarray") else gram) - n * np.outer(centre, centre)
        spread = np.sqrt(np.maximum(np.diag(gram) / n, 0.0))
        varies = spread > 1e-9 * np.maximum(np.abs(centre), np.finfo(float).tiny)
        scale = np.where(varies, 1 / np.where(varies, spread, 1.0), 0.0)
        values, vectors = np.linalg.eigh(gram * np.outer(scale, scale))
        values = np.maximum(values, 0.0)
        target = vectors.T @ (scale * np.asarray(weighted @ (y - intercept)).ravel())
        total = max(weights @ np.square(y - intercept), np.finfo(float).tiny)

        def noise_at(ratio):
            left = total - (np.square(target) / (values + ratio)).sum()
            return max(left, _LEAST_NOISE * total) / n

        def loss(log_ratio):
            ratio = n * np.exp(log_ratio)
            return 0.5 * (n * np.log(noise_at(ratio)) + np.log1p(values / ratio).sum())

        ratio = n * np.exp(minimize_scalar(loss, bounds=_LOG_RATIOS, method="bounded").x)
        noise = noise_at(ratio)
        back = scale[:, None] * vectors
        half = back * np.sqrt(noise / (values + ratio))
        return cls(centre, back @ (target / (values + ratio)), float(intercept), half, float(noise), float(n))

    def in_units(self, centre: float, factor: float) -> Self:
        """Model of centre + factor · y."""
        return replace(
            self,
            coef=factor * self.coef,
            intercept=centre + factor * self.intercept,
            half=factor * self.half,
            noise=factor**2 * self.noise,
        )

    def predict(self, X: Any) -> tuple[NDArray, NDArray]:
        """Mean of y at some rows, and the variance of that mean."""
        mean = np.asarray(X @ self.coef).ravel() - self.centre @ self.coef + self.intercept
        spread = np.asarray(X @ self.half) - self.centre @ self.half
        return mean, np.square(spread).sum(axis=1) + self.noise / self.count


def pooled(mean: NDArray, var: NDArray, noise: float, linear: LinearModel, X: Any) -> tuple[NDArray, NDArray]:
    """Moments of f in a mixture of a machine and a linear model.

    The machine has the share noise / (noise + var). Among the data the variance of f is small beside the
    noise, and the linear model has nearly no share; where the machine extrapolates with large weights, it has
    nearly all.

    Parameters
    ----------
    mean, var : ndarray of shape (n_rows,)
        Moments of f of the machine.
    noise : float
        Variance of the noise of the machine.
    linear : LinearModel
        Linear model of the same targets.
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Rows.

    Returns
    -------
    mean, var : ndarray of shape (n_rows,)
        Moments of the mixture. Noise of the linear model beyond that of the machine is its error.
    """
    other, error = linear.predict(X)
    error = error + max(linear.noise - noise, 0.0)
    share = noise / (noise + var)
    mixed = share * var + (1 - share) * (error + share * np.square(mean - other))
    return share * mean + (1 - share) * other, mixed
