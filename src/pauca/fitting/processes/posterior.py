"""Posterior of a process that few vectors carry, in whitened weights."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...inference import DesignPrior, LatentFit, latent_ep, latent_laplace
from ...likelihoods import Gaussian
from ...numerics import add_to_diagonal, all_entries, few_entries, robust_cholesky, solve_lower, solve_upper
from .half_precision import HalfInverse
from .process import Process

# Share of the amplitude that is added to the covariance of the vectors; numerical guard.
JITTER = 1e-9
# Change of a site, in standard deviations of its marginal, at which expectation propagation has converged.
_TOL = 1e-2


def covariance_root(process: Process, vectors: Any) -> NDArray:
    """Lower Cholesky factor of the prior covariance of some vectors."""
    covariance = process.covariance(vectors, vectors)
    return robust_cholesky(add_to_diagonal(covariance, JITTER * process.amplitude))


@dataclass(frozen=True)
class ProcessPosterior:
    """Posterior of a process carried by few vectors, in whitened weights.

    Parameters
    ----------
    process : Process
        Hyperparameters.
    vectors : ndarray or sparse matrix of shape (n_vectors, n_features)
        Inducing vectors.
    root : ndarray of shape (n_vectors, n_vectors)
        Lower Cholesky factor of their prior covariance.
    mean : ndarray of shape (n_weights,)
        Posterior mean of the weights of constant, trend and whitened vectors.
    factor : ndarray of shape (n_weights, n_weights)
        Lower Cholesky factor of their posterior precision.
    half : HalfInverse or None
        Inverse of the factor in half precision, if it was rounded.
    """

    process: Process
    vectors: Any
    root: NDArray
    mean: NDArray
    factor: NDArray
    half: HalfInverse | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Fields of a file: the triangle of the factor, no root that process and vectors give again.

        Of vectors with few distinct entries, such as indicators, these and their places.
        """
        state = dict(self.__dict__)
        if np.array_equal(self.root, covariance_root(self.process, self.vectors)):
            state["root"] = None
        below = np.tril_indices(len(self.factor))
        state["factor"] = self.factor[below] if self.half is None else None
        state["vectors"] = few_entries(self.vectors)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, half=state.get("half"), vectors=all_entries(state["vectors"]))
        if self.half is not None:
            self.__dict__["factor"] = self.half.factor
        else:
            factor = np.zeros((len(state["mean"]), len(state["mean"])))
            factor[np.tril_indices(len(factor))] = state["factor"]
            self.__dict__["factor"] = factor
        if state["root"] is None:
            self.__dict__["root"] = covariance_root(self.process, self.vectors)

    def without_vectors(self) -> dict[str, Any]:
        """Fields of a file that has the vectors elsewhere."""
        return {**self.__getstate__(), "vectors": None}

    @classmethod
    def with_vectors(cls, state: dict[str, Any], vectors: NDArray) -> "ProcessPosterior":
        """Posterior of the fields that `without_vectors` gives."""
        posterior = cls.__new__(cls)
        posterior.__setstate__({**state, "vectors": vectors})
        return posterior

    def rounded(self) -> "ProcessPosterior":
        """Posterior whose file takes a fourth of the bytes: the factor's inverse has half precision."""
        half = HalfInverse.of(self.factor)
        return replace(self, factor=half.factor, half=half)

    @classmethod
    def prior(cls, process: Process, vectors: Any) -> "ProcessPosterior":
        """Process with vectors before any data, for designs; it has no weights."""
        return cls(process, vectors, covariance_root(process, vectors), np.empty(0), np.empty((0, 0)))

    def given(self, fit: LatentFit) -> "ProcessPosterior":
        """Posterior with the weights of a fit of this design."""
        return replace(self, mean=fit.posterior.weights, factor=fit.posterior.factor)

    @property
    def n_vectors(self) -> int:
        """Number of vectors."""
        return self.vectors.shape[0]

    def whitened(self, X: Any) -> NDArray:
        """Whitened covariances of rows with the vectors, shape (n_rows, n_vectors)."""
        if self.n_vectors == 0:
            return np.empty((X.shape[0], 0))
        return solve_lower(self.root, self.process.covariance(self.vectors, X)).T

    def design(self, X: Any) -> NDArray:
        """Features whose weights have variance one before any data: constant, trend, whitened vectors."""
        return np.hstack([self.process.features(X), self.whitened(X)])

    def left(self, X: Any, Phi: NDArray) -> NDArray:
        """Prior variance that the vectors do not explain at rows with the design ``Phi``."""
        explained = np.square(Phi[:, Phi.shape[1] - self.n_vectors :]).sum(axis=1)
        return np.maximum(self.process.variance(X) - explained, 0.0)

    def latent(self, X: Any) -> tuple[NDArray, NDArray]:
        """Mean and variance of f; the variance that the vectors do not explain is that of the prior."""
        Phi = self.design(X)
        return self.moments(Phi, self.left(X, Phi))

    def moments(self, Phi: NDArray, left: NDArray) -> tuple[NDArray, NDArray]:
        """Mean and variance of f at rows with the design ``Phi``, which leaves some prior variance."""
        variance = np.square(solve_lower(self.factor, Phi.T)).sum(axis=0) + left
        return self.process.constant[0] + Phi @ self.mean, variance

    @property
    def dual_coef(self) -> NDArray:
        """Weights of the kernel values with the vectors in the posterior mean."""
        weights = self.mean[len(self.mean) - self.n_vectors :]
        return self.process.amplitude * solve_upper(self.root, weights)

    @property
    def intercept(self) -> float:
        """Constant term of the posterior mean within reach of the origin."""
        mean, variance = self.process.constant
        return float(mean + np.sqrt(variance) * self.mean[0])

    def latent_covariance(self, X: Any) -> NDArray:
        """Posterior covariance matrix of f at some rows."""
        half, whitened = solve_lower(self.factor, self.design(X).T), self.whitened(X)
        return half.T @ half + self.process.covariance(X, X) - whitened @ whitened.T


def infer(
    process: Process,
    vectors: Any,
    X: Any,
    y: NDArray,
    weights: NDArray,
    likelihood: Any,
    *,
    by_ep: bool = True,
    start: NDArray | None = None,
) -> tuple[ProcessPosterior, LatentFit, NDArray]:
    """Posterior of the weights given all rows, the fit of the latent values, and the variance that is left.

    Gaussian noise is exact. Otherwise by expectation propagation, where the rest of the prior variance of
    each row is part of the model; by Laplace where that is asked for or does not converge.
    """
    prior = ProcessPosterior.prior(process, vectors)
    Phi = prior.design(X)
    left, offset = prior.left(X, Phi), process.constant[0]
    if by_ep and not isinstance(likelihood, Gaussian):
        fit = latent_ep(likelihood, DesignPrior(Phi, left), offset, y, weights, start, _TOL)
        if fit.converged:
            return prior.given(fit), fit, left
    fit = latent_laplace(likelihood, DesignPrior(Phi), offset, y, weights)
    return prior.given(fit), fit, np.zeros(len(y))
