"""Logarithms of all hyperparameters of a process and its likelihood as one vector, and their prior."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..feature_scales import LOG_SCALE_STD
from .process import Process

# Standard deviation of the normal priors of log hyperparameters, which only keep them from running away;
# set by hand.
_LOG_STD = 3.0
# Scale of a feature that counts as none; numerical guard.
_LEAST_SCALE = 1e-100
# Bounds of log hyperparameters around their prior means; numerical guard.
_REACH = 12.0


@dataclass(frozen=True)
class Hyperparameters:
    """Order of the logarithms: amplitude, constant's variance, trend, kernel, likelihood, squared scales.

    Parameters
    ----------
    process : Process
        Process to start from; it has a trend or not, and scales or not.
    likelihood : Likelihood
        Likelihood of the observations, with the parameters to start from.
    reference : Kernel
        Kernel with the prior means of its parameters.
    base : float
        Constant latent value that fits best by itself, which is the prior mean of f but for the spread of f.
    learns_constant : bool
        Whether the variance of the constant is learned.
    learns_kernel : bool
        Whether the parameters of the kernel are learned.
    n_features : int
        Number of features of the rows.
    level : float
        Mean of k(x, x) over the rows; the prior variance of f is the amplitude times this.
    """

    process: Process
    likelihood: Any
    reference: Any
    base: float = 0.0
    learns_constant: bool = False
    learns_kernel: bool = True
    n_features: int = 1
    level: float = 1.0

    @cached_property
    def sizes(self) -> list[int]:
        """Number of logarithms of each kind, without the scales."""
        kernel, likelihood = self._kernel_logs(self.process.kernel), self.likelihood.log_parameters
        return [1, int(self.learns_constant), int(self.process.trend > 0), len(kernel), len(likelihood)]

    @property
    def place_of_likelihood(self) -> int:
        """Place of the first logarithm of the likelihood."""
        return sum(self.sizes[:4])

    def _kernel_logs(self, kernel):
        return kernel.log_parameters if self.learns_kernel else np.empty(0)

    @cached_property
    def n_scales(self) -> int:
        """Number of scales, one for each group."""
        return 0 if self.process.scales is None else len(self.process.scales)

    @cached_property
    def prior(self) -> tuple[NDArray, NDArray]:
        """Means and standard deviations of the logarithms but for the scales."""
        trend = [-np.log(max(self.n_features, 1))] if self.process.trend else []
        constant = [0.0] if self.learns_constant else []
        mean, std = self.likelihood.log_parameter_prior
        first = np.concatenate([[-np.log(self.level)], constant, trend, self._kernel_logs(self.reference)])
        return np.append(first, mean), np.append(np.full(len(first), _LOG_STD), std)

    @property
    def logs(self) -> NDArray:
        """Logarithms of the process and likelihood to start from."""
        process = self.process
        parts = [
            np.log([process.amplitude]),
            np.log([process.constant[1]] if self.learns_constant else []),
            np.log([process.trend] if process.trend else []),
            self._kernel_logs(process.kernel),
            self.likelihood.log_parameters,
            2 * np.log(np.maximum([] if process.scales is None else process.scales, _LEAST_SCALE)),
        ]
        return np.concatenate(parts)

    @property
    def bounds(self) -> NDArray:
        """Lower and upper bounds of the logarithms."""
        middle = np.append(self.prior[0], np.zeros(self.n_scales))
        return np.column_stack([middle - _REACH, middle + _REACH])

    def at(self, logs: NDArray) -> tuple[Process, Any]:
        """Process and likelihood with the given logarithms."""
        amplitude, constant, trend, kernel, parameters, scales = np.split(logs, np.cumsum(self.sizes))
        size = float(np.exp(amplitude[0]))
        variance = float(np.exp(constant[0])) if len(constant) else self.process.constant[1]
        likelihood = self.likelihood.with_log_parameters(parameters)
        process = replace(
            self.process,
            kernel=self.process.kernel.with_log_parameters(kernel) if len(kernel) else self.process.kernel,
            amplitude=size,
            trend=float(np.exp(trend[0])) if len(trend) else 0.0,
            scales=np.exp(0.5 * scales) if len(scales) else None,
            constant=(self.mean(size)[0], variance),
        )
        return process, likelihood

    def mean(self, amplitude: float) -> tuple[float, float]:
        """Prior mean of f, and its derivative in the log amplitude."""
        ratio = amplitude * self.level * (3 / self.likelihood.saturation) ** 2
        spread = np.sqrt(1 + ratio)
        return float(self.base * spread), float(0.5 * self.base * ratio / spread)

    def penalty(self, logs: NDArray) -> tuple[float, NDArray]:
        """Minus the log prior of the logarithms in nats, up to a constant, and its gradient."""
        mean, std = self.prior
        head, tail = (logs[: len(mean)] - mean) / std, logs[len(mean) :]
        penalty, gradient = 0.5 * head @ head, head / std
        if len(tail):
            spread = (tail - tail.mean()) / LOG_SCALE_STD**2
            middle = tail.mean() / _LOG_STD**2
            penalty += 0.5 * LOG_SCALE_STD**2 * spread @ spread + 0.5 * _LOG_STD**2 * middle**2
            gradient = np.append(gradient, spread + middle / len(tail))
        return float(penalty), gradient
