"""Penalised log evidence of a process and its gradient in all hyperparameters, on a dense covariance."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ...inference import DensePrior, LatentFit, latent_ep, latent_laplace
from ...likelihoods import Gaussian
from ...numerics import half_log_det, inverse_of_factor, robust_cholesky, solve_with_factor
from .hyperparameters import Hyperparameters
from .process import Process, envelope

# Share of the amplitude that is added to the diagonal; numerical guard.
_JITTER = 1e-8
# Limit on the steps of an ascent, and its relative tolerance of the penalised evidence; set by hand.
MAX_STEPS, _TOLERANCE = 60, 1e-6


class Upstream(NamedTuple):
    """Derivatives of the log evidence in what it depends on.

    Parameters
    ----------
    covariance : ndarray of shape (n_rows, n_rows)
        In the prior covariances of the rows.
    mean : float
        In the prior mean.
    parameters : ndarray
        In the log parameters of the likelihood.
    """

    covariance: NDArray
    mean: float
    parameters: NDArray


class Evidence:
    """Penalised log evidence of some rows as a function of the logarithms of the hyperparameters."""

    hyperparameters: Hyperparameters
    # Log evidence without the penalty at the last call.
    log_evidence = -np.inf

    def __call__(self, logs: NDArray) -> tuple[float, NDArray]:
        """Penalty less log evidence, and its gradient."""
        value, gradient = self.value(*self.hyperparameters.at(logs))
        penalty, by_penalty = self.hyperparameters.penalty(logs)
        self.log_evidence = value
        return penalty - value, by_penalty - gradient

    def value(self, process: Process, likelihood: Any) -> tuple[float, NDArray]:
        """Log evidence and its gradient."""
        raise NotImplementedError

    def maximise(
        self, max_steps: int = MAX_STEPS, tolerance: float = _TOLERANCE
    ) -> tuple[Process, Any, float]:
        """Process and likelihood of the largest penalised evidence, and that evidence in nats."""
        bounds = self.hyperparameters.bounds
        found = minimize(
            self,
            np.clip(self.hyperparameters.logs, *bounds.T),
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": max_steps, "ftol": tolerance},
        )
        self(found.x)
        return *self.hyperparameters.at(found.x), -float(found.fun)


class ProcessEvidence(Evidence):
    """Evidence with a dense covariance: exact for Gaussian noise, else by Laplace or expectation propagation.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Rows.
    y : ndarray of shape (n_rows,)
        Observations.
    weights : ndarray of shape (n_rows,)
        How many times each row counts.
    hyperparameters : Hyperparameters
        Point to start from, and priors.
    by_ep : bool
        Whether the evidence is that of expectation propagation; the likelihood has no parameters then.
    """

    def __init__(
        self, X: Any, y: NDArray, weights: NDArray, hyperparameters: Hyperparameters, by_ep: bool = False
    ):
        self.X, self.y, self.weights, self.by_ep = X, y, weights, by_ep
        self.hyperparameters = hyperparameters
        process = hyperparameters.process
        inside = envelope(X, process.reach)
        self.constants = np.outer(inside, inside)
        products = X @ X.T if process.trend else None
        self.products = None if products is None else self.constants * as_dense(products)
        self.state: NDArray | None = None

    def covariance(self, process: Process) -> tuple[NDArray, NDArray]:
        """Kernel matrix, and prior covariance of the latent values of the rows."""
        placed = process.place(self.X)
        K = process.kernel(placed, placed)
        C = process.amplitude * K + process.constant[1] * self.constants
        if self.products is not None:
            C += process.trend * self.products
        C.flat[:: len(C) + 1] += _JITTER * process.amplitude
        return K, C

    def fit(self, process: Process, likelihood: Any) -> tuple[LatentFit, NDArray]:
        """Posterior of the latent values of the rows, and the kernel matrix."""
        K, C = self.covariance(process)
        engine = latent_ep if self.by_ep else latent_laplace
        found = engine(likelihood, DensePrior(C), process.constant[0], self.y, self.weights, self.state)
        self.state = found.state if found.converged else None
        return found, K

    def value(self, process: Process, likelihood: Any) -> tuple[float, NDArray]:
        """Log evidence and its gradient."""
        if isinstance(likelihood, Gaussian):
            value, gradient = self._exact(process, likelihood, (self.y - process.constant[0])[:, None], 1)
            return self._as_copies(value, gradient, likelihood)
        found, K = self.fit(process, likelihood)
        if self.by_ep:
            U = fixed_sites_upstream(found, likelihood)
        else:
            U = laplace_upstream(found, likelihood, process.constant[0], self.y, self.weights)
        return found.log_evidence, self._gradient(process, K, U)

    def _exact(self, process: Process, likelihood: Gaussian, Y: NDArray, count: int) -> tuple[float, NDArray]:
        """Log evidence of columns of numbers, ``count`` of which are independent, and its gradient."""
        K, C = self.covariance(process)
        noise = 1 / (likelihood.precision * self.weights)
        C.flat[:: len(C) + 1] += noise
        factor = robust_cholesky(C)
        coef = solve_with_factor(factor, Y)
        value = -0.5 * np.vdot(Y, coef) - count * (half_log_det(factor) + 0.5 * len(C) * np.log(2 * np.pi))
        U = 0.5 * (coef @ coef.T - count * inverse_of_factor(factor))
        upstream = Upstream(U, float(coef.sum()), np.array([np.diag(U) @ noise]))
        return float(value), self._gradient(process, K, upstream)

    def _as_copies(self, value: float, gradient: NDArray, likelihood: Gaussian) -> tuple[float, NDArray]:
        """Log evidence and gradient where a weight is a number of observations, not a precision."""
        more, log_precision = self.weights.sum() - len(self.weights), np.log(likelihood.precision)
        value += 0.5 * more * (log_precision - np.log(2 * np.pi)) - 0.5 * np.log(self.weights).sum()
        gradient[self.hyperparameters.place_of_likelihood] -= 0.5 * more
        return value, gradient

    def _gradient(self, process: Process, K: NDArray, upstream: Upstream) -> NDArray:
        """Derivatives of the log evidence in the logarithms of the hyperparameters."""
        U, placed = upstream.covariance, process.place(self.X)
        by_amplitude = process.amplitude * (np.vdot(U, K) + _JITTER * np.trace(U))
        by_amplitude += upstream.mean * self.hyperparameters.mean(process.amplitude)[1]
        parts = [np.array([by_amplitude])]
        if self.hyperparameters.learns_constant:
            parts.append(np.array([process.constant[1] * np.vdot(U, self.constants)]))
        if self.products is not None:
            parts.append(np.array([process.trend * np.vdot(U, self.products)]))
        scaled = process.amplitude * U
        if self.hyperparameters.sizes[3]:
            parts.append(process.kernel.parameter_gradient(placed, placed, scaled, K))
        parts.append(upstream.parameters)
        if process.scales is not None:
            parts.append(process.grouped(process.kernel.scale_gradient(placed, placed, scaled, K)))
        return np.concatenate(parts)


class IndicatorEvidence(ProcessEvidence):
    """Evidence of one or more columns of numbers with Gaussian noise, such as indicators of classes.

    Several columns of ``y`` are centred indicators, whose sum is zero, so that they count as one column less.
    """

    def value(self, process: Process, likelihood: Any) -> tuple[float, NDArray]:
        """Log evidence and its gradient."""
        return self._exact(process, likelihood, self.y, max(self.y.shape[1] - 1, 1))


def as_dense(values: Any) -> NDArray:
    """Dense array of a dense or sparse matrix."""
    return values.toarray() if hasattr(values, "toarray") else np.asarray(values)


def fixed_sites_upstream(found: LatentFit, likelihood: Any) -> Upstream:
    """Derivatives where the evidence is stationary in the sites: ½ (a aᵀ − (C + B⁻¹)⁻¹) in C."""
    coef = found.coef
    U = 0.5 * (np.outer(coef, coef) - found.posterior.precision)
    return Upstream(U, float(coef.sum()), np.zeros(len(likelihood.log_parameters)))


def laplace_upstream(
    found: LatentFit, likelihood: Any, offset: float, y: NDArray, weights: NDArray
) -> Upstream:
    """Derivatives of the Laplace approximation, the change of the mode included.

    Rasmussen & Williams (2006), section 5.5.1; with u = (I + W C)⁻¹ᵀ ∂ log Z / ∂ f, the mode moves by
    (I + C W)⁻¹ dC a. The likelihood is expanded with the curvatures that make the sites, which are those of
    log p where it is concave.
    """
    posterior, coef, f = found.posterior, found.coef, offset + found.posterior.mean
    R = posterior.precision
    by_curvature = -0.5 * weights * posterior.variance
    moved = by_curvature * likelihood.curvature_derivative(y, f)
    U = 0.5 * (np.outer(coef, coef) - R)
    u = np.zeros(len(y))
    if moved.any():
        u = _pulled_back(found, likelihood, f, y, weights, moved)
        U += 0.5 * (np.outer(u, coef) + np.outer(coef, u))
    parameters = np.zeros(0)
    if len(likelihood.log_parameters):
        of_log, of_gradient, of_curvature = likelihood.parameter_derivatives(y, f)
        parameters = of_log @ weights + of_curvature @ by_curvature
        if moved.any():
            parameters = parameters + of_gradient @ (weights * (posterior.covariance @ u))
    return Upstream(U, float((coef + u).sum()), parameters)


def _pulled_back(found, likelihood, f, y, weights, moved):
    """(I + W C)⁻¹ times the derivative of the log evidence in f, W being minus the second derivatives."""
    posterior, true = found.posterior, weights * likelihood.derivatives(y, f)[1]
    C = posterior.covariance
    if np.allclose(true, found.sites[0], rtol=1e-6, atol=1e-10):
        return moved - posterior.precision @ (C @ moved)
    curved = np.eye(len(y)) + true[:, None] * C
    try:
        return np.linalg.solve(curved, moved)
    except np.linalg.LinAlgError:  # the evidence has no gradient where a second derivative is positive
        return np.linalg.lstsq(curved, moved)[0]
