"""Bayesian linear regression with the variances of weights and noise by evidence."""

from dataclasses import dataclass
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
    log_evidence : float
        Log evidence of the targets in nats, at the intercept and the variances that maximise it.
    """

    centre: NDArray
    coef: NDArray
    intercept: float
    half: NDArray
    noise: float
    count: float
    log_evidence: float

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

        found = minimize_scalar(loss, bounds=_LOG_RATIOS, method="bounded")
        ratio = n * np.exp(found.x)
        noise, log_evidence = noise_at(ratio), -found.fun - 0.5 * n * (1 + np.log(2 * np.pi))
        back = scale[:, None] * vectors
        half = back * np.sqrt(noise / (values + ratio))
        coef = back @ (target / (values + ratio))
        return cls(centre, coef, float(intercept), half, float(noise), float(n), float(log_evidence))

    def predict(self, X: Any) -> tuple[NDArray, NDArray]:
        """Mean of y at some rows, and the variance of that mean."""
        mean = np.asarray(X @ self.coef).ravel() - self.centre @ self.coef + self.intercept
        spread = np.asarray(X @ self.half) - self.centre @ self.half
        return mean, np.square(spread).sum(axis=1) + self.noise / self.count
