"""Exact evidence of Gaussian-process regression and its gradient in all hyperparameters."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ...numerics import robust_cholesky, solve_with_factor
from ..feature_scales import LOG_SCALE_STD

# Prior variance of the constant, in units of the variance of the targets; set by hand.
CONSTANT_VARIANCE = 1.0
# Standard deviation of the normal priors of log hyperparameters, which only keep them from running away;
# set by hand.
_LOG_STD = 3.0
# Prior mean of the log noise variance, in units of the variance of the targets: a noise of about a fifth;
# set by hand.
_LOG_NOISE = -3.0
# Bounds of log hyperparameters around their prior means; numerical guard.
_REACH = 12.0
# Share of the amplitude that is added to the diagonal; numerical guard.
_JITTER = 1e-8
# Limit on the steps of an ascent, and its relative tolerance of the penalised evidence; set by hand.
_MAX_STEPS, _TOLERANCE = 60, 1e-6


@dataclass(frozen=True)
class Process:
    """f(x) = constant + trend · x + a Gaussian process of covariance amplitude · k(x, x'), and noise.

    Parameters
    ----------
    kernel : Kernel
        Kernel of the placed rows.
    amplitude : float
        Prior variance of the process, in units of the variance of the targets.
    noise : float
        Variance of the noise, in the same units.
    trend : float
        Prior variance of each weight of the linear trend; zero: there is none.
    scales : ndarray of shape (n_features,) or None
        Factors of the features; None: all are one.
    """

    kernel: Any
    amplitude: float = 1.0
    noise: float = 0.1
    trend: float = 0.0
    scales: NDArray | None = None

    def place(self, X: NDArray) -> NDArray:
        """Rows as the kernel sees them."""
        return X if self.scales is None else X * self.scales

    def covariance(self, X: NDArray, Z: NDArray) -> NDArray:
        """Covariances of the process, without constant and trend."""
        return self.amplitude * self.kernel(self.place(X), self.place(Z))

    def variance(self, X: NDArray) -> NDArray:
        """Prior variances of the process, without constant and trend."""
        return self.amplitude * self.kernel.diagonal(self.place(X))

    def features(self, X: NDArray) -> NDArray:
        """Constant and trend as features whose weights have variance one."""
        ones = np.full((len(X), 1), np.sqrt(CONSTANT_VARIANCE))
        return np.hstack([ones, np.sqrt(self.trend) * X]) if self.trend else ones


class ProcessEvidence:
    """Penalised log evidence of a process, as a function of the logarithms of its hyperparameters.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Standardised rows.
    y : ndarray of shape (n_rows,)
        Standardised targets.
    weights : ndarray of shape (n_rows,)
        How many times each row counts.
    process : Process
        Process to start from; it has a trend or not, and scales or not.
    """

    def __init__(self, X: NDArray, y: NDArray, weights: NDArray, process: Process) -> None:
        self.X, self.y, self.weights, self.start = X, y, weights, process
        self.products = X @ X.T if process.trend else None
        kernel, d = process.kernel, max(X.shape[1], 1)
        reference = [np.log(kernel.reference_gamma(X))] if kernel.has_gamma else []
        trend = [-np.log(d)] if process.trend else []
        self.centre = np.array([0.0, _LOG_NOISE, *trend, *reference])
        self.log_evidence = -np.inf

    def logs(self) -> NDArray:
        """Logarithms of the hyperparameters of the process to start from."""
        process = self.start
        trend = [process.trend] if process.trend else []
        gamma = [process.kernel.gamma] if process.kernel.has_gamma else []
        logs = np.log([process.amplitude, process.noise, *trend, *gamma])
        return logs if process.scales is None else np.append(logs, 2 * np.log(process.scales))

    def process(self, logs: NDArray) -> Process:
        """Process with the given logarithms of its hyperparameters."""
        head, tail = logs[: len(self.centre)], logs[len(self.centre) :]
        amplitude, noise, *others = np.exp(head).tolist()
        trend = others.pop(0) if self.start.trend else 0.0
        kernel = self.start.kernel.with_gamma(others[0]) if others else self.start.kernel
        scales = None if self.start.scales is None else np.exp(0.5 * tail)
        return replace(
            self.start, kernel=kernel, amplitude=amplitude, noise=noise, trend=trend, scales=scales
        )

    def __call__(self, logs: NDArray) -> tuple[float, NDArray]:
        """Penalty less log evidence, and its gradient."""
        process, w = self.process(logs), self.weights
        placed = process.place(self.X)
        K = process.kernel(placed, placed)
        covariance = process.amplitude * K + CONSTANT_VARIANCE
        if self.products is not None:
            covariance += process.trend * self.products
        noise = process.noise / w + _JITTER * process.amplitude
        factor = robust_cholesky(covariance + np.diag(noise))
        coef = solve_with_factor(factor, self.y)
        inverse = solve_with_factor(factor, np.eye(len(self.y)))
        log_2pi_noise = np.log(2 * np.pi * process.noise)
        self.log_evidence = float(
            -0.5 * (self.y @ coef + len(w) * np.log(2 * np.pi) + (w - 1).sum() * log_2pi_noise)
            - np.log(np.diag(factor)).sum()
            - 0.5 * np.log(w).sum()
        )
        upstream = 0.5 * (np.outer(coef, coef) - inverse)
        gradient = self._gradient(process, placed, K, upstream)
        penalty, by_penalty = self._penalty(logs)
        return penalty - self.log_evidence, by_penalty - gradient

    def _gradient(self, process, placed, K, upstream):
        """Derivatives of the log evidence in the logarithms of the hyperparameters."""
        diagonal = np.diag(upstream)
        by_amplitude = process.amplitude * (np.vdot(upstream, K) + _JITTER * diagonal.sum())
        by_noise = process.noise * (diagonal / self.weights).sum() - 0.5 * (self.weights - 1).sum()
        parts = [by_amplitude, by_noise]
        if self.products is not None:
            parts.append(process.trend * np.vdot(upstream, self.products))
        if process.kernel.has_gamma:
            derivative = process.kernel.log_gamma_derivative(placed, placed)
            parts.append(process.amplitude * np.vdot(upstream, derivative))
        if process.scales is not None:
            scaled = process.amplitude * upstream
            parts.extend(process.kernel.scale_gradient(placed, placed, scaled, K))
        return np.array(parts)

    def _penalty(self, logs):
        """Minus the log prior of the logarithms in nats, up to a constant, and its gradient."""
        head, tail = (logs[: len(self.centre)] - self.centre) / _LOG_STD**2, logs[len(self.centre) :]
        penalty, gradient = 0.5 * _LOG_STD**2 * head @ head, head
        if len(tail):
            spread = (tail - tail.mean()) / LOG_SCALE_STD**2
            mean = tail.mean() / _LOG_STD**2
            penalty += 0.5 * LOG_SCALE_STD**2 * spread @ spread + 0.5 * _LOG_STD**2 * mean**2
            gradient = np.append(head, spread + mean / len(tail))
        return penalty, gradient

    def maximise(self) -> tuple[Process, float]:
        """Process of the largest penalised evidence, and that evidence in nats."""
        logs = self.logs()
        middle = np.append(self.centre, np.zeros(len(logs) - len(self.centre)))
        bounds = np.column_stack([middle - _REACH, middle + _REACH])
        found = minimize(
            self,
            np.clip(logs, *bounds.T),
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": _MAX_STEPS, "ftol": _TOLERANCE},
        )
        self(found.x)
        return self.process(found.x), -float(found.fun)
